---- MODULE Handover ----
(* Workers take leases from one another: a lease is handed over, or split among two, and ends. Each worker remembers whom
   it has its lease from, so states mention pairs of workers, and which worker is which makes no difference. *)
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Worker, Nobody, MaxLeases
VARIABLES holds, from, messages

vars == <<holds, from, messages>>

TypeOK == /\ holds \subseteq Worker
          /\ from \in [Worker -> Worker \cup {Nobody}]
          /\ messages \subseteq Worker \X Worker

Init == /\ holds \in {{w} : w \in Worker}
        /\ from = [w \in Worker |-> Nobody]
        /\ messages = {}

\* w offers a lease to v.
Offer(w, v) == /\ w \in holds /\ v \notin holds
               /\ Cardinality(messages) < MaxLeases
               /\ messages' = messages \cup {<<w, v>>}
               /\ UNCHANGED <<holds, from>>

\* v takes it, whoever else has offered one.
Accept(w, v) == /\ <<w, v>> \in messages
                /\ messages' = messages \ {<<w, v>>}
                /\ v \notin holds
                /\ holds' = holds \cup {v}
                /\ from' = [from EXCEPT ![v] = w]

Release(w) == /\ w \in holds /\ Cardinality(holds) > 1
              /\ holds' = holds \ {w}
              /\ UNCHANGED <<from, messages>>

Next == \E w \in Worker : Release(w) \/ \E v \in Worker \ {w} : Offer(w, v) \/ Accept(w, v)

Spec == Init /\ [][Next]_vars

SomebodyHolds == holds # {}
Alike == Permutations(Worker)
====
