---- MODULE BagsTheorems ----
\* Facts about bags.
EXTENDS Bags, TLC, TLAPS, FiniteSetTheorems, SequenceTheorems
LOCAL INSTANCE Naturals

\* The bag with n copies for each one in B.
Scaling(n, B) == IF n > 0 THEN [e \in DOMAIN B |-> B[e] * n] ELSE EmptyBag

\* The bag of the elements of seq.
SeqToBag(seq) == [e \in Range(seq) |-> Cardinality({i \in DOMAIN seq : seq[i] = e})]

\* Inclusion is reflexive.
THEOREM Bags_SqsubsetPO_Reflexivity ==
    ASSUME NEW X, IsABag(X)
    PROVE X \sqsubseteq X

\* Inclusion is antisymmetric.
THEOREM Bags_SqsubseteqPO_AntiSymmetry ==
    ASSUME NEW X, NEW Y, IsABag(X), IsABag(Y), X \sqsubseteq Y, Y \sqsubseteq X
    PROVE X = Y

\* Inclusion is transitive.
THEOREM Bags_SqsubseteqPO_Transitivity ==
    ASSUME NEW X, NEW Y, NEW Z, IsABag(X), IsABag(Y), IsABag(Z), X \sqsubseteq Y, Y \sqsubseteq Z
    PROVE X \sqsubseteq Z

\* The empty bag is the bag without elements.
THEOREM Bags_EmptyBag ==
    ASSUME NEW X, IsABag(X)
    PROVE /\ IsABag(EmptyBag)
          /\ X = EmptyBag <=> DOMAIN X = {}
          /\ DOMAIN EmptyBag = {}
          /\ EmptyBag \sqsubseteq X
          /\ \A e : ~BagIn(e, EmptyBag)

\* Scaling multiplies.
THEOREM Bags_Scaling ==
    ASSUME NEW X, IsABag(X), NEW j \in Nat, NEW k \in Nat
    PROVE /\ IsABag(Scaling(j, X))
          /\ Scaling(j, EmptyBag) = EmptyBag
          /\ Scaling(0, X) = EmptyBag
          /\ Scaling(1, X) = X
          /\ Scaling(j * k, X) = Scaling(j, Scaling(k, X))
          /\ j > 0 => DOMAIN Scaling(j, X) = DOMAIN X

\* From a set to a bag and back.
THEOREM Bags_Inverse ==
    ASSUME NEW A
    PROVE BagToSet(SetToBag(A)) = A

\* From a bag to a set and back.
THEOREM Bags_Inverse1 ==
    ASSUME NEW X, IsABag(X)
    PROVE SetToBag(BagToSet(X)) \sqsubseteq X

\* Different sets give different bags.
THEOREM Bags_SetToBagEquality ==
    ASSUME NEW A, NEW C
    PROVE A = C <=> SetToBag(A) = SetToBag(C)

\* Elements and copies of a union.
THEOREM Bags_Union ==
    ASSUME NEW X, NEW Y, IsABag(X), IsABag(Y)
    PROVE /\ IsABag(X (+) Y)
          /\ DOMAIN (X (+) Y) = DOMAIN X \cup DOMAIN Y
          /\ \A e : CopiesIn(e, X (+) Y) = CopiesIn(e, X) + CopiesIn(e, Y)

\* Elements and copies of a difference.
THEOREM Bags_Difference ==
    ASSUME NEW X, NEW Y, IsABag(X), IsABag(Y)
    PROVE /\ IsABag(X (-) Y)
          /\ DOMAIN (X (-) Y) = {e \in DOMAIN X : e \notin DOMAIN Y \/ X[e] > Y[e]}
          /\ \A e : CopiesIn(e, X (-) Y) =
                    IF BagIn(e, X (-) Y) THEN CopiesIn(e, X) - CopiesIn(e, Y) ELSE 0

\* The order of the two makes no difference to a union.
THEOREM Bags_UnionCommutative ==
    ASSUME NEW X, NEW Y, IsABag(X), IsABag(Y)
    PROVE X (+) Y = Y (+) X

\* Union is associative.
THEOREM Bags_UnionAssociative ==
    ASSUME NEW X, NEW Y, NEW Z, IsABag(X), IsABag(Y), IsABag(Z)
    PROVE (X (+) Y) (+) Z = X (+) (Y (+) Z)

\* A union includes its parts.
THEOREM Bags_UnionSqSubset ==
    ASSUME NEW X, NEW Y, IsABag(X), IsABag(Y)
    PROVE X \sqsubseteq X (+) Y

\* Scaling by more gives more.
THEOREM Bags_ScalingMonotonic ==
    ASSUME NEW X, IsABag(X), NEW j \in Nat, NEW k \in Nat, k <= j
    PROVE Scaling(k, X) \sqsubseteq Scaling(j, X)

\* A difference is included in what it is taken from.
THEOREM Bags_DifferenceSqsubset ==
    ASSUME NEW X, NEW Y, IsABag(X), IsABag(Y)
    PROVE X (-) Y \sqsubseteq X

\* The empty bag adds and removes nothing.
THEOREM Bags_EmptyBagOperations ==
    ASSUME NEW X, IsABag(X)
    PROVE X (+) EmptyBag = X /\ X (-) EmptyBag = X

\* A set becomes a bag.
THEOREM Bags_SetToBagIsABag ==
    ASSUME NEW A
    PROVE IsABag(SetToBag(A))

\* A larger bag has the elements and copies of a smaller one.
THEOREM Bags_CopiesInBagsInMonotone ==
    ASSUME NEW X, NEW Y, NEW e, IsABag(X), IsABag(Y), X \sqsubseteq Y
    PROVE /\ BagIn(e, X) => BagIn(e, Y)
          /\ CopiesIn(e, X) <= CopiesIn(e, Y)

\* Scaling multiplies the copies.
THEOREM Bags_CopiesInScaling ==
    ASSUME NEW X, IsABag(X), NEW k \in Nat, NEW e
    PROVE CopiesIn(e, Scaling(k, X)) = k * CopiesIn(e, X)

\* The bag of a set has one copy of each element.
THEOREM Bags_CopiesInSetToBag ==
    ASSUME NEW A, NEW e
    PROVE CopiesIn(e, SetToBag(A)) = IF e \in A THEN 1 ELSE 0

\* A sequence becomes a bag.
THEOREM Bags_IsABagSeqToBag ==
    ASSUME NEW A, NEW q \in Seq(A)
    PROVE IsABag(SeqToBag(q))
====
