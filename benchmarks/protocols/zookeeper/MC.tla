---- MODULE MC ----
EXTENDS ZkV3_7_0
CONSTANT MaxLevel
Params == [MaxTimeoutFailures |-> 1, MaxTransactionNum |-> 1, MaxEpoch |-> 2, MaxCrashes |-> 1, MaxPartitions |-> 1]
Bound == TLCGet("level") < MaxLevel
====
