------------------------------- MODULE Clock -------------------------------
(* A digital clock: 24 hours of 60 minutes, one minute a step.              *)
EXTENDS Naturals

VARIABLES hour, minute

vars == <<hour, minute>>

Init == hour = 0 /\ minute = 0

NextMinute == /\ minute < 59
              /\ minute' = minute + 1
              /\ hour' = hour

NextHour == /\ minute = 59
            /\ minute' = 0
            /\ hour' = (hour + 1) % 24

Next == NextMinute \/ NextHour

Unfair == Init /\ [][Next]_vars     \* allowed to stop at any minute
Spec == Unfair /\ WF_vars(Next)     \* not allowed to stop

TypeOK == hour \in 0..23 /\ minute \in 0..59

(* After the last minute of a day comes, some time, the first.              *)
Midnight == (hour = 23 /\ minute = 59) ~> (hour = 0 /\ minute = 0)

(* The actions do what their names say.                                     *)
NamesFit == [][/\ NextHour => hour' # hour
               /\ NextMinute => hour' = hour]_vars
=============================================================================
