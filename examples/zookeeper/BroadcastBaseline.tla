------------------------- MODULE BroadcastBaseline --------------------------
(***************************************************************************)
(* Broadcast, baseline: a follower logs a proposal and acknowledges it in  *)
(* one step, and applies a commit when it comes.                           *)
(***************************************************************************)
EXTENDS BroadcastCommon

ClientRequest(l) == ClientRequestStep(l) /\ UNCHANGED cut
LeaderAck(l, f) == LeaderAckStep(l, f) /\ UNCHANGED cut

FollowerProposal(f, l) ==
    LET zxid == Head(net[l][f]).zxid
    IN
    /\ InBroadcast(f, l)
    /\ Pending(l, f, "PROPOSAL")
    /\ log' = [log EXCEPT ![f] = Append(@, zxid)]
    /\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", zxid)>>)
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, applied, link, peerLast, cut>>
    /\ UNCHANGED <<votes, proposed, decided>>

\* A commit of a transaction that is not there is ignored; one out of turn stops the server.
FollowerCommit(f, l) ==
    LET zxid == Head(net[l][f]).zxid
        waiting == After(log[f], applied[f])
    IN
    /\ InBroadcast(f, l)
    /\ Pending(l, f, "COMMIT")
    /\ waiting # <<>> => Head(waiting) = zxid
    /\ applied' = [applied EXCEPT ![f] = IF waiting = <<>> THEN @ ELSE zxid]
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, log, link, peerLast, cut>>
    /\ UNCHANGED <<votes, proposed, decided>>

Init == InitBroadcast
=============================================================================
