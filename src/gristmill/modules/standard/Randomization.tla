---- MODULE Randomization ----
\* Random subsets of finite sets.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

\* A subset of S with k elements.
RandomSubset(k, S) == CHOOSE T \in SUBSET S : Cardinality(T) = k

\* Up to k subsets of S with n elements on average.
RandomSetOfSubsets(k, n, S) == CHOOSE F \in SUBSET SUBSET S : Cardinality(F) <= k

\* The numbers of different subsets in five tries of RandomSetOfSubsets.
TestRandomSetOfSubsets(k, n, S) == [try \in 1..5 |-> Cardinality(RandomSetOfSubsets(k, n, S))]
====
