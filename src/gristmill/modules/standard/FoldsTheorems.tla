---- MODULE FoldsTheorems ----
\* Facts about MapThenFoldSet.
EXTENDS Folds, FiniteSets

\* One step of the fold.
THEOREM MapThenFoldSetDef ==
    ASSUME NEW op(_, _), NEW start, NEW map(_), NEW pick(_), NEW A,
           IsFiniteSet(A),
           \A B \in SUBSET A : B # {} => pick(B) \in B
    PROVE MapThenFoldSet(op, start, map, pick, A) =
              IF A = {} THEN start
              ELSE LET x == pick(A)
                   IN op(map(x), MapThenFoldSet(op, start, map, pick, A \ {x}))

\* The fold of nothing.
THEOREM MapThenFoldSetEmpty ==
    ASSUME NEW op(_, _), NEW start, NEW map(_), NEW pick(_)
    PROVE MapThenFoldSet(op, start, map, pick, {}) = start

\* The first step of a fold of something.
THEOREM MapThenFoldSetNonempty ==
    ASSUME NEW op(_, _), NEW start, NEW map(_), NEW pick(_), NEW A, A # {},
           IsFiniteSet(A),
           \A B \in SUBSET A : B # {} => pick(B) \in B
    PROVE MapThenFoldSet(op, start, map, pick, A) =
              LET x == pick(A)
              IN op(map(x), MapThenFoldSet(op, start, map, pick, A \ {x}))

\* A bijection that respects values and choices keeps the result.
THEOREM MapThenFoldSetBijection ==
    ASSUME NEW op(_, _), NEW start,
           NEW A, IsFiniteSet(A), NEW mapA(_), NEW pickA(_),
           \A C \in SUBSET A : C # {} => pickA(C) \in C,
           NEW B, IsFiniteSet(B), NEW mapB(_), NEW pickB(_),
           \A C \in SUBSET B : C # {} => pickB(C) \in C,
           NEW to(_),
           \A a \in A : to(a) \in B,
           \A b \in B : \E a \in A : to(a) = b,
           \A a, aa \in A : to(a) = to(aa) => a = aa,
           \A a \in A : mapA(a) = mapB(to(a)),
           \A C \in SUBSET A : C # {} => to(pickA(C)) = pickB({to(a) : a \in C})
    PROVE MapThenFoldSet(op, start, mapA, pickA, A) = MapThenFoldSet(op, start, mapB, pickB, B)

\* Equal values give equal results.
THEOREM MapThenFoldSetEqual ==
    ASSUME NEW op(_, _), NEW start, NEW pick(_), NEW A, IsFiniteSet(A),
           \A B \in SUBSET A : B # {} => pick(B) \in B,
           NEW map(_), NEW other(_),
           \A a \in A : map(a) = other(a)
    PROVE MapThenFoldSet(op, start, map, pick, A) = MapThenFoldSet(op, start, other, pick, A)

\* The type of the result.
THEOREM MapThenFoldSetType ==
    ASSUME NEW A, IsFiniteSet(A),
           NEW Type, NEW op(_, _), NEW start \in Type, NEW map(_), NEW pick(_),
           \A x, y \in Type : op(x, y) \in Type,
           \A a \in A : map(a) \in Type,
           \A B \in SUBSET A : B # {} => pick(B) \in B
    PROVE MapThenFoldSet(op, start, map, pick, A) \in Type

\* For an associative and commutative operator any element may be the first.
THEOREM MapThenFoldSetAC ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type, NEW map(_),
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW A, IsFiniteSet(A), NEW e \in A,
           NEW pick(_), \A B \in SUBSET A : B # {} => pick(B) \in B,
           \A a \in A : map(a) \in Type
    PROVE MapThenFoldSet(op, start, map, pick, A) = op(map(e), MapThenFoldSet(op, start, map, pick, A \ {e}))

\* Such a fold with one more element.
THEOREM MapThenFoldSetACAddElement ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type, NEW map(_),
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           NEW A, IsFiniteSet(A), NEW e, e \notin A,
           NEW pick(_), \A B \in SUBSET A \union {e} : B # {} => pick(B) \in B,
           \A a \in A \union {e} : map(a) \in Type
    PROVE MapThenFoldSet(op, start, map, pick, A \union {e}) =
              op(map(e), MapThenFoldSet(op, start, map, pick, A))

\* Such a fold of two disjoint sets, from a neutral element.
THEOREM MapThenFoldSetDisjointUnion ==
    ASSUME NEW Type, NEW op(_, _), NEW start \in Type, NEW map(_),
           \A x, y \in Type : op(x, y) \in Type,
           \A x, y \in Type : op(x, y) = op(y, x),
           \A x, y, z \in Type : op(x, op(y, z)) = op(op(x, y), z),
           \A x \in Type : op(start, x) = x,
           NEW A, IsFiniteSet(A),
           NEW B, IsFiniteSet(B), A \cap B = {},
           NEW pick(_), \A C \in SUBSET (A \union B) : C # {} => pick(C) \in C,
           \A e \in A \union B : map(e) \in Type
    PROVE MapThenFoldSet(op, start, map, pick, A \union B) =
              op(MapThenFoldSet(op, start, map, pick, A), MapThenFoldSet(op, start, map, pick, B))
====
