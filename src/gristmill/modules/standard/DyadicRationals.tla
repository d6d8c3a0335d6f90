---- MODULE DyadicRationals ----
\* Fractions whose denominator is a power of two, as records of num and den.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Fraction(n, d) == [num |-> n, den |-> d]

\* The greatest common divisor of a and a positive b.
LOCAL GCD(a, b) ==
    LET gcd[m, n \in Nat] == IF n = 0 THEN m ELSE gcd[n, m % n]
    IN gcd[b, a % b]

\* The fraction p in lowest terms.
LOCAL Reduce(p) ==
    LET g == GCD(p.num, p.den)
    IN Fraction(p.num \div g, p.den \div g)

\* The denominator of r is a power of two.
IsDyadicRational(r) ==
    LET power[n \in Nat] == n = 1 \/ (n > 1 /\ n % 2 = 0 /\ power[n \div 2])
    IN power[r.den]

Zero == Fraction(0, 1)
One == Fraction(1, 1)

\* The sum of p and q.
Add(p, q) ==
    LET d == IF p.den < q.den THEN q.den ELSE p.den
        n == p.num * (d \div p.den) + q.num * (d \div q.den)
    IN IF p = Zero THEN q ELSE Reduce(Fraction(n, d))

\* Half of p.
Half(p) == Reduce(Fraction(p.num, 2 * p.den))

\* p as text.
PrettyPrint(p) ==
    CASE p = Zero -> "0"
      [] p = One -> "1"
      [] OTHER -> ToString(p.num) \o "/" \o ToString(p.den)
====
