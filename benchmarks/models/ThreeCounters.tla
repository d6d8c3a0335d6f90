---- MODULE ThreeCounters ----
\* Cheap steps, five from each state, so that what is measured is the check of the property: benchmarks/liveness_cost.py.
EXTENDS Naturals
CONSTANT N
VARIABLES a, b, c
Init == a = 0 /\ b = 0 /\ c = 0
A == a' = (a + 1) % N /\ UNCHANGED <<b, c>>
B == b' = (b + 1) % N /\ UNCHANGED <<a, c>>
C == c' = (c + 1) % N /\ UNCHANGED <<a, b>>
D == a' = (a + 7) % N /\ b' = (b + 3) % N /\ c' = c
E == a' = (a + 5) % N /\ b' = (b + 11) % N /\ c' = c
vars == <<a, b, c>>
Next == A \/ B \/ C \/ D \/ E
Spec == Init /\ [][Next]_vars /\ WF_vars(A) /\ WF_vars(B) /\ SF_vars(C)
Returns == (c = 3) ~> (c = 0)
====
