----------------------------- MODULE SyncThreads ----------------------------
(***************************************************************************)
(* Synchronization, fine in atomicity and threads, as in version 3.9.1: on *)
(* NEWLEADER a follower updates its epoch and leaves the proposals to the  *)
(* logging thread; the acknowledgment races with those of the thread.      *)
(*                                                                         *)
(* Updating the epoch and filling the queue is one step: the queue is in   *)
(* memory, so a crash between the two leaves what a crash after them does. *)
(* A queue that is left from an earlier epoch has been worked off by then, *)
(* which lets one queue a server do.                                       *)
(***************************************************************************)
EXTENDS SyncThreadsCommon

FollowerUpdateEpochAndQueue(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ queue[f] = <<>>
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ queue' = [queue EXCEPT ![f] = pending[f]]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "queued"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, linkVars, leadVars, committing, historyVars, commits>>

FollowerReplyAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "queued"
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\ UNCHANGED <<serverVars, link, peerLast, cut, leadVars, pending, committing, historyVars, queue, commits>>

Init == InitSyncThreads
=============================================================================
