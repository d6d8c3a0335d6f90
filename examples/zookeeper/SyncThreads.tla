----------------------------- MODULE SyncThreads ----------------------------
(***************************************************************************)
(* Synchronization, fine in atomicity and threads. What is to be logged    *)
(* goes into a queue that another thread (SyncRequestProcessor) works off, *)
(* what is to be committed into that of a third one (CommitProcessor).     *)
(*                                                                         *)
(* Updating the epoch and filling the queue is one step: the queue is in   *)
(* memory, so a crash between the two leaves what a crash after them does. *)
(* A queue that is left from an earlier epoch has been worked off by then, *)
(* which lets one queue a server do.                                       *)
(***************************************************************************)
EXTENDS SyncCommon

VARIABLES queue, commits

threadVars == <<queue, commits>>

LeaderSync(l, f) == LeaderSyncStep(l, f) /\ UNCHANGED threadVars
FollowerSync(f, l) == FollowerSyncStep(f, l) /\ UNCHANGED threadVars
SyncProposal(f, l) == SyncProposalStep(f, l) /\ UNCHANGED threadVars
SyncCommit(f, l) == SyncCommitStep(f, l) /\ UNCHANGED threadVars
LeaderAckNewLeader(l, f) == LeaderAckNewLeaderStep(l, f) /\ UNCHANGED threadVars
SyncCommitFails(f, l) ==
    /\ SyncCommitFailsStep(f, l)
    /\ commits' = [s \in Server |-> IF s \in Leaving(f) THEN <<>> ELSE commits[s]]
    /\ UNCHANGED queue

FollowerUpdateEpochAndQueue(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "NEWLEADER")
    /\ stage[f] \in {"diff", "whole"}
    /\ queue[f] = <<>>
    /\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]
    /\ queue' = [queue EXCEPT ![f] = pending[f]]
    /\ pending' = [pending EXCEPT ![f] = <<>>]
    /\ stage' = [stage EXCEPT ![f] = "queued"]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, log, applied, linkVars, leadVars, committing, decided, commits>>

FollowerReplyAck(f, l) ==
    /\ InSync(f, l)
    /\ stage[f] = "queued"
    /\ stage' = [stage EXCEPT ![f] = "acked"]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\ UNCHANGED <<serverVars, link, peerLast, cut, leadVars, pending, committing, decided, queue, commits>>

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
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, log, applied, link, peerLast, cut, leadVars, decided>>

Init ==
    /\ InitSync
    /\ queue = [s \in Server |-> <<>>]
    /\ commits = [s \in Server |-> <<>>]
=============================================================================
