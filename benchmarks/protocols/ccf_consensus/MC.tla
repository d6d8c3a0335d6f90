---- MODULE MC ----
EXTENDS MCccfraft
CONSTANT MaxLevel
Three == <<{NodeOne, NodeTwo, NodeThree}>>
One == 1
Bound == TLCGet("level") < MaxLevel
====
