---- MODULE DifferentialEquations ----
\* Solutions of ordinary differential equations.
LOCAL INSTANCE Reals
LOCAL INSTANCE Sequences

LOCAL Positive == {r \in Real : 0 < r}

\* The open interval between a and b.
LOCAL Between(a, b) == {r \in Real : a < r /\ r < b}

\* d is the derivative of f: the difference quotients tend to d[x] at every x.
LOCAL IsDerivative(d, f) ==
    /\ d \in [DOMAIN f -> Real]
    /\ \A x \in DOMAIN f, e \in Positive :
          \E w \in Positive :
             \A y \in Between(x - w, x + w) \ {x} :
                (f[y] - f[x]) / (y - x) \in Between(d[x] - e, d[x] + e)

\* g is the n-th derivative of f.
LOCAL IsNthDerivative(n, g, f) ==
    \E h \in [0..n -> [DOMAIN f -> Real]] :
        h[0] = f /\ h[n] = g /\ \A i \in 1..n : IsDerivative(h[i], h[i - 1])

\* The values at b of f and its derivatives, where D of the point and of these is 0 around a..b and
\* InitVals are the values at a.
Integrate(D, a, b, InitVals) ==
    LET n == Len(InitVals)
        solves(h, e) ==
            LET near == Between(a - e, b + e)
            IN /\ h \in [0..n -> [near -> Real]]
               /\ \A i \in 1..n : IsNthDerivative(i, h[i], h[0]) /\ h[i - 1][a] = InitVals[i]
               /\ \A x \in near : D[<<x>> \o [i \in 1..(n + 1) |-> h[i - 1][x]]] = 0
        solution == CHOOSE h : \E e \in Positive : solves(h, e)
    IN [i \in 1..n |-> solution[i - 1][b]]
====
