---- MODULE Quorum ----
\* Quorum systems.

\* The non-empty, upward closed families of subsets of S of which any two members meet.
QuorumSystem(S) ==
    {F \in SUBSET SUBSET S :
        /\ F # {}
        /\ \A P, Q \in F : P \cap Q # {}
        /\ \A P \in F, Q \in SUBSET S : P \subseteq Q => Q \in F}
====
