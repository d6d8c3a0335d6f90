------------------------------ MODULE Elevator ------------------------------
(* An elevator that goes up or down one floor at a time, as it likes. What   *)
(* does it take to be sure that it gets to the top?                          *)
EXTENDS Integers

CONSTANT Top
Bottom == 1

VARIABLE floor

Init == floor = Bottom
Up == floor < Top /\ floor' = floor + 1
Down == floor > Bottom /\ floor' = floor - 1
Next == Up \/ Down

Unfair == Init /\ [][Next]_floor
Weak == Unfair /\ WF_floor(Up) /\ WF_floor(Down)
StrongUp == Unfair /\ SF_floor(Up) /\ WF_floor(Down)
WeakPerFloor == Unfair /\ WF_floor(Down) /\ \A f \in Bottom..Top - 1 : WF_floor(floor = f /\ Up)
StrongPerFloor == Unfair /\ WF_floor(Down) /\ \A f \in Bottom..Top - 1 : SF_floor(floor = f /\ Up)

TypeOK == floor \in Bottom..Top
LeavesTheFirst == floor = 1 ~> floor = 2
ReachesTheTop == floor = Bottom ~> floor = Top
=============================================================================
