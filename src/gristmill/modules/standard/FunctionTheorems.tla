---- MODULE FunctionTheorems ----
\* Facts about functions, injections, surjections and bijections, and about folds of functions.
EXTENDS Functions, Integers, FiniteSets

\* The values of a restriction.
THEOREM Fun_RestrictProperties ==
    ASSUME NEW A, NEW B, NEW g \in [A -> B], NEW Part \in SUBSET A
    PROVE /\ Restrict(g, Part) \in [Part -> B]
          /\ \A a \in Part : Restrict(g, Part)[a] = g[a]

\* A function is onto its values.
THEOREM Fun_RangeProperties ==
    ASSUME NEW A, NEW B, NEW g \in [A -> B]
    PROVE /\ Range(g) \subseteq B
          /\ \A b \in Range(g) : \E a \in A : g[a] = b
          /\ g \in Surjection(A, Range(g))

\* The inverse finds an argument for each value.
THEOREM Fun_InverseProperties ==
    ASSUME NEW A, NEW B, NEW g \in [A -> B]
    PROVE /\ (A = {} => B = {}) => Inverse(g, A, B) \in [B -> A]
          /\ \A b \in Range(g) : g[Inverse(g, A, B)[b]] = b

\* What makes an injection.
THEOREM Fun_IsInj ==
    ASSUME NEW A, NEW B, NEW g \in [A -> B], \A d, e \in A : g[d] = g[e] => d = e
    PROVE g \in Injection(A, B)

\* What makes a surjection.
THEOREM Fun_IsSurj ==
    ASSUME NEW A, NEW B, NEW g \in [A -> B], \A b \in B : \E a \in A : g[a] = b
    PROVE g \in Surjection(A, B)

\* What makes a bijection.
THEOREM Fun_IsBij ==
    ASSUME NEW A, NEW B, NEW g,
           \/ g \in Injection(A, B)
           \/ g \in [A -> B] /\ \A d, e \in A : g[d] = g[e] => d = e,
           \/ g \in Surjection(A, B)
           \/ g \in [A -> B] /\ \A b \in B : \E a \in A : g[a] = b
    PROVE g \in Bijection(A, B)

\* What an injection does.
THEOREM Fun_InjectionProperties ==
    ASSUME NEW A, NEW B, NEW g \in Injection(A, B)
    PROVE /\ g \in [A -> B]
          /\ \A d, e \in A : g[d] = g[e] => d = e

\* What a surjection does.
THEOREM Fun_SurjectionProperties ==
    ASSUME NEW A, NEW B, NEW g \in Surjection(A, B)
    PROVE /\ g \in [A -> B]
          /\ \A b \in B : \E a \in A : g[a] = b
          /\ Range(g) = B

\* What a bijection does.
THEOREM Fun_BijectionProperties ==
    ASSUME NEW A, NEW B, NEW g \in Bijection(A, B)
    PROVE /\ g \in [A -> B]
          /\ g \in Injection(A, B)
          /\ g \in Surjection(A, B)
          /\ \A d, e \in A : g[d] = g[e] => d = e
          /\ \A b \in B : \E a \in A : g[a] = b

\* A surjection from a set that is as small as can be is a bijection.
THEOREM Fun_SmallestSurjectionIsBijection ==
    ASSUME NEW A, NEW B, NEW g \in Surjection(A, B), \A Part \in SUBSET A : Part # A => Surjection(Part, B) = {}
    PROVE g \in Bijection(A, B)

\* Injections compose.
THEOREM Fun_InjTransitive ==
    ASSUME NEW A, NEW B, NEW C, NEW g \in Injection(A, B), NEW h \in Injection(B, C)
    PROVE [a \in A |-> h[g[a]]] \in Injection(A, C)

\* Surjections compose.
THEOREM Fun_SurjTransitive ==
    ASSUME NEW A, NEW B, NEW C, NEW g \in Surjection(A, B), NEW h \in Surjection(B, C)
    PROVE [a \in A |-> h[g[a]]] \in Surjection(A, C)

