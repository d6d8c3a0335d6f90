---- MODULE NaturalsInduction ----
\* Induction and recursion over the natural numbers.
EXTENDS Integers

\* Induction from n to n + 1.
THEOREM NatInduction ==
    ASSUME NEW Prop(_), Prop(0), \A k \in Nat : Prop(k) => Prop(k + 1)
    PROVE \A k \in Nat : Prop(k)

\* Induction down to 0.
THEOREM DownwardNatInduction ==
    ASSUME NEW Prop(_), NEW top \in Nat, Prop(top), \A k \in 1..top : Prop(k) => Prop(k - 1)
    PROVE Prop(0)

\* Induction from all smaller numbers.
THEOREM GeneralNatInduction ==
    ASSUME NEW Prop(_), \A k \in Nat : (\A i \in 0..(k - 1) : Prop(i)) => Prop(k)
    PROVE \A k \in Nat : Prop(k)

\* A property that some number has, a smallest number has.
THEOREM SmallestNatural ==
    ASSUME NEW Prop(_), NEW k \in Nat, Prop(k)
    PROVE \E least \in Nat : Prop(least) /\ \A i \in 0..(least - 1) : ~Prop(i)

\* A function is well defined by values at smaller numbers.
THEOREM RecursiveFcnOfNat ==
    ASSUME NEW Value(_, _),
           ASSUME NEW k \in Nat, NEW a, NEW b, \A i \in 0..(k - 1) : a[i] = b[i]
           PROVE Value(a, k) = Value(b, k)
    PROVE LET fcn[k \in Nat] == Value(fcn, k)
          IN fcn = [k \in Nat |-> Value(fcn, k)]

\* f is the result of a definition by f[0] = f0 and f[i] = Def(f[i - 1], i).
NatInductiveDefHypothesis(f, f0, Def(_, _)) ==
    f = CHOOSE g : g = [i \in Nat |-> IF i = 0 THEN f0 ELSE Def(g[i - 1], i)]

\* f satisfies those equations.
NatInductiveDefConclusion(f, f0, Def(_, _)) ==
    f = [i \in Nat |-> IF i = 0 THEN f0 ELSE Def(f[i - 1], i)]

\* Such a definition is a good one.
THEOREM NatInductiveDef ==
    ASSUME NEW Value(_, _), NEW fcn, NEW first, NatInductiveDefHypothesis(fcn, first, Value)
    PROVE NatInductiveDefConclusion(fcn, first, Value)

\* The values of a function defined by values at smaller numbers.
THEOREM RecursiveFcnOfNatType ==
    ASSUME NEW fcn, NEW Type, NEW Value(_, _), fcn = [k \in Nat |-> Value(fcn, k)],
           ASSUME NEW k \in Nat, NEW a, \A i \in 0..(k - 1) : a[i] \in Type
           PROVE Value(a, k) \in Type
    PROVE fcn \in [Nat -> Type]

\* The values of a function defined by its preceding value.
THEOREM NatInductiveDefType ==
    ASSUME NEW Value(_, _), NEW Type, NEW fcn, NEW first \in Type,
           NatInductiveDefConclusion(fcn, first, Value),
           first \in Type,
           \A v \in Type, k \in Nat \ {0} : Value(v, k) \in Type
    PROVE fcn \in [Nat -> Type]

\* Only one function satisfies a definition by values at smaller numbers.
THEOREM RecursiveFcnOfNatUnique ==
    ASSUME NEW Value(_, _), NEW fcn, NEW other,
           fcn = [k \in Nat |-> Value(fcn, k)],
           other = [k \in Nat |-> Value(other, k)],
           ASSUME NEW k \in Nat, NEW a, NEW b, \A i \in 0..(k - 1) : a[i] = b[i]
           PROVE Value(a, k) = Value(b, k)
    PROVE fcn = other

\* Only one function satisfies a definition by its preceding value.
THEOREM NatInductiveUnique ==
    ASSUME NEW Value(_, _), NEW fcn, NEW other, NEW first,
           NatInductiveDefConclusion(fcn, first, Value),
           NatInductiveDefConclusion(other, first, Value)
    PROVE fcn = other

\* f is the result of a definition on m..n by f[m] = c and f[i] = Def(f[i - 1], i).
FiniteNatInductiveDefHypothesis(f, c, Def(_, _), m, n) ==
    f = CHOOSE g : g = [i \in m..n |-> IF i = m THEN c ELSE Def(g[i - 1], i)]

\* f satisfies those equations.
FiniteNatInductiveDefConclusion(f, c, Def(_, _), m, n) ==
    f = [i \in m..n |-> IF i = m THEN c ELSE Def(f[i - 1], i)]

\* Such a definition is a good one.
THEOREM FiniteNatInductiveDef ==
    ASSUME NEW Value(_, _), NEW fcn, NEW first, NEW lo \in Nat, NEW hi \in Nat,
           FiniteNatInductiveDefHypothesis(fcn, first, Value, lo, hi)
    PROVE FiniteNatInductiveDefConclusion(fcn, first, Value, lo, hi)

\* The values of the function so defined.
THEOREM FiniteNatInductiveDefType ==
    ASSUME NEW Type, NEW Value(_, _), NEW fcn, NEW first \in Type, NEW lo \in Nat, NEW hi \in Nat,
           FiniteNatInductiveDefConclusion(fcn, first, Value, lo, hi),
           \A v \in Type, i \in (lo + 1)..hi : Value(v, i) \in Type
    PROVE fcn \in [lo..hi -> Type]

\* Only one function satisfies the definition.
THEOREM FiniteNatInductiveUnique ==
    ASSUME NEW Value(_, _), NEW fcn, NEW other, NEW first, NEW lo \in Nat, NEW hi \in Nat,
           FiniteNatInductiveDefConclusion(fcn, first, Value, lo, hi),
           FiniteNatInductiveDefConclusion(other, first, Value, lo, hi)
    PROVE fcn = other
====
