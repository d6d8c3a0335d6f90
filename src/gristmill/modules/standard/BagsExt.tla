---- MODULE BagsExt ----
\* Further operators on bags.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

\* B with one more copy of x.
BagAdd(B, x) == B (+) SetToBag({x})

\* B with one copy of x less, if it has one.
BagRemove(B, x) == B (-) SetToBag({x})

\* B without its copies of x.
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]

\* Folds the copies of each element, from base, and then the results; the order is that of CHOOSE.
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET copies(x) ==
            LET folded[n \in 0..B[x]] == IF n = 0 THEN base ELSE op(folded[n - 1], f(x))
            IN folded[B[x]]
    IN MapThenFoldSet(op, base, copies, LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)

\* op(... op(op(base, x), y) ..., z) for all copies x, y, ..., z in B in the order of CHOOSE.
FoldBag(op(_, _), base, B) ==
    LET RECURSIVE from(_, _, _)
        \* Goes on from acc, which has the first n copies of the next element of D.
        from(acc, D, n) ==
            LET x == CHOOSE x \in D : TRUE
            IN IF D = {} THEN acc
               ELSE IF n < B[x] THEN from(op(acc, x), D, n + 1)
               ELSE from(acc, D \ {x}, 0)
    IN from(base, DOMAIN B, 0)

\* The sum of all copies in B.
SumBag(B) == FoldBag(+, 0, B)

\* The product of all copies in B.
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
====
