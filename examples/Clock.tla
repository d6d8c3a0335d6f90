------------------------------- MODULE Clock -------------------------------
(* A digital clock that shows hours and minutes.                           *)
EXTENDS Naturals

VARIABLES hour, minute

vars == <<hour, minute>>

Init == hour = 0 /\ minute = 0

NextMinute == /\ minute < 59
              /\ minute' = minute + 1
              /\ UNCHANGED hour

NextHour == /\ minute = 59
            /\ minute' = 0
            /\ hour' = (hour + 1) % 24

Next == NextMinute \/ NextHour

Spec == Init /\ [][Next]_vars

TypeOK == hour \in 0..23 /\ minute \in 0..59

(* Hours change only when a full hour has passed.                          *)
OnTheHour == [][hour' /= hour => minute = 59 /\ minute' = 0]_vars
=============================================================================
