---- MODULE FiniteSetsExtTheorems ----
\* Facts about folds, sums, products, maxima and minima of finite sets.
EXTENDS FiniteSetsExt, FiniteSets, Integers

\* The fold of nothing.
THEOREM FoldSetEmpty ==
    ASSUME NEW op(_, _), NEW start
    PROVE FoldSet(op, start, {}) = start

\* Some element is the first.
THEOREM FoldSetNonempty ==
    ASSUME NEW op(_, _), NEW start, NEW A, A # {}, IsFiniteSet(A)
    PROVE \E e \in A : FoldSet(op, start, A) = op(e, FoldSet(op, start, A \ {e}))

\* The type of the result.
THEOREM FoldSetType ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type, NEW A \in SUBSET Type, IsFiniteSet(A),
           \A x, y \in Type : op(x, y) \in Type
    PROVE FoldSet(op, start, A) \in Type

\* For an associative and commutative operator any element may be the first.
THEOREM FoldSetAC ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW A \in SUBSET Type, IsFiniteSet(A), NEW e \in A
    PROVE FoldSet(op, start, A) = op(e, FoldSet(op, start, A \ {e}))

\* Such a fold with one more element.
THEOREM FoldSetACAddElement ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW A \in SUBSET Type, IsFiniteSet(A), NEW e \in Type \ A
    PROVE FoldSet(op, start, A \union {e}) = op(e, FoldSet(op, start, A))

\* Such a fold of two disjoint sets, from a neutral element.
THEOREM FoldSetDisjointUnion ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type,
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           \A x \in Type : op(start, x) = x,
           NEW A \in SUBSET Type, IsFiniteSet(A),
           NEW B \in SUBSET Type, IsFiniteSet(B), A \cap B = {}
    PROVE FoldSet(op, start, A \union B) = op(FoldSet(op, start, A), FoldSet(op, start, B))

\* A sum of natural numbers is one.
THEOREM SumSetNat ==
    ASSUME NEW A \in SUBSET Nat, IsFiniteSet(A)
    PROVE SumSet(A) \in Nat

\* A sum of integers is one.
THEOREM SumSetInt ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A)
    PROVE SumSet(A) \in Int

\* The sum of nothing.
THEOREM SumSetEmpty == SumSet({}) = 0

\* A sum by one of its terms.
THEOREM SumSetNonempty ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A), NEW k \in A
    PROVE SumSet(A) = k + SumSet(A \ {k})

\* A sum with one more term.
THEOREM SumSetAddElement ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A), NEW k \in Int \ A
    PROVE SumSet(A \union {k}) = k + SumSet(A)

\* The sum over disjoint sets.
THEOREM SumSetDisjointUnion ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A), NEW B \in SUBSET Int, IsFiniteSet(B), A \cap B = {}
    PROVE SumSet(A \union B) = SumSet(A) + SumSet(B)

\* Fewer natural terms, no larger sum.
THEOREM SumSetNatSubset ==
    ASSUME NEW A \in SUBSET Nat, IsFiniteSet(A), NEW B \in SUBSET A
    PROVE SumSet(B) <= SumSet(A)

\* A sum of natural numbers that is 0.
THEOREM SumSetNatZero ==
    ASSUME NEW A \in SUBSET Nat, IsFiniteSet(A)
    PROVE SumSet(A) = 0 <=> A \subseteq {0}

\* A product of natural numbers is one.
THEOREM ProductSetNat ==
    ASSUME NEW A \in SUBSET Nat, IsFiniteSet(A)
    PROVE ProductSet(A) \in Nat

\* A product of integers is one.
THEOREM ProductSetInt ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A)
    PROVE ProductSet(A) \in Int

\* The product of nothing.
THEOREM ProductSetEmpty == ProductSet({}) = 1

\* A product by one of its factors.
THEOREM ProductSetNonempty ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A), NEW k \in A
    PROVE ProductSet(A) = k * ProductSet(A \ {k})

\* A product with one more factor.
THEOREM ProductSetAddElement ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A), NEW k \in Int \ A
    PROVE ProductSet(A \union {k}) = k * ProductSet(A)

\* The product over disjoint sets.
THEOREM ProductSetDisjointUnion ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A), NEW B \in SUBSET Int, IsFiniteSet(B), A \cap B = {}
    PROVE ProductSet(A \union B) = ProductSet(A) * ProductSet(B)

\* A product of natural numbers that is 1.
THEOREM ProductSetNatOne ==
    ASSUME NEW A \in SUBSET Nat, IsFiniteSet(A)
    PROVE ProductSet(A) = 1 <=> A \subseteq {1}

\* A product that is 0.
THEOREM ProductSetZero ==
    ASSUME NEW A \in SUBSET Int, IsFiniteSet(A)
    PROVE ProductSet(A) = 0 <=> 0 \in A

\* Fewer positive factors, no larger product.
THEOREM ProductSetNatSubset ==
    ASSUME NEW A \in SUBSET Nat \ {0}, IsFiniteSet(A), NEW B \in SUBSET A
    PROVE ProductSet(B) <= ProductSet(A)

\* A sum of natural values is a natural number.
THEOREM MapThenSumSetNat ==
    ASSUME NEW A, IsFiniteSet(A), NEW map(_), \A a \in A : map(a) \in Nat
    PROVE MapThenSumSet(map, A) \in Nat

