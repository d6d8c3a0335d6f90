---- MODULE WellFoundedInduction ----
\* Well-founded relations, as sets of pairs, and induction and recursion over them.
EXTENDS NaturalsInduction

\* Related in two steps within S means related.
IsTransitivelyClosedOn(R, S) == \A x, y, z \in S : <<x, y>> \in R /\ <<y, z>> \in R => <<x, z>> \in R

\* There is no infinite descent in S: each non-empty part of S has an element with nothing below it.
IsWellFoundedOn(R, S) == \A T \in SUBSET S : T # {} => \E x \in T : \A y \in T : <<y, x>> \notin R

\* The empty relation is well-founded.
LEMMA EmptyIsWellFounded == \A A : IsWellFoundedOn({}, A)

\* On a subset a relation remains well-founded.
LEMMA IsWellFoundedOnSubset ==
    ASSUME NEW Rel, NEW A, NEW B \in SUBSET A, IsWellFoundedOn(Rel, A)
    PROVE IsWellFoundedOn(Rel, B)

\* A part of a well-founded relation is well-founded.
LEMMA IsWellFoundedOnSubrelation ==
    ASSUME NEW A, NEW Rel, NEW Part, Part \cap (A \X A) \subseteq Rel, IsWellFoundedOn(Rel, A)
    PROVE IsWellFoundedOn(Part, A)

\* The elements of S below x.
SetLessThan(x, R, S) == {y \in S : <<y, x>> \in R}

\* Minimal elements exist.
THEOREM WFMin ==
    ASSUME NEW Rel, NEW A, IsWellFoundedOn(Rel, A), NEW B, B \subseteq A, B # {}
    PROVE \E min \in B : \A y \in B : ~(<<y, min>> \in Rel)

\* Where minimal elements exist the relation is well-founded.
THEOREM MinWF ==
    ASSUME NEW Rel, NEW A,
           \A B \in SUBSET A : B # {} => \E min \in B : \A y \in B : ~(<<y, min>> \in Rel)
    PROVE IsWellFoundedOn(Rel, A)

\* Nothing is below itself.
LEMMA WellFoundedIsIrreflexive ==
    ASSUME NEW Rel, NEW A, NEW e \in A, IsWellFoundedOn(Rel, A)
    PROVE <<e, e>> \notin Rel

\* Nothing is below what is below it.
LEMMA WellFoundedIsAsymmetric ==
    ASSUME NEW Rel, NEW A, NEW d \in A, NEW e \in A,
           IsWellFoundedOn(Rel, A), <<d, e>> \in Rel, <<e, d>> \in Rel
    PROVE FALSE

\* The same in terms of SetLessThan.
LEMMA WFSetLessThanIrreflexive ==
    ASSUME NEW Rel, NEW A, NEW e \in A, IsWellFoundedOn(Rel, A)
    PROVE e \notin SetLessThan(e, Rel, A)

\* What is below the lower is below the upper.
LEMMA SetLessTransitive ==
    ASSUME NEW Rel, NEW A, NEW e \in A, NEW d \in SetLessThan(e, Rel, A), IsTransitivelyClosedOn(Rel, A)
    PROVE SetLessThan(d, Rel, A) \subseteq SetLessThan(e, Rel, A)

\* Induction.
THEOREM WFInduction ==
    ASSUME NEW Prop(_), NEW Rel, NEW A, IsWellFoundedOn(Rel, A),
           \A e \in A : (\A d \in SetLessThan(e, Rel, A) : Prop(d)) => Prop(e)
    PROVE \A e \in A : Prop(e)

\* Def(g, x) depends only on the values of g below x.
WFDefOn(R, S, Def(_, _)) ==
    \A g, h : \A x \in S : (\A y \in SetLessThan(x, R, S) : g[y] = h[y]) => Def(g, x) = Def(h, x)

\* f is the result of a recursive definition by f[x] = Def(f, x).
OpDefinesFcn(f, S, Def(_, _)) == f = CHOOSE g : g = [x \in S |-> Def(g, x)]

\* f satisfies that equation.
WFInductiveDefines(f, S, Def(_, _)) == f = [x \in S |-> Def(f, x)]

\* At most one function satisfies it.
WFInductiveUnique(S, Def(_, _)) ==
    \A g, h : WFInductiveDefines(g, S, Def) /\ WFInductiveDefines(h, S, Def) => g = h

\* Recursion has one result at most.
THEOREM WFDefOnUnique ==
    ASSUME NEW Value(_, _), NEW Rel, NEW A, IsWellFoundedOn(Rel, A), WFDefOn(Rel, A, Value)
    PROVE WFInductiveUnique(A, Value)

\* Recursion over a transitive relation is well defined.
LEMMA WFInductiveDefLemma ==
    ASSUME NEW Value(_, _), NEW Rel, NEW A, NEW fcn,
           IsWellFoundedOn(Rel, A), IsTransitivelyClosedOn(Rel, A),
           WFDefOn(Rel, A, Value), OpDefinesFcn(fcn, A, Value)
    PROVE WFInductiveDefines(fcn, A, Value)

\* The pairs that are related in one or more steps within S: the second is in all sets that the first leads into
\* and R does not lead out of.
TransitiveClosureOn(R, S) ==
    {p \in S \X S :
        \A T \in SUBSET S :
            /\ \A y \in S : <<p[1], y>> \in R => y \in T
            /\ \A x \in T, y \in S : <<x, y>> \in R => y \in T
            => p[2] \in T}