\* Bijections compose.
THEOREM Fun_BijTransitive ==
    ASSUME NEW A, NEW B, NEW C, NEW g \in Bijection(A, B), NEW h \in Bijection(B, C)
    PROVE [a \in A |-> h[g[a]]] \in Bijection(A, C)

\* The inverse of a surjection is an injection.
THEOREM Fun_SurjInverse ==
    ASSUME NEW A, NEW B, NEW g \in Surjection(A, B)
    PROVE Inverse(g, A, B) \in Injection(B, A)

\* The inverse of an injection is a surjection.
THEOREM Fun_InjInverse ==
    ASSUME NEW A, NEW B, NEW g \in Injection(A, B), A = {} => B = {}
    PROVE Inverse(g, A, B) \in Surjection(B, A)

\* The inverse of a bijection is one, and undoes it.
THEOREM Fun_BijInverse ==
    ASSUME NEW A, NEW B, NEW g \in Bijection(A, B)
    PROVE /\ Inverse(g, A, B) \in Bijection(B, A)
          /\ \A a \in A : Inverse(g, A, B)[g[a]] = a
          /\ Inverse(Inverse(g, A, B), B, A) = g

\* The restriction of a bijection.
THEOREM Fun_BijRestrict ==
    ASSUME NEW A, NEW B, NEW g \in Bijection(A, B), NEW Part \in SUBSET A
    PROVE Restrict(g, Part) \in Bijection(Part, Range(Restrict(g, Part)))

\* An injection is a bijection to its values.
THEOREM Fun_InjMeansBijImage ==
    ASSUME NEW A, NEW B, NEW g \in Injection(A, B)
    PROVE g \in Bijection(A, Range(g))

\* What the existence operators mean.
THEOREM Fun_ExistsInj == \A A, B : ExistsInjection(A, B) <=> Injection(A, B) # {}
THEOREM Fun_ExistsSurj == \A A, B : ExistsSurjection(A, B) <=> Surjection(A, B) # {}
THEOREM Fun_ExistsBij == \A A, B : ExistsBijection(A, B) <=> Bijection(A, B) # {}

\* There is a surjection to any non-empty subset.
THEOREM Fun_ExistsSurjSubset ==
    ASSUME NEW A, NEW B \in SUBSET A, B # {}
    PROVE ExistsSurjection(A, B)

\* From a surjection, an injection the other way.
THEOREM Fun_ExistsSurjMeansExistsRevInj ==
    ASSUME NEW A, NEW B, ExistsSurjection(A, B)
    PROVE ExistsInjection(B, A)

\* Existence of bijections is an equivalence.
THEOREM Fun_ExistsBijReflexive ==
    ASSUME NEW A
    PROVE ExistsBijection(A, A)
THEOREM Fun_ExistsBijSymmetric ==
    ASSUME NEW A, NEW B, ExistsBijection(A, B)
    PROVE ExistsBijection(B, A)
THEOREM Fun_ExistsBijTransitive ==
    ASSUME NEW A, NEW B, NEW C, ExistsBijection(A, B), ExistsBijection(B, C)
    PROVE ExistsBijection(A, C)

\* Existence of injections and of surjections is reflexive and transitive.
THEOREM Fun_ExistsInjReflexive ==
    ASSUME NEW A
    PROVE ExistsInjection(A, A)
THEOREM Fun_ExistsSurjReflexive ==
    ASSUME NEW A
    PROVE ExistsSurjection(A, A)
THEOREM Fun_ExistsInjTransitive ==
    ASSUME NEW A, NEW B, NEW C, ExistsInjection(A, B), ExistsInjection(B, C)
    PROVE ExistsInjection(A, C)
THEOREM Fun_ExistsSurjTransitive ==
    ASSUME NEW A, NEW B, NEW C, ExistsSurjection(A, B), ExistsSurjection(B, C)
    PROVE ExistsSurjection(A, C)

\* From an injection into a part, a bijection.
THEOREM Fun_CantorBernsteinSchroeder_Lemma ==
    ASSUME NEW A, NEW B, B \subseteq A, ExistsInjection(A, B)
    PROVE ExistsBijection(A, B)

