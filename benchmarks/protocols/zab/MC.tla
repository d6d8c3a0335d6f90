---- MODULE MC ----
EXTENDS Zab
Params == [MaxTimeoutFailures |-> 1, MaxTransactionNum |-> 1, MaxEpoch |-> 2, MaxRestarts |-> 1]
====
