---- MODULE Toolbox ----
\* The error trace to which trace expressions refer.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

\* The states of the error trace, in order.
_TETrace == CHOOSE t \in [Nat \ {0} -> STRING] : TRUE

\* The position of the current state in the error trace, between 1 and its length.
_TEPosition ==
    LET last == Cardinality(DOMAIN _TETrace)
        level == TLCGet("level")
    IN CASE level >= last -> last
         [] level < last /\ level = 0 -> 1
         [] OTHER -> level
====
