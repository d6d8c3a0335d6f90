--------------------------------- MODULE LRU ---------------------------------
(* A cache of a fixed size that gives up what was not used for the longest   *)
(* time. Operators only: who uses it says when they are steps.               *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Capacity,
          KeyAsValue    \* TRUE: a new entry is stored as in the book's listing, with its key for its value

VARIABLES recency,      \* the keys, the one used last at the end
          entries       \* from keys to values

Empty == recency = <<>> /\ entries = <<>>

Has(key) == key \in DOMAIN entries
IsFull == Cardinality(DOMAIN entries) = Capacity
Oldest == Head(recency)

(* What has to go to make room for a key.                                    *)
Evicted(key) == IF Has(key) \/ ~IsFull THEN {} ELSE {Oldest}

Put(key, value) ==
    LET gone == Evicted(key)
        stored(k) == IF KeyAsValue /\ ~Has(key) /\ ~IsFull THEN k
                     ELSE IF k = key THEN value ELSE entries[k]
    IN /\ recency' = Append(SelectSeq(recency, LAMBDA k : k \notin gone \cup {key}), key)
       /\ entries' = [k \in (DOMAIN entries \ gone) \cup {key} |-> stored(k)]

Consistent == /\ {recency[i] : i \in DOMAIN recency} = DOMAIN entries
              /\ Len(recency) = Cardinality(DOMAIN entries)
              /\ Len(recency) <= Capacity
==============================================================================
