----------------------------- MODULE SyncPr2111 -----------------------------
(***************************************************************************)
(* Synchronization as pull request 2111 of ZooKeeper has it: proposals are *)
(* on disk before the epoch is updated (ZOOKEEPER-4643), which is before   *)
(* NEWLEADER is acknowledged; proposals are acknowledged after UPTODATE.   *)
(***************************************************************************)
EXTENDS SyncThreadsCommon

FollowerLog(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ log' = [log EXCEPT ![f] = @ \o pending[f]]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "logged"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, applied, linkVars, leadVars, committing>>
    /\ UNCHANGED <<historyVars, threadVars>>

FollowerUpdateEpochAndAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "logged"
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, link, peerLast, cut, leadVars>>
    /\ UNCHANGED <<pending, committing, historyVars, threadVars>>

\* What it has logged on NEWLEADER is what it has logged and not applied.
FollowerUpToDateAndAck(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "UPTODATE")
    /\ phase' = [phase EXCEPT ![f] = "BROADCAST"]
    /\ queue' = [queue EXCEPT ![f] = @ \o pending[f]]
    /\ commits' = [commits EXCEPT ![f] = committing[f]]
    /\ stage' = [stage EXCEPT ![f] = "none"]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ committing' = [committing EXCEPT ![f] = <<>>]
    /\ net' = Sent(Taken(l, f), f, l,
                   <<Message("ACK", Head(net[l][f]).zxid)>> \o Each("ACK", After(log[f], applied[f])))
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, log, applied, link, peerLast, cut, leadVars, historyVars>>

Init == InitSyncThreads
=============================================================================
