---- MODULE MC ----
\* ongardie's Raft within bounds: terms, entries, different messages each at most once, and how deep.
EXTENDS raft
CONSTANTS MaxTerm, MaxMsgs, MaxLog, MaxLevel
Bound == /\ \A i \in Server : currentTerm[i] <= MaxTerm /\ Len(log[i]) <= MaxLog
         /\ Cardinality(DOMAIN messages) <= MaxMsgs
         /\ \A m \in DOMAIN messages : messages[m] <= 1
         /\ TLCGet("level") < MaxLevel
OneLeader == \A i, j \in Server : state[i] = Leader /\ state[j] = Leader /\ currentTerm[i] = currentTerm[j] => i = j
====
