------------------------------- MODULE Counter -------------------------------
(* Count to three; then back to two and up again, for ever.                  *)
EXTENDS Naturals

VARIABLE count

Init == count = 0
Up == count < 3 /\ count' = count + 1
Back == count = 3 /\ count' = count - 1

Spec == Init /\ [][Up \/ Back]_count /\ WF_count(Up \/ Back)
UpOnly == Init /\ [][Up]_count /\ WF_count(Up)
MayStop == Init /\ [][Up \/ Back]_count

TypeOK == count \in 0..3
AgainAndAgain == []<>(count = 3)
ForGood == <>[](count = 3)
ThreeComes == count = 0 ~> count = 3
FourComes == count = 0 ~> count = 4     \* it does not
FromFour == count = 4 ~> count = 3      \* there is nothing to begin with
==============================================================================
