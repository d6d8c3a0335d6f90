---- MODULE FiniteSets ----
\* Finiteness and size of sets.
LOCAL INSTANCE Naturals

\* S is finite: no injection of S into itself misses an element.
IsFiniteSet(S) ==
    \A f \in [S -> S] :
        (\A x, y \in S : x # y => f[x] # f[y]) => {f[x] : x \in S} = S

\* The number of elements of a finite set S.
Cardinality(S) ==
    LET size[T \in SUBSET S] ==
            IF T = {} THEN 0
            ELSE LET x == CHOOSE x \in T : TRUE
                 IN size[T \ {x}] + 1
    IN size[S]
====
