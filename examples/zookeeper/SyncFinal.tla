------------------------------ MODULE SyncFinal -----------------------------
(***************************************************************************)
(* Synchronization as it was mended: history before epoch. On NEWLEADER a  *)
(* follower logs and applies what the leader has committed, then updates   *)
(* its epoch, then acknowledges. What is outstanding waits for UPTODATE,   *)
(* and is given to the threads with the commits that came meanwhile.       *)
(***************************************************************************)
EXTENDS SyncThreadsCommon

FollowerLogCommitted(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ log' = [log EXCEPT ![f] = @ \o CommittedPart(f)]
    /\ applied' = [applied EXCEPT ![f] = Max(@, Last(CommittedPart(f)))]
    /\ pending' = [pending EXCEPT ![f] = OtherPart(f)]
    /\ committing' = [committing EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "logged"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, linkVars, leadVars, historyVars, threadVars>>

FollowerUpdateEpoch(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "logged"
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ stage' = [stage EXCEPT ![f] = "updated"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, linkVars, leadVars, pending, committing>>
    /\ UNCHANGED <<historyVars, threadVars>>

FollowerAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "updated"
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\ UNCHANGED <<serverVars, link, peerLast, cut, leadVars, pending, committing, historyVars, threadVars>>

Init == InitSyncThreads
=============================================================================
