---- MODULE Naturals ----
\* Arithmetic on the natural numbers. Evaluators supply all of it; the text fixes what they must agree with.

\* N with zero z and successor function s satisfies Peano's axioms.
LOCAL IsPeano(N, z, s) ==
    /\ z \in N
    /\ s \in [N -> N \ {z}]
    /\ \A m, n \in N : s[m] = s[n] => m = n
    /\ \A S \in SUBSET N : z \in S /\ (\A n \in S : s[n] \in S) => S = N

LOCAL Peano == CHOOSE p : IsPeano(p.numbers, 0, p.next)

\* The function on the naturals that maps 0 to base and n + 1 to Step of its value at n.
LOCAL Iterate(base, Step(_)) ==
    CHOOSE f : /\ DOMAIN f = Peano.numbers
               /\ f[0] = base
               /\ \A n \in Peano.numbers : f[Peano.next[n]] = Step(f[n])

\* The set of natural numbers.
Nat == Peano.numbers

\* Sum.
a + b == Iterate(a, LAMBDA n : Peano.next[n])[b]

\* Difference.
a - b == CHOOSE d : b + d = a

\* Product.
a * b == Iterate(0, LAMBDA n : n + a)[b]

\* Power.
a ^ b == Iterate(1, LAMBDA n : n * a)[b]

\* Order.
a \leq b == \E d \in Nat : a + d = b
a \geq b == b \leq a
a < b == a \leq b /\ a # b
a > b == b < a

\* The numbers from a up to and including b.
a .. b == {n \in Nat : a \leq n /\ n \leq b}

\* Quotient rounded down, and the remainder that belongs to it, for a positive b.
a \div b == CHOOSE q : b * q \leq a /\ a < b * (q + 1)
a % b == a - b * (a \div b)
====
