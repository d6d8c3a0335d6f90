---- MODULE FiniteSetTheorems ----
\* Facts about finite sets and their sizes.
EXTENDS FiniteSets, Integers, Functions, WellFoundedInduction

\* Finite means: the image of an interval of numbers.
LEMMA FS_NatSurjection ==
    ASSUME NEW A
    PROVE IsFiniteSet(A) <=> \E k \in Nat : ExistsSurjection(1..k, A)

\* Finite means: in bijection with an interval of numbers.
LEMMA FS_NatBijection ==
    ASSUME NEW A
    PROVE IsFiniteSet(A) <=> \E k \in Nat : ExistsBijection(1..k, A)

\* The size is the length of that interval.
LEMMA FS_CountingElements ==
    ASSUME NEW A, NEW k \in Nat, ExistsBijection(1..k, A)
    PROVE Cardinality(A) = k

\* An image of an interval is not larger.
THEOREM FS_SurjCardinalityBound ==
    ASSUME NEW A, NEW k \in Nat, ExistsSurjection(1..k, A)
    PROVE Cardinality(A) <= k

\* The size is a number, and counts.
THEOREM FS_CardinalityType ==
    ASSUME NEW A, IsFiniteSet(A)
    PROVE Cardinality(A) \in Nat /\ ExistsBijection(1..Cardinality(A), A)

\* A bijection keeps the size.
THEOREM FS_Bijection ==
    ASSUME NEW A, NEW B, IsFiniteSet(A), ExistsBijection(A, B)
    PROVE IsFiniteSet(B) /\ Cardinality(B) = Cardinality(A)

\* Between sets of one size there is a bijection.
THEOREM FS_SameCardinalityBij ==
    ASSUME NEW A, NEW B, IsFiniteSet(A), IsFiniteSet(B), Cardinality(A) = Cardinality(B)
    PROVE ExistsBijection(A, B)

\* A surjection between sets of one size is injective.
THEOREM FS_SurjSameCardinalityImpliesInj ==
    ASSUME NEW A, NEW B, IsFiniteSet(A), Cardinality(A) = Cardinality(B), NEW g \in Surjection(A, B)
    PROVE g \in Injection(A, B)

\* A surjection does not enlarge.
THEOREM FS_Surjection ==
    ASSUME NEW A, NEW B, NEW g \in Surjection(A, B), IsFiniteSet(A)
    PROVE /\ IsFiniteSet(B)
          /\ Cardinality(B) <= Cardinality(A)
          /\ Cardinality(B) = Cardinality(A) <=> g \in Injection(A, B)

\* The values of an operator are not more than its arguments.
THEOREM FS_Image ==
    ASSUME NEW A, IsFiniteSet(A), NEW F(_)
    PROVE LET B == {F(e) : e \in A}
          IN IsFiniteSet(B) /\ Cardinality(B) <= Cardinality(A)

\* An injection does not shrink.
THEOREM FS_Injection ==
    ASSUME NEW A, NEW B, NEW g \in Injection(A, B), IsFiniteSet(B)
    PROVE /\ IsFiniteSet(A)
          /\ Cardinality(A) <= Cardinality(B)
          /\ Cardinality(A) = Cardinality(B) <=> g \in Surjection(A, B)

\* A function into a smaller set has a value twice.
THEOREM FS_PigeonHole ==
    ASSUME NEW A, IsFiniteSet(A), NEW B, IsFiniteSet(B), Cardinality(B) < Cardinality(A), NEW g \in [A -> B]
    PROVE \E d, e \in A : d # e /\ g[d] = g[e]

\* The empty set is the one of size 0.
THEOREM FS_EmptySet ==
    /\ IsFiniteSet({})
    /\ Cardinality({}) = 0
    /\ \A A : IsFiniteSet(A) => (Cardinality(A) = 0 <=> A = {})

\* One element more.
THEOREM FS_AddElement ==
    ASSUME NEW A, NEW e, IsFiniteSet(A)
    PROVE /\ IsFiniteSet(A \cup {e})
          /\ Cardinality(A \cup {e}) = IF e \in A THEN Cardinality(A) ELSE Cardinality(A) + 1

\* One element less.
THEOREM FS_RemoveElement ==
    ASSUME NEW A, NEW e, IsFiniteSet(A)
    PROVE /\ IsFiniteSet(A \ {e})
          /\ Cardinality(A \ {e}) = IF e \in A THEN Cardinality(A) - 1 ELSE Cardinality(A)

\* The sets of one element are those of size 1.
THEOREM FS_Singleton ==
    /\ \A e : IsFiniteSet({e}) /\ Cardinality({e}) = 1
    /\ \A A : IsFiniteSet(A) => (Cardinality(A) = 1 <=> \E e : A = {e})