\* From injections both ways, a bijection.
THEOREM Fun_CantorBernsteinSchroeder ==
    ASSUME NEW A, NEW B, ExistsInjection(A, B), ExistsInjection(B, A)
    PROVE ExistsBijection(A, B)

\* From an injection and a surjection, a bijection.
THEOREM Fun_ExistInjAndSurjThenBij ==
    ASSUME NEW A, NEW B, ExistsInjection(A, B), ExistsSurjection(A, B)
    PROVE ExistsBijection(A, B)

\* From surjections both ways, a bijection.
THEOREM Fun_ExistSurjAndSurjThenBij ==
    ASSUME NEW A, NEW B, ExistsSurjection(A, B), ExistsSurjection(B, A)
    PROVE ExistsBijection(A, B)

\* All these conditions are the same.
THEOREM Fun_ExistsBijEquiv ==
    ASSUME NEW A, NEW B
    PROVE /\ ExistsBijection(A, B) <=> ExistsBijection(B, A)
          /\ ExistsBijection(A, B) <=> ExistsInjection(A, B) /\ ExistsInjection(B, A)
          /\ ExistsBijection(A, B) <=> ExistsInjection(A, B) /\ ExistsSurjection(A, B)
          /\ ExistsBijection(A, B) <=> ExistsInjection(B, A) /\ ExistsSurjection(B, A)
          /\ ExistsBijection(A, B) <=> ExistsSurjection(A, B) /\ ExistsSurjection(B, A)

\* Intervals of one length are in bijection.
THEOREM Fun_ExistsBijInterval ==
    ASSUME NEW lo \in Int, NEW hi \in Int, lo <= hi
    PROVE ExistsBijection(1..(hi - lo + 1), lo..hi)

\* Injections of intervals compare their lengths.
THEOREM Fun_NatInjLeq ==
    ASSUME NEW j \in Nat, NEW k \in Nat
    PROVE ExistsInjection(1..j, 1..k) <=> j <= k

\* From a surjection of an interval, a bijection of one that is not longer.
THEOREM Fun_NatSurjImpliesNatBij ==
    ASSUME NEW A, NEW k \in Nat, ExistsSurjection(1..k, A)
    PROVE \E j \in Nat : ExistsBijection(1..j, A) /\ j <= k

\* Images of intervals are in bijection with intervals.
THEOREM Fun_NatSurjEquivNatBij ==
    ASSUME NEW A
    PROVE (\E k \in Nat : ExistsSurjection(1..k, A)) <=> (\E j \in Nat : ExistsBijection(1..j, A))

\* The interval is determined.
THEOREM Fun_NatBijSame ==
    ASSUME NEW A, NEW j \in Nat, ExistsBijection(1..j, A), NEW k \in Nat, ExistsBijection(1..k, A)
    PROVE j = k

\* The interval for the empty set.
THEOREM Fun_NatBijEmpty ==
    ASSUME NEW A
    PROVE ExistsBijection(1..0, A) <=> A = {}

\* The interval for one element.
THEOREM Fun_NatBijSingleton ==
    ASSUME NEW A
    PROVE ExistsBijection(1..1, A) <=> \E a : A = {a}

\* The interval for a subset.
THEOREM Fun_NatBijSubset ==
    ASSUME NEW A, NEW k \in Nat, ExistsBijection(1..k, A), NEW B \in SUBSET A
    PROVE \E j \in Nat : ExistsBijection(1..j, B) /\ j <= k

\* The interval for one element more.
THEOREM Fun_NatBijAddElem ==
    ASSUME NEW A, NEW k \in Nat, ExistsBijection(1..k, A), NEW e, e \notin A
    PROVE ExistsBijection(1..(k + 1), A \cup {e})

\* The interval for one element less.
THEOREM Fun_NatBijSubElem ==
    ASSUME NEW A, NEW k \in Nat, ExistsBijection(1..k, A), NEW e, e \in A
    PROVE ExistsBijection(1..(k - 1), A \ {e})

