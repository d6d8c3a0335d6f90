---------------------------- MODULE SyncAtomicity ---------------------------
(***************************************************************************)
(* Synchronization, fine in atomicity: the file with the epoch is written  *)
(* before the transactions are, and a server can crash in between.         *)
(***************************************************************************)
EXTENDS SyncBaseline

FollowerUpdateEpoch(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ stage' = [stage EXCEPT ![f] = "epoch"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, linkVars, leadVars, pending, committing, historyVars>>

FollowerLogAndAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "epoch"
    /\ log' = [log EXCEPT ![f] = @ \o pending[f]]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>> \o Each("ACK", pending[f]))
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, applied, link, peerLast, cut>>
    /\ UNCHANGED <<leadVars, committing, historyVars>>
=============================================================================
