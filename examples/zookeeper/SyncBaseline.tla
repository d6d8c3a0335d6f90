---------------------------- MODULE SyncBaseline ----------------------------
(***************************************************************************)
(* Synchronization, baseline: a follower handles NEWLEADER and UPTODATE in *)
(* one step each, as the protocol demands of it.                           *)
(***************************************************************************)
EXTENDS SyncCommon

LeaderSync(l, f) == LeaderSyncStep(l, f) /\ UNCHANGED cut
FollowerSync(f, l) == FollowerSyncStep(f, l) /\ UNCHANGED cut
SyncProposal(f, l) == SyncProposalStep(f, l) /\ UNCHANGED cut
SyncCommit(f, l) == SyncCommitStep(f, l) /\ UNCHANGED cut
SyncCommitFails(f, l) == SyncCommitFailsStep(f, l) /\ UNCHANGED cut
LeaderAckNewLeader(l, f) == LeaderAckNewLeaderStep(l, f) /\ UNCHANGED cut

FollowerNewLeader(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ log' = [log EXCEPT ![f] = @ \o pending[f]]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>> \o Each("ACK", pending[f]))
    /\ UNCHANGED <<phase, leader, acceptedEpoch, applied, link, peerLast, cut, leadVars, committing, historyVars>>

FollowerUpToDate(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "UPTODATE")
    /\ phase' = [phase EXCEPT ![f] = "BROADCAST"]
    /\ log' = [log EXCEPT ![f] = @ \o pending[f]]
    /\ applied' = [applied EXCEPT ![f] = Max(@, Last(committing[f]))]
    /\ stage' = [stage EXCEPT ![f] = "none"]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ committing' = [committing EXCEPT ![f] = <<>>]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>> \o Each("ACK", pending[f]))
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, link, peerLast, cut, leadVars, historyVars>>

Init == InitSync
=============================================================================
