---- MODULE MC ----
EXTENDS MCetcdraft, TLC
CONSTANT MaxLevel
Bound == TLCGet("level") < MaxLevel
====
