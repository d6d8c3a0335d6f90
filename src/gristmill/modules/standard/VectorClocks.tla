---- MODULE VectorClocks ----
\* Logs whose entries carry vector clocks: functions from nodes to numbers, 0 where they are not defined.
EXTENDS Naturals, Sequences, Functions

LOCAL Time(c, n) == IF n \in DOMAIN c THEN c[n] ELSE 0

\* c is behind d at some node.
LOCAL Behind(c, d) == \E n \in DOMAIN c \cup DOMAIN d : Time(c, n) < Time(d, n)

\* c is before d at some node and behind it at none.
LOCAL Precedes(c, d) == Behind(c, d) /\ ~Behind(d, c)

\* No entry of log stands behind one that it precedes or equals; clock is the vector clock of an entry.
IsCausalOrder(log, clock(_)) ==
    \A i \in 1..Len(log) : \A j \in 1..(i - 1) : Behind(clock(log[j]), clock(log[i]))

\* log in a causal order; of the entries that could come next, the first.
CausalOrder(log, clock(_), node(_), domain(_)) ==
    LET next(left) ==
            CHOOSE i \in left :
                /\ \A j \in left : ~Precedes(clock(log[j]), clock(log[i]))
                /\ \A k \in left : k < i => \E j \in left : Precedes(clock(log[j]), clock(log[k]))
        ordered[left \in SUBSET (1..Len(log))] ==
            IF left = {} THEN << >>
            ELSE LET i == next(left)
                 IN <<log[i]>> \o ordered[left \ {i}]
    IN ordered[1..Len(log)]
====
