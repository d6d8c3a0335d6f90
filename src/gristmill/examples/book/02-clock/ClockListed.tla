----------------------------- MODULE ClockListed -----------------------------
(* The listing at the end of chapter 2 has the names of the two actions      *)
(* the wrong way round. Their disjunction is the same, and so are all states *)
(* and steps: only a property that speaks of the names can tell.             *)
EXTENDS Naturals

VARIABLES hour, minute

vars == <<hour, minute>>

Init == hour = 0 /\ minute = 0

NextHour == minute < 59 /\ minute' = minute + 1 /\ hour' = hour
NextMinute == minute = 59 /\ minute' = 0 /\ hour' = (hour + 1) % 24

Next == NextMinute \/ NextHour

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

TypeOK == hour \in 0..23 /\ minute \in 0..59
Midnight == (hour = 23 /\ minute = 59) ~> (hour = 0 /\ minute = 0)
NamesFit == [][/\ NextHour => hour' # hour
               /\ NextMinute => hour' = hour]_vars
=============================================================================
