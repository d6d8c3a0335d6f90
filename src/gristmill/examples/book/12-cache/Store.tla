-------------------------------- MODULE Store --------------------------------
(* A key-value store that writes to a cache, and to memory only what the     *)
(* cache gives up. So memory may be behind, and the cache is always right.   *)
EXTENDS Naturals

CONSTANTS Capacity, KeyAsValue,
          WriteBack     \* FALSE: forget what the cache gives up

VARIABLES recency, entries, memory,
          latency       \* how long the last write took: 10, or 100 without a place in the cache

Cache == INSTANCE LRU

Hit == 10
Miss == 100

Start == Cache!Empty /\ memory = <<>> /\ latency = 0

Update(key, value) ==
    /\ Cache!Put(key, value)
    /\ LET gone == IF WriteBack THEN Cache!Evicted(key) ELSE {}
       IN memory' = [k \in DOMAIN memory \cup gone |-> IF k \in gone THEN entries[k] ELSE memory[k]]
    /\ latency' = IF Cache!Has(key) THEN Hit ELSE Miss

Holds(key) == Cache!Has(key) \/ key \in DOMAIN memory
Read(key) == IF Cache!Has(key) THEN entries[key] ELSE memory[key]
==============================================================================
