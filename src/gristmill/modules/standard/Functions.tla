---- MODULE Functions ----
\* Operators on functions.
EXTENDS Integers, Folds

\* f on S only.
Restrict(f, S) == [x \in S |-> f[x]]

\* f on the arguments that pass the test.
RestrictDomain(f, Test(_)) == Restrict(f, {x \in DOMAIN f : Test(x)})

\* f on the arguments whose value passes the test.
RestrictValues(f, Test(_)) == Restrict(f, {x \in DOMAIN f : Test(f[x])})

\* narrow is wide on a part of its domain.
IsRestriction(narrow, wide) == \A x \in DOMAIN narrow : x \in DOMAIN wide /\ narrow[x] = wide[x]

\* The set of values of f.
Range(f) == {f[x] : x \in DOMAIN f}

\* The function of the values T(f[x], g[x]), on the domain of f.
Pointwise(f, g, T(_, _)) == [x \in DOMAIN f |-> T(f[x], g[x])]

\* Maps each element of T that is a value of f to an argument in S where f has it, other elements to any in S.
Inverse(f, S, T) ==
    [t \in T |-> IF t \in Range(f) THEN CHOOSE s \in S : f[s] = t ELSE CHOOSE s \in S : TRUE]

\* The inverse of f on all its values.
AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))

\* f has different values for different arguments.
IsInjective(f) == \A x, y \in DOMAIN f : x # y => f[x] # f[y]

\* The injective, surjective and bijective functions from S to T.
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : T = Range(f)}
Bijection(S, T) == {f \in Surjection(S, T) : IsInjective(f)}

\* There is such a function.
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}

\* The element of S that repeated choice would take last.
LOCAL TakenLast(S) ==
    LET left[T \in SUBSET S] ==
            LET x == CHOOSE x \in T : TRUE
            IN IF T = {x} THEN x ELSE left[T \ {x}]
    IN left[S]

\* op(fun[k], ... op(fun[j], op(fun[i], base))) for the elements i, j, ..., k of indices in the order of choice.
FoldFunctionOnSet(op(_, _), base, fun, indices) ==
    MapThenFoldSet(op, base, LAMBDA i : fun[i], TakenLast, indices)

\* The same for all arguments of fun.
FoldFunction(op(_, _), base, fun) == FoldFunctionOnSet(op, base, fun, DOMAIN fun)

\* The sum of fun[i] for i in indices.
SumFunctionOnSet(fun, indices) == FoldFunctionOnSet(+, 0, fun, indices)

\* The sum of all values of fun.
SumFunction(fun) == SumFunctionOnSet(fun, DOMAIN fun)
====
