---- MODULE Pipeline ----
(* Items pass through stages in order. Between two stages there is a buffer of limited room: a stage that has finished an
   item keeps it until there is room. The number of states is known beforehand: benchmarks/large_models.py counts them. *)
EXTENDS Naturals
CONSTANTS Stages, Items, Room
VARIABLES taken,   \* how many items each stage has taken
          busy     \* whether it is working on the last of them, or cannot get rid of it

vars == <<taken, busy>>
Stage == 1..Stages

Passed(s) == IF busy[s] THEN taken[s] - 1 ELSE taken[s]
Waiting(s) == IF s = 1 THEN Items - taken[1] ELSE Passed(s - 1) - taken[s]

TypeOK == /\ taken \in [Stage -> 0..Items]
          /\ busy \in [Stage -> BOOLEAN]
Bounded == \A s \in Stage \ {1} : Waiting(s) <= Room

Init == /\ taken = [s \in Stage |-> 0]
        /\ busy = [s \in Stage |-> FALSE]

Take(s) == /\ ~busy[s] /\ Waiting(s) > 0
           /\ taken' = [taken EXCEPT ![s] = @ + 1]
           /\ busy' = [busy EXCEPT ![s] = TRUE]

Pass(s) == /\ busy[s] /\ (s < Stages => Waiting(s + 1) < Room)
           /\ busy' = [busy EXCEPT ![s] = FALSE]
           /\ UNCHANGED taken

Next == \E s \in Stage : Take(s) \/ Pass(s)
Spec == Init /\ [][Next]_vars
====
