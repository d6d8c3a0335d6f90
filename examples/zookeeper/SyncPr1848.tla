----------------------------- MODULE SyncPr1848 -----------------------------
(***************************************************************************)
(* Synchronization as pull request 1848 of ZooKeeper has it: what the      *)
(* leader has committed is logged and applied before NEWLEADER is          *)
(* acknowledged, what is outstanding waits for UPTODATE. The epoch is      *)
(* still updated first.                                                    *)
(***************************************************************************)
EXTENDS SyncThreadsCommon

FollowerUpdateEpoch(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ stage' = [stage EXCEPT ![f] = "epochThenCommitted"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, linkVars, leadVars, pending, committing>>
    /\ UNCHANGED <<historyVars, threadVars>>

FollowerLogCommittedAndAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "epochThenCommitted"
    /\ log' = [log EXCEPT ![f] = @ \o CommittedPart(f)]
    /\ applied' = [applied EXCEPT ![f] = Max(@, Last(CommittedPart(f)))]
    /\ pending' = [pending EXCEPT ![f] = OtherPart(f)]
    /\ committing' = [committing EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, link, peerLast, cut, leadVars, historyVars, threadVars>>

Init == InitSyncThreads
=============================================================================
