---- MODULE Statistics ----
\* Statistical tests; evaluators supply the operator.
EXTENDS Naturals

\* The actual counts fit the expected ones at the significance level alpha (chi-square test).
ChiSquare(expected, actual, alpha) == TRUE
====