\* The fold of nothing.
THEOREM FoldFunctionOnSetEmpty ==
    ASSUME NEW op(_, _), NEW start, NEW g
    PROVE FoldFunctionOnSet(op, start, g, {}) = start

\* Some argument is the first.
THEOREM FoldFunctionOnSetNonempty ==
    ASSUME NEW op(_, _), NEW start, NEW g, NEW I, I # {}, IsFiniteSet(I)
    PROVE \E a \in I : FoldFunctionOnSet(op, start, g, I) = op(g[a], FoldFunctionOnSet(op, start, g, I \ {a}))

\* The type of the result.
THEOREM FoldFunctionOnSetType ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           NEW I, IsFiniteSet(I), NEW g, \A a \in I : g[a] \in Type
    PROVE FoldFunctionOnSet(op, start, g, I) \in Type

\* Equal values give equal results.
THEOREM FoldFunctionOnSetEqual ==
    ASSUME NEW op(_, _), NEW start, NEW g, NEW h, NEW I, IsFiniteSet(I), \A a \in I : g[a] = h[a]
    PROVE FoldFunctionOnSet(op, start, g, I) = FoldFunctionOnSet(op, start, h, I)

\* For an associative and commutative operator any argument may be the first.
THEOREM FoldFunctionOnSetAC ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW I, IsFiniteSet(I), NEW a \in I, NEW g,
           \A b \in I : g[b] \in Type
    PROVE FoldFunctionOnSet(op, start, g, I) = op(g[a], FoldFunctionOnSet(op, start, g, I \ {a}))

\* Such a fold with one more argument.
THEOREM FoldFunctionOnSetACAddIndex ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW I, IsFiniteSet(I), NEW a, a \notin I,
           NEW g, \A b \in I \union {a} : g[b] \in Type
    PROVE FoldFunctionOnSet(op, start, g, I \union {a}) = op(g[a], FoldFunctionOnSet(op, start, g, I))

\* Such a fold with one value changed.
THEOREM FoldFunctionOnSetACExcept ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW g, NEW a, NEW v \in Type,
           NEW I \in SUBSET (DOMAIN g), IsFiniteSet(I),
           \A b \in I : g[b] \in Type
    PROVE FoldFunctionOnSet(op, start, [g EXCEPT ![a] = v], I) =
              IF a \in I THEN op(v, FoldFunctionOnSet(op, start, g, I \ {a}))
              ELSE FoldFunctionOnSet(op, start, g, I)

\* Such a fold over disjoint sets, from a neutral element.
THEOREM FoldFunctionOnSetDisjointUnion ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           \A x \in Type : op(start, x) = x,
           NEW I, IsFiniteSet(I), NEW J, IsFiniteSet(J), I \cap J = {},
           NEW g, \A a \in I \union J : g[a] \in Type
    PROVE FoldFunctionOnSet(op, start, g, I \union J) =
              op(FoldFunctionOnSet(op, start, g, I), FoldFunctionOnSet(op, start, g, J))

\* The same facts for folds of whole functions.
THEOREM FoldFunctionEmpty ==
    ASSUME NEW op(_, _), NEW start, NEW g, DOMAIN g = {}
    PROVE FoldFunction(op, start, g) = start
THEOREM FoldFunctionNonempty ==
    ASSUME NEW op(_, _), NEW start, NEW g, DOMAIN g # {}, IsFiniteSet(DOMAIN g)
    PROVE \E a \in DOMAIN g :
              FoldFunction(op, start, g) = op(g[a], FoldFunctionOnSet(op, start, g, DOMAIN g \ {a}))
THEOREM FoldFunctionType ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           NEW g, IsFiniteSet(DOMAIN g), \A a \in DOMAIN g : g[a] \in Type
    PROVE FoldFunction(op, start, g) \in Type
THEOREM FoldFunctionAC ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW g, IsFiniteSet(DOMAIN g), NEW a \in DOMAIN g,
           \A b \in DOMAIN g : g[b] \in Type
    PROVE FoldFunction(op, start, g) = op(g[a], FoldFunctionOnSet(op, start, g, (DOMAIN g) \ {a}))
