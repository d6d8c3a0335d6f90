---- MODULE ElectionCoarse ----
\* Nobody counts votes: a candidate may win once a majority has reached its term.
EXTENDS Integers, FiniteSets
CONSTANTS Server, MaxTerm
VARIABLES term, role, log, acks

Stand(s) ==
    /\ role[s] = "follower"
    /\ term[s] < MaxTerm
    /\ term' = [term EXCEPT ![s] = @ + 1]
    /\ role' = [role EXCEPT ![s] = "candidate"]
    /\ UNCHANGED <<log, acks>>

Vote(s, v) ==
    /\ role[s] = "candidate"
    /\ term[v] < term[s]
    /\ log[v] <= log[s]
    /\ term' = [term EXCEPT ![v] = term[s]]
    /\ role' = [role EXCEPT ![v] = "follower"]
    /\ acks' = [acks EXCEPT ![v] = {}]
    /\ UNCHANGED log

Win(s) ==
    /\ role[s] = "candidate"
    /\ \E Q \in SUBSET Server : 2 * Cardinality(Q) > Cardinality(Server) /\ \A v \in Q : term[v] >= term[s]
    /\ role' = [role EXCEPT ![s] = "leader"]
    /\ UNCHANGED <<term, log, acks>>
====
