----------------------------- MODULE Invariants -----------------------------
(***************************************************************************)
(* What Zab promises (I-1 to I-10). Transactions are delivered to clients  *)
(* by servers in Broadcast: what those have applied.                       *)
(***************************************************************************)
EXTENDS Links

VARIABLES proposed, decided, establishedEpoch

Delivered(s) == IF phase[s] = "BROADCAST" THEN Committed(s) ELSE <<>>
DeliveredSet(s) == Members(Delivered(s))
Before(a, b, zxids) == \E i, j \in 1..Len(zxids) : i < j /\ zxids[i] = a /\ zxids[j] = b
IsEstablished(s) == Leads(s) /\ phase[s] \in Established

\* I-1: an epoch has one established leader, also when that one is gone; epochs of later leaders are newer.
PrimaryUniqueness ==
    \A s \in Server : Leads(s) =>
        /\ phase[s] = "SYNCHRONIZATION" => currentEpoch[s] > establishedEpoch
        /\ phase[s] = "BROADCAST" => currentEpoch[s] = establishedEpoch
        /\ \A t \in Server : IsEstablished(s) /\ IsEstablished(t) /\ currentEpoch[t] = currentEpoch[s] => t = s

\* I-2: what is delivered has been broadcast.
Integrity == \A s \in Server : DeliveredSet(s) \subseteq proposed

\* I-3: of two servers one has delivered whatever the other has.
Agreement ==
    \A s, t \in Server : \A a \in DeliveredSet(s), b \in DeliveredSet(t) :
        a \in DeliveredSet(t) \/ b \in DeliveredSet(s)

\* I-4: all deliver in the same order, and without gaps.
TotalOrder ==
    \A s, t \in Server : \A i, j \in 1..Len(Delivered(s)) :
        i < j /\ Delivered(s)[j] \in DeliveredSet(t) => Before(Delivered(s)[i], Delivered(s)[j], Delivered(t))

\* I-5: what one leader broadcasts is delivered in that order.
LocalPrimaryOrder ==
    \A a, b \in proposed : a < b /\ EpochOf(a) = EpochOf(b) =>
        \A s \in Server : b \in DeliveredSet(s) => Before(a, b, Delivered(s))

\* I-6: epochs are delivered in their order.
GlobalPrimaryOrder ==
    \A s \in Server : \A i, j \in 1..Len(Delivered(s)) :
        EpochOf(Delivered(s)[i]) < EpochOf(Delivered(s)[j]) => i < j

\* I-7: a leader that broadcasts has what was delivered in earlier epochs.
PrimaryIntegrity ==
    \A l \in Server : Leads(l) /\ phase[l] = "BROADCAST" /\ EpochOf(Last(log[l])) = currentEpoch[l] =>
        \A s \in Server : \A a \in DeliveredSet(s) : EpochOf(a) < currentEpoch[l] => a \in Members(log[l])

(***************************************************************************)
(* I-8: a leader starts with everything that leaders before it have        *)
(* committed: their initial histories, which an established leader takes   *)
(* for committed, and what they have added to it.                          *)
(***************************************************************************)
InitialHistoryIntegrity ==
    \A l \in Server : IsEstablished(l) /\ currentEpoch[l] >= EpochOf(Last(decided)) => IsPrefix(decided, log[l])

\* I-9: a server that has delivered a transaction of its epoch has delivered what the epoch started with.
CommitConsistency ==
    \A l, f \in Server : Leads(l) /\ phase[l] = "BROADCAST" /\ Follows(f, l) =>
        /\ IsPrefix(Delivered(f), Delivered(l))
        /\ EpochOf(Last(Delivered(f))) = currentEpoch[l] =>
               IsPrefix(UpTo(log[l], Zxid(currentEpoch[l], 0)), Delivered(f))

\* I-10: logs of servers that serve in one epoch agree, and the leader's is the longest.
HistoryConsistency ==
    \A s, t \in Server :
        leader[s] # Nobody /\ leader[s] = leader[t] /\ phase[s] = "BROADCAST" /\ phase[t] = "BROADCAST" =>
        /\ IsPrefix(log[s], log[t]) \/ IsPrefix(log[t], log[s])
        /\ Leads(s) => IsPrefix(log[t], log[s])
=============================================================================