THEOREM FoldFunctionACExcept ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW g, NEW a, NEW v \in Type,
           IsFiniteSet(DOMAIN g),
           \A b \in DOMAIN g : g[b] \in Type
    PROVE FoldFunction(op, start, [g EXCEPT ![a] = v]) =
              IF a \in DOMAIN g THEN op(v, FoldFunctionOnSet(op, start, g, (DOMAIN g) \ {a}))
              ELSE FoldFunction(op, start, g)

\* A sum of natural values is a natural number.
THEOREM SumFunctionOnSetNat ==
    ASSUME NEW g, NEW I, IsFiniteSet(I), \A a \in I : g[a] \in Nat
    PROVE SumFunctionOnSet(g, I) \in Nat

\* A sum of integer values is an integer.
THEOREM SumFunctionOnSetInt ==
    ASSUME NEW g, NEW I, IsFiniteSet(I), \A a \in I : g[a] \in Int
    PROVE SumFunctionOnSet(g, I) \in Int

\* Equal values give equal sums.
THEOREM SumFunctionOnSetEqual ==
    ASSUME NEW g, NEW h, NEW I, IsFiniteSet(I), \A a \in I : g[a] = h[a]
    PROVE SumFunctionOnSet(g, I) = SumFunctionOnSet(h, I)

\* The sum of no values.
THEOREM SumFunctionOnSetEmpty ==
    ASSUME NEW g
    PROVE SumFunctionOnSet(g, {}) = 0

\* A sum by one of its values.
THEOREM SumFunctionOnSetNonempty ==
    ASSUME NEW g, NEW I, IsFiniteSet(I), NEW a \in I, \A b \in I : g[b] \in Int
    PROVE SumFunctionOnSet(g, I) = g[a] + SumFunctionOnSet(g, I \ {a})

\* A sum with one more value.
THEOREM SumFunctionOnSetAddIndex ==
    ASSUME NEW g, NEW I, IsFiniteSet(I), NEW a, a \notin I, \A b \in I \union {a} : g[b] \in Int
    PROVE SumFunctionOnSet(g, I \union {a}) = g[a] + SumFunctionOnSet(g, I)

\* A sum with one value less.
THEOREM SumFunctionOnSetRemoveIndex ==
    ASSUME NEW g, NEW I, IsFiniteSet(I), NEW a \in I, \A b \in I : g[b] \in Int
    PROVE SumFunctionOnSet(g, I \ {a}) = SumFunctionOnSet(g, I) - g[a]

\* A sum with one value changed.
THEOREM SumFunctionOnSetExcept ==
    ASSUME NEW g, NEW a, NEW v \in Int, NEW I \in SUBSET (DOMAIN g), IsFiniteSet(I), \A b \in I : g[b] \in Int
    PROVE SumFunctionOnSet([g EXCEPT ![a] = v], I) =
              IF a \in I THEN SumFunctionOnSet(g, I) + v - g[a] ELSE SumFunctionOnSet(g, I)

\* The sum over disjoint sets.
THEOREM SumFunctionOnSetDisjointUnion ==
    ASSUME NEW I, IsFiniteSet(I), NEW J, IsFiniteSet(J), I \cap J = {},
           NEW g, \A a \in I \union J : g[a] \in Int
    PROVE SumFunctionOnSet(g, I \union J) = SumFunctionOnSet(g, I) + SumFunctionOnSet(g, J)

\* Fewer natural values, no larger sum.
THEOREM SumFunctionNatOnSubset ==
    ASSUME NEW I, IsFiniteSet(I), NEW J \in SUBSET I, NEW g, \A a \in I : g[a] \in Nat
    PROVE SumFunctionOnSet(g, J) <= SumFunctionOnSet(g, I)

\* A sum of natural values that is 0.
THEOREM SumFunctionOnSetZero ==
    ASSUME NEW I, IsFiniteSet(I), NEW g, \A a \in I : g[a] \in Nat
    PROVE SumFunctionOnSet(g, I) = 0 <=> \A a \in I : g[a] = 0

