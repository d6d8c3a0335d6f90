------------------------------ MODULE Corridor ------------------------------
(* Two polite people meet in a corridor. Both step aside, to the same side,  *)
(* at the same time, and again: everybody moves and nobody gets anywhere.    *)
VARIABLES left, right,  \* the side on which each of them walks
          passed

vars == <<left, right, passed>>
Sides == {"window", "wall"}
Other(side) == CHOOSE s \in Sides : s # side

Init == left = "wall" /\ right = "wall" /\ passed = FALSE

BothStepAside == /\ ~passed /\ left = right
                 /\ left' = Other(left) /\ right' = Other(right)
                 /\ UNCHANGED passed

OneStepsAside == /\ ~passed /\ left = right
                 /\ left' = Other(left)
                 /\ UNCHANGED <<right, passed>>

Pass == /\ ~passed /\ left # right
        /\ passed' = TRUE
        /\ UNCHANGED <<left, right>>

Next == BothStepAside \/ OneStepsAside \/ Pass \/ (passed /\ UNCHANGED vars)
Polite == Init /\ [][Next]_vars /\ WF_vars(Next)
Spec == Polite /\ SF_vars(OneStepsAside)

TheyPass == <>passed
=============================================================================