\* A subset is not larger, and as large only if it is all.
THEOREM FS_Subset ==
    ASSUME NEW A, IsFiniteSet(A), NEW B \in SUBSET A
    PROVE /\ IsFiniteSet(B)
          /\ Cardinality(B) <= Cardinality(A)
          /\ Cardinality(A) = Cardinality(B) => A = B

\* The size of an interval.
THEOREM FS_Interval ==
    ASSUME NEW lo \in Int, NEW hi \in Int
    PROVE /\ IsFiniteSet(lo..hi)
          /\ Cardinality(lo..hi) = IF lo > hi THEN 0 ELSE hi - lo + 1

\* A set of numbers with a bound is finite.
THEOREM FS_BoundedSetOfNaturals ==
    ASSUME NEW A \in SUBSET Nat, NEW bound \in Nat, \A k \in A : k <= bound
    PROVE IsFiniteSet(A) /\ Cardinality(A) <= bound + 1

\* Induction over the elements of a set.
THEOREM FS_Induction ==
    ASSUME NEW A, IsFiniteSet(A), NEW Prop(_), Prop({}),
           ASSUME NEW B \in SUBSET A, IsFiniteSet(B), Prop(B), NEW e \in A \ B
           PROVE Prop(B \cup {e})
    PROVE Prop(A)

\* The finite subsets of S.
FiniteSubsetsOf(S) == {T \in SUBSET S : IsFiniteSet(T)}

\* The pairs of subsets of S of which the first is a proper part of the second.
StrictSubsetOrdering(S) == {p \in (SUBSET S) \X (SUBSET S) : p[1] # p[2] /\ p[1] \subseteq p[2]}

\* All subsets of a finite set are finite.
LEMMA FS_FiniteSubsetsOfFinite ==
    ASSUME NEW A, IsFiniteSet(A)
    PROVE FiniteSubsetsOf(A) = SUBSET A

\* The proper subset order on finite sets is well-founded.
THEOREM FS_StrictSubsetOrderingWellFounded ==
    ASSUME NEW A
    PROVE IsWellFoundedOn(StrictSubsetOrdering(A), FiniteSubsetsOf(A))

\* Induction over the proper subsets.
THEOREM FS_WFInduction ==
    ASSUME NEW Prop(_), NEW A, IsFiniteSet(A),
           ASSUME NEW B \in SUBSET A, \A C \in (SUBSET B) \ {B} : Prop(C)
           PROVE Prop(B)
    PROVE Prop(A)

\* The size of a union.
THEOREM FS_Union ==
    ASSUME NEW A, IsFiniteSet(A), NEW B, IsFiniteSet(B)
    PROVE /\ IsFiniteSet(A \cup B)
          /\ Cardinality(A \cup B) = Cardinality(A) + Cardinality(B) - Cardinality(A \cap B)

\* Two sets that are together larger than what contains them meet.
THEOREM FS_MajoritiesIntersect ==
    ASSUME NEW All, NEW A, NEW B, IsFiniteSet(All), A \subseteq All, B \subseteq All,
           Cardinality(A) + Cardinality(B) > Cardinality(All)
    PROVE A \cap B # {}

\* The size of an intersection.
THEOREM FS_Intersection ==
    ASSUME NEW A, IsFiniteSet(A), NEW B
    PROVE /\ IsFiniteSet(A \cap B)
          /\ IsFiniteSet(B \cap A)
          /\ Cardinality(A \cap B) <= Cardinality(A)
          /\ Cardinality(B \cap A) <= Cardinality(A)

\* The size of a difference.
THEOREM FS_Difference ==
    ASSUME NEW A, NEW B, IsFiniteSet(A)
    PROVE /\ IsFiniteSet(A \ B)
          /\ Cardinality(A \ B) = Cardinality(A) - Cardinality(A \cap B)

\* A finite union of finite sets is finite.
THEOREM FS_UNION ==
    ASSUME NEW A, IsFiniteSet(A), \A B \in A : IsFiniteSet(B)
    PROVE IsFiniteSet(UNION A)

\* The number of pairs.
THEOREM FS_Product ==
    ASSUME NEW A, IsFiniteSet(A), NEW B, IsFiniteSet(B)
    PROVE /\ IsFiniteSet(A \X B)
          /\ Cardinality(A \X B) = Cardinality(A) * Cardinality(B)

\* The number of subsets.
THEOREM FS_SUBSET ==
    ASSUME NEW A, IsFiniteSet(A)
    PROVE /\ IsFiniteSet(SUBSET A)
          /\ Cardinality(SUBSET A) = 2^Cardinality(A)
====
