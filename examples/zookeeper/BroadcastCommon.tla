-------------------------- MODULE BroadcastCommon ---------------------------
(***************************************************************************)
(* Broadcast, the leader's side. It is the same in all grains, and each    *)
(* makes actions of these steps: it says what else they leave alone.       *)
(***************************************************************************)
EXTENDS Links

VARIABLES
    votes,            \* Of a leader: for each outstanding proposal, who has logged it.
    proposed,         \* The transactions that clients have asked for, ever.
    decided           \* History: what leaders have committed so far.

\* Outstanding proposals are the last ones of the leader's log.
Outstanding(l) == SubSeq(log[l], Len(log[l]) - Len(votes[l]) + 1, Len(log[l]))

NextZxid(l) ==
    IF EpochOf(Last(log[l])) = currentEpoch[l] THEN Last(log[l]) + 1 ELSE Zxid(currentEpoch[l], 1)

\* A client writes. The leader logs it at once and so votes for it.
ClientRequestStep(l) ==
    LET zxid == NextZxid(l)
    IN
    /\ Leads(l) /\ phase[l] = "BROADCAST"
    /\ Cardinality(proposed) < MaxTransactions
    /\ proposed' = proposed \cup {zxid}
    /\ log' = [log EXCEPT ![l] = Append(@, zxid)]
    /\ votes' = [votes EXCEPT ![l] = Append(@, {l})]
    /\ net' = SentToAll(net, l, Forwarding(l), Message("PROPOSAL", zxid))
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, applied, link, peerLast, decided>>

(***************************************************************************)
(* An ACK for the oldest outstanding proposal may commit it. ACKs of       *)
(* NEWLEADER and UPTODATE (counter 0), of what is committed already, and   *)
(* of what nobody knows are thrown away.                                   *)
(***************************************************************************)
LeaderAckStep(l, f) ==
    LET zxid == Head(net[f][l]).zxid
        outstanding == Outstanding(l)
        voted == [k \in 1..Len(votes[l]) |-> IF outstanding[k] = zxid THEN votes[l][k] \cup {f} ELSE votes[l][k]]
        chosen == Len(voted) > 0 /\ outstanding[1] = zxid /\ IsQuorum(voted[1])
    IN
    /\ Leads(l) /\ phase[l] = "BROADCAST"
    /\ Follows(f, l) /\ link[f] = "acked"
    /\ Pending(f, l, "ACK")
    /\ IF chosen
       THEN /\ votes' = [votes EXCEPT ![l] = Tail(voted)]
            /\ applied' = [applied EXCEPT ![l] = zxid]
            /\ decided' = UpTo(log[l], zxid)
            /\ net' = SentToAll(Taken(f, l), l, Forwarding(l), Message("COMMIT", zxid))
       ELSE /\ votes' = [votes EXCEPT ![l] = voted]
            /\ net' = Taken(f, l)
            /\ UNCHANGED <<applied, decided>>
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, log, link, peerLast, proposed>>

InBroadcast(f, l) == Follows(f, l) /\ phase[f] = "BROADCAST"

InitBroadcast ==
    /\ InitServers
    /\ InitLinks
    /\ votes = [s \in Server |-> <<>>]
    /\ proposed = {}
    /\ decided = <<>>
=============================================================================
