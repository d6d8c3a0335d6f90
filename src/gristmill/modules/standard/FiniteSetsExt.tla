---- MODULE FiniteSetsExt ----
\* Further operators on finite sets.
EXTENDS Integers, FiniteSets, Folds, Functions

\* The element of S that repeated choice would take last.
LOCAL TakenLast(S) ==
    LET left[T \in SUBSET S] ==
            LET x == CHOOSE x \in T : TRUE
            IN IF T = {x} THEN x ELSE left[T \ {x}]
    IN left[S]

\* op(z, ... op(y, op(x, base))) for the elements x, y, ..., z of set in the order of choice.
FoldSet(op(_, _), base, set) == MapThenFoldSet(op, base, LAMBDA x : x, TakenLast, set)

\* The sum of the numbers in set.
SumSet(set) == FoldSet(+, 0, set)

\* The product of the numbers in set.
ProductSet(set) == FoldSet(LAMBDA x, y : x * y, 1, set)

\* FoldSet with the arguments in another order.
ReduceSet(op(_, _), set, acc) == FoldSet(op, acc, set)

\* The sum of op(x) for x in set.
MapThenSumSet(op(_), set) == MapThenFoldSet(+, 0, op, TakenLast, set)

\* The union of the sets in S.
FlattenSet(S) == UNION S

\* What is in one of the two sets only.
SymDiff(A, B) == (A \cup B) \ (A \cap B)

\* The number of elements of S with property P.
Quantify(S, P(_)) == Cardinality({x \in S : P(x)})

\* The subsets of S with k elements.
kSubset(k, S) == {T \in SUBSET S : Cardinality(T) = k}

\* The largest and the smallest number in S.
Max(S) == CHOOSE m \in S : \A n \in S : n <= m
Min(S) == CHOOSE m \in S : \A n \in S : m <= n

\* The sets that can be formed by taking one element out of each of the sets.
Choices(Sets) ==
    LET takes == {f \in [Sets -> UNION Sets] : \A S \in Sets : f[S] \in S}
    IN {Range(f) : f \in takes}

\* The one element of S with property P.
ChooseUnique(S, P(_)) == CHOOSE x \in S : \A y \in S : P(y) <=> y = x
====
