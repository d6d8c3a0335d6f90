---- MODULE Reals ----
\* Arithmetic on the real numbers.
EXTENDS Integers

\* The set of real numbers, a superset of the integers.
Real == CHOOSE R : Int \subseteq R

\* Quotient.
a / b == CHOOSE q \in Real : q * b = a

\* A value above every real number.
Infinity == CHOOSE x : x \notin Real /\ \A r \in Real : r < x
====