\* A sum of integer values is an integer.
THEOREM MapThenSumSetInt ==
    ASSUME NEW A, IsFiniteSet(A), NEW map(_), \A a \in A : map(a) \in Int
    PROVE MapThenSumSet(map, A) \in Int

\* The sum of no values.
THEOREM MapThenSumSetEmpty ==
    ASSUME NEW map(_)
    PROVE MapThenSumSet(map, {}) = 0

\* A sum by one of its values.
THEOREM MapThenSumSetNonempty ==
    ASSUME NEW A, IsFiniteSet(A), NEW e \in A, NEW map(_), \A a \in A : map(a) \in Int
    PROVE MapThenSumSet(map, A) = map(e) + MapThenSumSet(map, A \ {e})

\* A sum with one more value.
THEOREM MapThenSumSetAddElement ==
    ASSUME NEW A, IsFiniteSet(A), NEW e, e \notin A, NEW map(_), \A a \in A \union {e} : map(a) \in Int
    PROVE MapThenSumSet(map, A \union {e}) = map(e) + MapThenSumSet(map, A)

\* The sum of the values on disjoint sets.
THEOREM MapThenSumSetDisjointUnion ==
    ASSUME NEW A, IsFiniteSet(A), NEW B, IsFiniteSet(B), A \cap B = {},
           NEW map(_), \A e \in A \union B : map(e) \in Int
    PROVE MapThenSumSet(map, A \union B) = MapThenSumSet(map, A) + MapThenSumSet(map, B)

\* Fewer natural values, no larger sum.
THEOREM MapThenSumSetNatSubset ==
    ASSUME NEW A, IsFiniteSet(A), NEW B \in SUBSET A, NEW map(_), \A a \in A : map(a) \in Nat
    PROVE MapThenSumSet(map, B) <= MapThenSumSet(map, A)

\* A sum of natural values that is 0.
THEOREM MapThenSumSetZero ==
    ASSUME NEW A, IsFiniteSet(A), NEW map(_), \A a \in A : map(a) \in Nat
    PROVE MapThenSumSet(map, A) = 0 <=> \A a \in A : map(a) = 0

\* Larger values, larger sum.
THEOREM MapThenSumSetMonotonic ==
    ASSUME NEW A, IsFiniteSet(A),
           NEW low(_), \A a \in A : low(a) \in Int,
           NEW high(_), \A a \in A : high(a) \in Int,
           \A a \in A : low(a) <= high(a)
    PROVE MapThenSumSet(low, A) <= MapThenSumSet(high, A)

\* The same strictly.
THEOREM MapThenSumSetStrictlyMonotonic ==
    ASSUME NEW A, IsFiniteSet(A),
           NEW low(_), \A a \in A : low(a) \in Int,
           NEW high(_), \A a \in A : high(a) \in Int,
           \A a \in A : low(a) <= high(a),
           NEW e \in A, low(e) < high(e)
    PROVE MapThenSumSet(low, A) < MapThenSumSet(high, A)

\* The maximum is the element above all.
THEOREM MaxInt ==
    ASSUME NEW A \in SUBSET Int, NEW k \in A, \A i \in A : k >= i
    PROVE Max(A) = k

\* A finite set has a maximum.
THEOREM MaxIntFinite ==
    ASSUME NEW A \in SUBSET Int, A # {}, IsFiniteSet(A)
    PROVE Max(A) \in A /\ \A i \in A : Max(A) >= i

\* A set with an upper bound has a maximum.
THEOREM MaxIntBounded ==
    ASSUME NEW A \in SUBSET Int, A # {}, NEW bound \in Int, \A i \in A : bound >= i
    PROVE Max(A) \in A /\ \A i \in A : Max(A) >= i

\* The maximum of an interval.
THEOREM MaxInterval ==
    ASSUME NEW lo \in Int, NEW hi \in Int, lo <= hi
    PROVE Max(lo..hi) = hi

\* The minimum is the element below all.
THEOREM MinInt ==
    ASSUME NEW A \in SUBSET Int, NEW k \in A, \A i \in A : k <= i
    PROVE Min(A) = k

\* A finite set has a minimum.
THEOREM MinIntFinite ==
    ASSUME NEW A \in SUBSET Int, A # {}, IsFiniteSet(A)
    PROVE Min(A) \in A /\ \A i \in A : Min(A) <= i

\* A set with a lower bound has a minimum.
THEOREM MinIntBounded ==
    ASSUME NEW A \in SUBSET Int, A # {}, NEW bound \in Int, \A i \in A : bound <= i
    PROVE Min(A) \in A /\ \A i \in A : Min(A) <= i

\* The minimum of an interval.
THEOREM MinInterval ==
    ASSUME NEW lo \in Int, NEW hi \in Int, lo <= hi
    PROVE Min(lo..hi) = lo

\* A set of natural numbers has a minimum.
THEOREM MinNat ==
    ASSUME NEW A \in SUBSET Nat, A # {}
    PROVE Min(A) \in A /\ \A i \in A : Min(A) <= i

\* What contains a majority is one.
THEOREM SupersetOfMajorityIsMajority ==
    ASSUME NEW All, IsFiniteSet(All), NEW P \in SUBSET All, NEW Q \in SUBSET All, P \subseteq Q,
           2 * Cardinality(P) > Cardinality(All)
    PROVE 2 * Cardinality(Q) > Cardinality(All)
====
