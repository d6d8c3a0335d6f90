-------------------------------- MODULE Data --------------------------------
(* Sets, tuples and functions, by example: each value is stated and checked. *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

(* Sets                                                                      *)
low == {0, 1, 2}
high == {2, 3, 4}
all == low \cup high

ASSUME all = {0, 1, 2, 3, 4}
ASSUME low \cap high = {2}
ASSUME \E x \in all : x > 3
ASSUME ~\E x \in all : x > 5
ASSUME ~\A x \in all : x < 3
ASSUME \A x \in all : x < 5
ASSUME {x \in all : x < 3} = {0, 1, 2}
ASSUME Cardinality(all) = 5
ASSUME all \ (low \cap high) = {0, 1, 3, 4}

(* Tuples                                                                    *)
first == <<0, 1, 2>>
second == <<2, 3, 4>>
both == first \o second

ASSUME both = <<0, 1, 2, 2, 3, 4>>
ASSUME Append(first, 3) = <<0, 1, 2, 3>>
ASSUME Head(first) = 0
ASSUME Tail(first) = <<1, 2>>
ASSUME Len(both) = 6
ASSUME \A i \in 1..Len(both) : both[i] # 10
ASSUME \E i \in 1..Len(both) : both[i] = 2
ASSUME {i \in 1..Len(both) : both[i] = 2} = {3, 4}

(* Functions                                                                 *)
zeros == [k \in {"a", "b", "c"} |-> 0]
ones == [k \in {"c", "d", "e"} |-> 1]
joined == zeros @@ ones     \* where both have a value, the left one counts
empty == [k \in {"a", "b", "c"} |-> {}]

ASSUME zeros["a"] = 0 /\ DOMAIN zeros = {"a", "b", "c"}
ASSUME joined = [a |-> 0, b |-> 0, c |-> 0, d |-> 1, e |-> 1]
ASSUME [k \in DOMAIN joined \ DOMAIN ones |-> joined[k]] = [a |-> 0, b |-> 0]
ASSUME [empty EXCEPT !["a"] = {"a", "b", "c"}] = [a |-> {"a", "b", "c"}, b |-> {}, c |-> {}]
=============================================================================
