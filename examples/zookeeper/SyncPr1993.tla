----------------------------- MODULE SyncPr1993 -----------------------------
(***************************************************************************)
(* Synchronization as pull request 1993 of ZooKeeper has it: proposals are *)
(* on disk before NEWLEADER is acknowledged (ZOOKEEPER-4646), and are      *)
(* acknowledged after it (ZOOKEEPER-4685).                                 *)
(***************************************************************************)
EXTENDS SyncThreadsCommon

FollowerUpdateEpoch(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ stage' = [stage EXCEPT ![f] = "epoch"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, linkVars, leadVars, pending, committing>>
    /\ UNCHANGED <<historyVars, threadVars>>

FollowerLogAndAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "epoch"
    /\ log' = [log EXCEPT ![f] = @ \o pending[f]]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>> \o Each("ACK", pending[f]))
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, applied, link, peerLast, cut>>
    /\ UNCHANGED <<leadVars, committing, historyVars, threadVars>>

Init == InitSyncThreads
=============================================================================