\* A sum of equal values.
THEOREM SumFunctionOnSetConst ==
    ASSUME NEW D, NEW I \in SUBSET D, IsFiniteSet(I), NEW g \in [D -> Int], NEW v \in Int, \A a \in I : g[a] = v
    PROVE SumFunctionOnSet(g, I) = v * Cardinality(I)

\* Larger values, larger sum.
THEOREM SumFunctionOnSetMonotonic ==
    ASSUME NEW I, IsFiniteSet(I),
           NEW low, \A a \in I : low[a] \in Int,
           NEW high, \A a \in I : high[a] \in Int,
           \A a \in I : low[a] <= high[a]
    PROVE SumFunctionOnSet(low, I) <= SumFunctionOnSet(high, I)

\* The same strictly.
THEOREM SumFunctionOnSetStrictlyMonotonic ==
    ASSUME NEW I, IsFiniteSet(I),
           NEW low, \A a \in I : low[a] \in Int,
           NEW high, \A a \in I : high[a] \in Int,
           \A a \in I : low[a] <= high[a],
           NEW e \in I, low[e] < high[e]
    PROVE SumFunctionOnSet(low, I) < SumFunctionOnSet(high, I)

\* The same facts for sums of whole functions.
THEOREM SumFunctionNat ==
    ASSUME NEW g, IsFiniteSet(DOMAIN g), \A a \in DOMAIN g : g[a] \in Nat
    PROVE SumFunction(g) \in Nat
THEOREM SumFunctionInt ==
    ASSUME NEW g, IsFiniteSet(DOMAIN g), \A a \in DOMAIN g : g[a] \in Int
    PROVE SumFunction(g) \in Int
THEOREM SumFunctionEmpty ==
    ASSUME NEW g, DOMAIN g = {}
    PROVE SumFunction(g) = 0
THEOREM SumFunctionNonempty ==
    ASSUME NEW g, IsFiniteSet(DOMAIN g), NEW a \in DOMAIN g, \A b \in DOMAIN g : g[b] \in Int
    PROVE SumFunction(g) = g[a] + SumFunctionOnSet(g, (DOMAIN g) \ {a})
THEOREM SumFunctionExcept ==
    ASSUME NEW g, NEW a, NEW v \in Int, IsFiniteSet(DOMAIN g), \A b \in DOMAIN g : g[b] \in Int
    PROVE SumFunction([g EXCEPT ![a] = v]) =
              IF a \in DOMAIN g THEN SumFunction(g) + v - g[a] ELSE SumFunction(g)
THEOREM SumFunctionZero ==
    ASSUME NEW g, IsFiniteSet(DOMAIN g), \A a \in DOMAIN g : g[a] \in Nat
    PROVE SumFunction(g) = 0 <=> \A a \in DOMAIN g : g[a] = 0
THEOREM SumFunctionConst ==
    ASSUME NEW I, IsFiniteSet(I), NEW v \in Int
    PROVE SumFunction([a \in I |-> v]) = v * Cardinality(I)
THEOREM SumFunctionMonotonic ==
    ASSUME NEW low, IsFiniteSet(DOMAIN low), NEW high, DOMAIN high = DOMAIN low,
           \A a \in DOMAIN low : low[a] \in Int,
           \A a \in DOMAIN low : high[a] \in Int,
           \A a \in DOMAIN low : low[a] <= high[a]
    PROVE SumFunction(low) <= SumFunction(high)
THEOREM SumFunctionStrictlyMonotonic ==
    ASSUME NEW low, IsFiniteSet(DOMAIN low), NEW high, DOMAIN high = DOMAIN low,
           \A a \in DOMAIN low : low[a] \in Int,
           \A a \in DOMAIN low : high[a] \in Int,
           \A a \in DOMAIN low : low[a] <= high[a],
           NEW e \in DOMAIN low, low[e] < high[e]
    PROVE SumFunction(low) < SumFunction(high)
====
