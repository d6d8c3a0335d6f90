---- MODULE Combinatorics ----
\* Counting.
EXTENDS Naturals

\* The number of permutations of n things.
factorial[n \in Nat] == IF n = 0 THEN 1 ELSE factorial[n - 1] * n

\* The number of ways to take k of n things.
choose(n, k) ==
    LET binomial[i \in 0..k] ==
            IF i = 0 THEN 1 ELSE (binomial[i - 1] * (n - k + i)) \div i
    IN binomial[k]
====
