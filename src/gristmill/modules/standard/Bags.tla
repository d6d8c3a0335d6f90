---- MODULE Bags ----
\* Bags (multisets): functions from the elements to their positive numbers of copies.
EXTENDS TLC
LOCAL INSTANCE Naturals

\* B is a bag.
IsABag(B) == B \in [DOMAIN B -> Nat \ {0}]

\* The set of elements of B.
BagToSet(B) == DOMAIN B

\* The bag with one copy of each element of S.
SetToBag(S) == [e \in S |-> 1]

\* e occurs in B.
BagIn(e, B) == e \in BagToSet(B)

\* The bag without elements.
EmptyBag == SetToBag({})

\* The number of copies of e in B.
CopiesIn(e, B) == IF BagIn(e, B) THEN B[e] ELSE 0

\* Union: copies add up.
A (+) B == [e \in DOMAIN A \cup DOMAIN B |-> CopiesIn(e, A) + CopiesIn(e, B)]

\* Difference: each copy in B takes one copy out of A.
A (-) B ==
    LET more == {e \in DOMAIN A : A[e] > CopiesIn(e, B)}
    IN [e \in more |-> A[e] - CopiesIn(e, B)]

\* Inclusion: B has at least the copies that A has.
A \sqsubseteq B == \A e \in DOMAIN A : BagIn(e, B) /\ A[e] <= B[e]

\* The union of all bags in the finite set S.
BagUnion(S) ==
    LET joined[T \in SUBSET S] ==
            IF T = {} THEN EmptyBag
            ELSE LET B == CHOOSE B \in T : TRUE
                 IN B (+) joined[T \ {B}]
    IN joined[S]

\* All bags included in the finite bag B.
SubBag(B) ==
    LET within[D \in SUBSET DOMAIN B] ==
            IF D = {} THEN {EmptyBag}
            ELSE LET x == CHOOSE x \in D : TRUE
                     rest == within[D \ {x}]
                 IN rest \cup {b (+) [e \in {x} |-> k] : b \in rest, k \in 1..B[x]}
    IN within[DOMAIN B]

\* The total number of copies in the finite bag B.
BagCardinality(B) ==
    LET total[D \in SUBSET DOMAIN B] ==
            IF D = {} THEN 0
            ELSE LET x == CHOOSE x \in D : TRUE
                 IN B[x] + total[D \ {x}]
    IN total[DOMAIN B]

\* The bag of the values of F, one copy for each copy of an argument in B.
BagOfAll(F(_), B) ==
    [v \in {F(e) : e \in DOMAIN B} |->
        BagCardinality([e \in {x \in DOMAIN B : F(x) = v} |-> B[e]])]
====
