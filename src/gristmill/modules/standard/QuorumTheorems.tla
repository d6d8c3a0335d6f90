---- MODULE QuorumTheorems ----
\* Facts about quorum systems.
EXTENDS Quorum, Integers, FiniteSets

\* Two quorums have an element in common.
THEOREM QuorumsIntersect ==
    ASSUME NEW All, NEW System \in QuorumSystem(All), NEW P \in System, NEW Q \in System
    PROVE \E e \in All : e \in P \cap Q

\* A set that contains a quorum is one.
THEOREM QuorumSuperset ==
    ASSUME NEW All, NEW System \in QuorumSystem(All), NEW P \in System, NEW Q \in SUBSET All, P \subseteq Q
    PROVE Q \in System

\* The majorities are a quorum system.
THEOREM MajoritiesQuorumSystem ==
    ASSUME NEW All, IsFiniteSet(All), All # {}
    PROVE {Q \in SUBSET All : 2 * Cardinality(Q) > Cardinality(All)} \in QuorumSystem(All)
====
