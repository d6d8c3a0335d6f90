----------------------- MODULE CodeInvariantsThreads ------------------------
(***************************************************************************)
(* The assertions of the code that speak of what a follower has received,  *)
(* where some of that waits in the queues of its threads.                  *)
(***************************************************************************)
EXTENDS CodeInvariants

VARIABLES queue, commits

Received(f) == log[f] \o queue[f]
WaitsForCommit(f) == After(Received(f), Max(applied[f], Last(commits[f])))

\* I-13.
NextProposalInSyncThreads ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "SYNCHRONIZATION" /\ Pending(l, f, "PROPOSAL")
            => IsNext(LastInSync(f, Received(f)), FirstOf(l, f).zxid)

NextProposalInBroadcastThreads ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "BROADCAST" /\ Pending(l, f, "PROPOSAL")
            => IsNext(Last(Received(f)), FirstOf(l, f).zxid)

\* I-14.
CommitInTurnThreads ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "BROADCAST" /\ Pending(l, f, "COMMIT") /\ WaitsForCommit(f) # <<>>
            => Head(WaitsForCommit(f)) = FirstOf(l, f).zxid
=============================================================================
