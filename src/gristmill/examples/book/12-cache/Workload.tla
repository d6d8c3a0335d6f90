------------------------------- MODULE Workload -------------------------------
(* Somebody who writes to the store: keys in the cache four times as often    *)
(* as others. It remembers what it wrote, to compare with what it reads, and  *)
(* how long that took, to be drawn.                                           *)
EXTENDS Naturals, Sequences, CSV, TLC

CONSTANTS Keys, Values, Capacity, KeyAsValue, WriteBack

VARIABLES recency, entries, memory, latency,
          written       \* the value last written of each key

vars == <<recency, entries, memory, latency, written>>

KV == INSTANCE Store
Cache == INSTANCE LRU

Init == KV!Start /\ written = <<>>

Write(key, value) == /\ KV!Update(key, value)
                     /\ written' = [k \in DOMAIN written \cup {key} |-> IF k = key THEN value ELSE written[k]]

Cached == DOMAIN entries
Others == Keys \ Cached

AnyWrite == \E key \in Keys, value \in Values : Write(key, value)
Spec == Init /\ [][AnyWrite]_vars

(* What the book does: eight of ten choices are of a key in the cache. But    *)
(* there is a choice for each key, too, and they all count the same.          *)
Choices == \E p \in 1..10 : \E key \in (IF p > 2 THEN Cached ELSE Others), value \in Values : Write(key, value)

(* Eight times in ten, however many keys there are.                           *)
Sometimes == LET p == RandomElement(1..10)
             IN \E key \in (IF p > 2 /\ Cached # {} THEN Cached ELSE Others), value \in Values : Write(key, value)

-------------------------------------------------------------------------------
ReadsWhatWasWritten == \A key \in DOMAIN written : KV!Holds(key) /\ KV!Read(key) = written[key]
CacheConsistent == Cache!Consistent

(* The book's listing takes the key out of `written` where it means to add    *)
(* it: nothing is ever remembered, and this is true of nothing.               *)
ForgetfulWrite(key, value) == /\ KV!Update(key, value)
                              /\ written' = [k \in DOMAIN written \ {key} |-> IF k = key THEN value ELSE written[k]]
ForgetfulNext == \E key \in Keys, value \in Values : ForgetfulWrite(key, value)

Sample == latency > 0 => CSVWrite("%1$s", <<latency>>, "latency.csv")
===============================================================================