\* The closure contains the relation and is transitive.
LEMMA TransitiveClosureThm ==
    \A Rel, A : /\ Rel \cap A \X A \subseteq TransitiveClosureOn(Rel, A)
                /\ IsTransitivelyClosedOn(TransitiveClosureOn(Rel, A), A)

\* It is the least such relation.
LEMMA TransitiveClosureMinimal ==
    ASSUME NEW Rel, NEW A, NEW Closed \in SUBSET (A \X A),
           Rel \cap A \X A \subseteq Closed, IsTransitivelyClosedOn(Closed, A)
    PROVE TransitiveClosureOn(Rel, A) \subseteq Closed

\* Many steps and then many steps are many steps.
LEMMA TCTCTC ==
    ASSUME NEW Rel, NEW A, NEW x \in A, NEW y \in A, NEW z \in A,
           <<x, y>> \in TransitiveClosureOn(Rel, A), <<y, z>> \in TransitiveClosureOn(Rel, A)
    PROVE <<x, z>> \in TransitiveClosureOn(Rel, A)

\* Many steps and then one.
LEMMA TCRTC ==
    ASSUME NEW Rel, NEW A, NEW x \in A, NEW y \in A, NEW z \in A,
           <<x, y>> \in TransitiveClosureOn(Rel, A), <<y, z>> \in Rel
    PROVE <<x, z>> \in TransitiveClosureOn(Rel, A)

\* One step and then many.
LEMMA RTCTC ==
    ASSUME NEW Rel, NEW A, NEW x \in A, NEW y \in A, NEW z \in A,
           <<x, y>> \in Rel, <<y, z>> \in TransitiveClosureOn(Rel, A)
    PROVE <<x, z>> \in TransitiveClosureOn(Rel, A)

\* The last of many steps.
LEMMA TransitiveClosureChopLast ==
    ASSUME NEW Rel, NEW A, NEW x \in A, NEW z \in A, <<x, z>> \in TransitiveClosureOn(Rel, A)
    PROVE \E y \in A : /\ <<y, z>> \in Rel
                       /\ x = y \/ <<x, y>> \in TransitiveClosureOn(Rel, A)

\* The closure is well-founded if the relation is.
THEOREM TransitiveClosureWF ==
    ASSUME NEW Rel, NEW A, IsWellFoundedOn(Rel, A)
    PROVE IsWellFoundedOn(TransitiveClosureOn(Rel, A), A)

\* Recursion is well defined.
THEOREM WFInductiveDef ==
    ASSUME NEW Value(_, _), NEW Rel, NEW A, NEW fcn,
           IsWellFoundedOn(Rel, A), WFDefOn(Rel, A, Value), OpDefinesFcn(fcn, A, Value)
    PROVE WFInductiveDefines(fcn, A, Value)

\* The values of a function defined by recursion.
THEOREM WFInductiveDefType ==
    ASSUME NEW Value(_, _), NEW fcn, NEW Rel, NEW A, NEW Type,
           Type # {},
           IsWellFoundedOn(Rel, A),
           WFDefOn(Rel, A, Value),
           WFInductiveDefines(fcn, A, Value),
           \A g \in [A -> Type], e \in A : Value(g, e) \in Type
    PROVE fcn \in [A -> Type]

\* The set of pairs for which the operator holds.
OpToRel(_ \prec _, S) == {p \in S \X S : p[1] \prec p[2]}

\* The order of the natural numbers is well-founded.
THEOREM NatLessThanWellFounded == IsWellFoundedOn(OpToRel(<, Nat), Nat)

\* The pairs whose images under f are related.
PreImage(f(_), S, R) == {p \in S \X S : <<f(p[1]), f(p[2])>> \in R}

\* This relation is well-founded if R is.
THEOREM PreImageWellFounded ==
    ASSUME NEW A, NEW B, NEW Rel, NEW image(_), \A e \in A : image(e) \in B, IsWellFoundedOn(Rel, B)
    PROVE IsWellFoundedOn(PreImage(image, A, Rel), A)

\* The lexicographic order of pairs.
LexPairOrdering(R1, R2, S1, S2) ==
    {p \in (S1 \X S2) \X (S1 \X S2) :
        LET a == p[1]
            b == p[2]
        IN <<a[1], b[1]>> \in R1 \/ (a[1] = b[1] /\ <<a[2], b[2]>> \in R2)}

\* It is well-founded if the two orders are.
THEOREM WFLexPairOrdering ==
    ASSUME NEW Rel1, NEW Rel2, NEW A1, NEW A2, IsWellFoundedOn(Rel1, A1), IsWellFoundedOn(Rel2, A2)
    PROVE IsWellFoundedOn(LexPairOrdering(Rel1, Rel2, A1, A2), A1 \X A2)

\* The lexicographic order of sequences of length n.
LexProductOrdering(R, S, n) ==
    {p \in [1..n -> S] \X [1..n -> S] :
        \E k \in 1..n : <<p[1][k], p[2][k]>> \in R /\ \A i \in 1..(k - 1) : p[1][i] = p[2][i]}

\* It is well-founded if the order of the elements is.
THEOREM WFLexProductOrdering ==
    ASSUME NEW Rel, NEW A, NEW k \in Nat, IsWellFoundedOn(Rel, A)
    PROVE IsWellFoundedOn(LexProductOrdering(Rel, A, k), [1..k -> A])
====
