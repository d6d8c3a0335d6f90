---- MODULE RealTime ----
\* Real-time bounds on actions.
EXTENDS Reals

VARIABLE now

\* A takes place only after it was enabled for D without a break, and before it was so for more than E.
RTBound(A, v, D, E) ==
    LET Reset == <<A>>_v \/ ~(ENABLED <<A>>_v)'
        Ticks(t) == t' = (IF Reset THEN 0 ELSE t + (now' - now))
        IsTimer(t) == t = 0 /\ [][Ticks(t)]_<<t, v, now>>
        NotTooLate(t) == [](t <= E)
        NotTooEarly(t) == [][A => D <= t]_v
    IN \EE t : IsTimer(t) /\ NotTooLate(t) /\ NotTooEarly(t)

\* Time advances while v stands still, and passes every bound.
RTnow(v) ==
    LET Advance == /\ now' \in Real
                   /\ now < now'
                   /\ UNCHANGED v
    IN /\ now \in Real
       /\ [][Advance]_now
       /\ \A r \in Real : WF_now(Advance /\ r < now')
====
