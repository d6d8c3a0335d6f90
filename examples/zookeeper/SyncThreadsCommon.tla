-------------------------- MODULE SyncThreadsCommon -------------------------
(***************************************************************************)
(* Synchronization with threads: what the grains of 3.9.1 and of its fixes *)
(* share. What is to be logged goes into a queue that another thread       *)
(* (SyncRequestProcessor) works off, what is to be committed into that of  *)
(* a third one (CommitProcessor).                                          *)
(***************************************************************************)
EXTENDS SyncCommon

VARIABLES queue, commits

threadVars == <<queue, commits>>

LeaderSync(l, f) == LeaderSyncStep(l, f) /\ UNCHANGED <<cut, threadVars>>
FollowerSync(f, l) == FollowerSyncStep(f, l) /\ UNCHANGED <<cut, threadVars>>
SyncProposal(f, l) == SyncProposalStep(f, l) /\ UNCHANGED <<cut, threadVars>>
SyncCommit(f, l) == SyncCommitStep(f, l) /\ UNCHANGED <<cut, threadVars>>
LeaderAckNewLeader(l, f) == LeaderAckNewLeaderStep(l, f) /\ UNCHANGED <<cut, threadVars>>
SyncCommitFails(f, l) ==
    /\ SyncCommitFailsStep(f, l)
    /\ commits' = [s \in Server |-> IF s \in Leaving(f) THEN <<>> ELSE commits[s]]
    /\ UNCHANGED <<cut, queue>>

\* The server serves clients from here on, whether or not it has applied what it was sent.
FollowerUpToDate(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "UPTODATE")
    /\ phase' = [phase EXCEPT ![f] = "BROADCAST"]
    /\ queue' = [queue EXCEPT ![f] = @ \o pending[f]]
    /\ commits' = [commits EXCEPT ![f] = committing[f]]
    /\ stage' = [stage EXCEPT ![f] = "none"]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ committing' = [committing EXCEPT ![f] = <<>>]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, log, applied, link, peerLast, cut, leadVars, historyVars>>

InitSyncThreads ==
    /\ InitSync
    /\ queue = [s \in Server |-> <<>>]
    /\ commits = [s \in Server |-> <<>>]
=============================================================================
