---- MODULE Integers ----
\* Arithmetic on the integers.
EXTENDS Naturals

\* The set of integers.
Int == Nat \cup {0 - n : n \in Nat}

\* Negation.
-. a == 0 - a
====
