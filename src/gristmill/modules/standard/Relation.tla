---- MODULE Relation ----
\* Properties of relations on a set S: either R, a function on pairs with R[x, y] TRUE when x is related to y,
\* or (the operators ...Under) op with op(x, y) for the same.
EXTENDS Naturals, FiniteSets

\* Each element is related to itself.
IsReflexive(R, S) == \A x \in S : R[x, x]
IsReflexiveUnder(op(_, _), S) == IsReflexive([x, y \in S |-> op(x, y)], S)

\* No element is related to itself.
IsIrreflexive(R, S) == ~\E x \in S : R[x, x]
IsIrreflexiveUnder(op(_, _), S) == IsIrreflexive([x, y \in S |-> op(x, y)], S)

\* If one is related to the other, so is the other to the one.
IsSymmetric(R, S) == \A x, y \in S : R[x, y] => R[y, x]
IsSymmetricUnder(op(_, _), S) == IsSymmetric([x, y \in S |-> op(x, y)], S)

\* Two different elements are not related both ways.
IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAntiSymmetricUnder(op(_, _), S) == IsAntiSymmetric([x, y \in S |-> op(x, y)], S)

\* No two elements, different or not, are related both ways.
IsAsymmetric(R, S) == \A x, y \in S : R[x, y] => ~R[y, x]
IsAsymmetricUnder(op(_, _), S) == IsAsymmetric([x, y \in S |-> op(x, y)], S)

\* Related in two steps means related.
IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsTransitiveUnder(op(_, _), S) == IsTransitive([x, y \in S |-> op(x, y)], S)

\* A strict partial order.
IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) == IsStrictlyPartiallyOrdered([x, y \in S |-> op(x, y)], S)

\* A partial order.
IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(op(_, _), S) == IsPartiallyOrdered([x, y \in S |-> op(x, y)], S)

\* A strict total order.
IsStrictlyTotallyOrdered(R, S) ==
    IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x = y \/ R[x, y] \/ R[y, x]
IsStrictlyTotallyOrderedUnder(op(_, _), S) == IsStrictlyTotallyOrdered([x, y \in S |-> op(x, y)], S)

\* A total order.
IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]
IsTotallyOrderedUnder(op(_, _), S) == IsTotallyOrdered([x, y \in S |-> op(x, y)], S)

\* Related in one or more steps, for a finite S: paths through more and more intermediate elements.
TransitiveClosure(R, S) ==
    LET through[T \in SUBSET S] ==
            IF T = {} THEN [x, y \in S |-> R[x, y]]
            ELSE LET z == CHOOSE z \in T : TRUE
                     r == through[T \ {z}]
                 IN [x, y \in S |-> r[x, y] \/ (r[x, z] /\ r[z, y])]
    IN through[S]

\* Equal or related in one or more steps.
ReflexiveTransitiveClosure(R, S) ==
    LET closure == TransitiveClosure(R, S)
    IN [x, y \in S |-> x = y \/ closure[x, y]]

\* Any element is related to any other in some number of steps.
IsConnected(R, S) ==
    LET closure == TransitiveClosure(R, S)
    IN \A x, y \in S : x = y \/ closure[x, y]
====
