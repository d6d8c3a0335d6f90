---- MODULE Bitwise ----
\* Operators on the binary digits of natural numbers.
LOCAL INSTANCE Integers

\* Digit n of x, counted from 0.
LOCAL Digit(x, n) == (x \div 2^n) % 2

\* The digits from n on that are 1 in x and y, as many as m has.
RECURSIVE And(_, _, _, _)
And(x, y, n, m) ==
    IF m = 0 THEN 0
    ELSE (IF Digit(x, n) = 1 /\ Digit(y, n) = 1 THEN 2^n ELSE 0) + And(x, y, n + 1, m \div 2)

\* The digits from n on that are 1 in x or y, as many as m has.
RECURSIVE Or(_, _, _, _)
Or(x, y, n, m) ==
    IF m = 0 THEN 0
    ELSE (IF Digit(x, n) = 1 \/ Digit(y, n) = 1 THEN 2^n ELSE 0) + Or(x, y, n + 1, m \div 2)

\* The digits from n on that are different in x and y, as many as m has.
RECURSIVE Xor(_, _, _, _)
Xor(x, y, n, m) ==
    IF m = 0 THEN 0
    ELSE (IF Digit(x, n) # Digit(y, n) THEN 2^n ELSE 0) + Xor(x, y, n + 1, m \div 2)

\* The digits from n on that are 0 in x, as many as m has.
RECURSIVE NotR(_, _, _)
NotR(x, n, m) ==
    IF m = 0 THEN 0
    ELSE (IF Digit(x, n) = 0 THEN 2^n ELSE 0) + NotR(x, n + 1, m \div 2)

LOCAL Larger(x, y) == IF x < y THEN y ELSE x

\* And, or, exclusive or of x and y.
x & y == And(x, y, 0, Larger(x, y))
x | y == Or(x, y, 0, Larger(x, y))
x ^^ y == Xor(x, y, 0, Larger(x, y))

\* All digits of a inverted, without leading zeros.
Not(a) == NotR(a, 0, a)

\* n without its last pos digits.
RECURSIVE shiftR(_, _)
shiftR(n, pos) == IF pos = 0 THEN n ELSE shiftR(n \div 2, pos - 1)
====
