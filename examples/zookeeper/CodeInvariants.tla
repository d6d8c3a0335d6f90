--------------------------- MODULE CodeInvariants ---------------------------
(***************************************************************************)
(* What the code asserts (I-11 to I-14): no server is about to read a      *)
(* message that it answers with an exception, an error or a warning. These *)
(* are predicates of the state before it does.                             *)
(***************************************************************************)
EXTENDS Retreat

FirstOf(i, j) == Head(net[i][j])
InService(f, l) == Follows(f, l) /\ Leads(l) /\ phase[l] = "BROADCAST" /\ link[f] = "acked"
IsNext(last, zxid) == zxid = last + 1 \/ (CounterOf(zxid) = 1 /\ EpochOf(zxid) > EpochOf(last))

\* I-11, bad states.
LeaderInfoInDiscovery ==
    \A f, l \in Server : Follows(f, l) /\ Pending(l, f, "LEADERINFO") => phase[f] = "DISCOVERY"

HandshakeInDiscovery ==
    \A f, l \in Server :
        Follows(f, l) /\ (Pending(f, l, "FOLLOWERINFO") \/ Pending(f, l, "ACKEPOCH")) => Leads(l) /\ link[f] = "info"

SyncInSynchronization ==
    \A f, l \in Server :
        Follows(f, l) /\ (Pending(l, f, "DIFF") \/ Pending(l, f, "TRUNC") \/ Pending(l, f, "SNAP"))
            => phase[f] = "SYNCHRONIZATION" /\ stage[f] = "none"

\* ZOOKEEPER-3023: a follower that says it is up to date has applied the initial history.
ServesInitialHistory ==
    \A f, l \in Server :
        InService(f, l) /\ phase[f] = "BROADCAST" /\ Pending(f, l, "ACK") /\ CounterOf(FirstOf(f, l).zxid) = 0
            => applied[f] >= Last(UpTo(Committed(l), Zxid(currentEpoch[l], 0)))

\* I-12, bad acknowledgments. ZOOKEEPER-4685: the first one, while a quorum is awaited, is that of NEWLEADER.
NewLeaderAckedFirst ==
    \A f, l \in Server :
        Follows(f, l) /\ Leads(l) /\ phase[l] = "SYNCHRONIZATION" /\ link[f] = "syncing" /\ Pending(f, l, "ACK")
            => FirstOf(f, l).zxid = Zxid(acceptedEpoch[l], 0)

ProposalsAcked ==
    \A f, l \in Server :
        InService(f, l) /\ Pending(f, l, "ACK")
            => LET zxid == FirstOf(f, l).zxid
               IN CounterOf(zxid) = 0 \/ zxid <= applied[l] \/ zxid \in Members(log[l])

\* I-13, bad proposals, where a follower logs in the step that reads them. Until NEWLEADER it counts from its memory.
LastInSync(f, received) == Last((IF stage[f] \in {"diff", "whole"} THEN <<applied[f]>> ELSE received) \o pending[f])

NextProposalInSync ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "SYNCHRONIZATION" /\ Pending(l, f, "PROPOSAL")
            => IsNext(LastInSync(f, log[f]), FirstOf(l, f).zxid)

NextProposalInBroadcast ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "BROADCAST" /\ Pending(l, f, "PROPOSAL") => IsNext(Last(log[f]), FirstOf(l, f).zxid)

\* I-14, bad commits. ZOOKEEPER-4394: in Synchronization, a commit finds a proposal.
CommitMatchesProposal ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "SYNCHRONIZATION" /\ Pending(l, f, "COMMIT") => pending[f] # <<>>

UnmaskedCommitMatchesProposal == Masked4394 \/ CommitMatchesProposal

CommitInTurn ==
    \A f, l \in Server :
        Follows(f, l) /\ phase[f] = "BROADCAST" /\ Pending(l, f, "COMMIT") /\ After(log[f], applied[f]) # <<>>
            => Head(After(log[f], applied[f])) = FirstOf(l, f).zxid

LeaderCommitsInTurn ==
    \A l \in Server :
        Leads(l) /\ phase[l] = "BROADCAST" /\ votes[l] # <<>> => IsNext(applied[l], Head(Outstanding(l)))
=============================================================================
