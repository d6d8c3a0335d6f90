---- MODULE ReplicationCoarse ----
\* Nobody keeps acknowledgements: what a majority has may be committed.
EXTENDS Integers, FiniteSets
CONSTANTS Server, MaxLog
VARIABLES term, role, log, committed

Append(s) ==
    /\ role[s] = "leader"
    /\ log[s] < MaxLog
    /\ log' = [log EXCEPT ![s] = @ + 1]
    /\ UNCHANGED <<term, role, committed>>

Copy(s, v) ==
    /\ role[s] = "leader"
    /\ term[v] <= term[s]
    /\ log[v] < log[s]
    /\ log' = [log EXCEPT ![v] = log[s]]
    /\ term' = [term EXCEPT ![v] = term[s]]
    /\ role' = [role EXCEPT ![v] = "follower"]
    /\ UNCHANGED committed

Commit(s) ==
    /\ role[s] = "leader"
    /\ log[s] > committed
    /\ \E Q \in SUBSET Server : 2 * Cardinality(Q) > Cardinality(Server) /\ \A v \in Q : log[v] >= log[s]
    /\ committed' = log[s]
    /\ UNCHANGED <<term, role, log>>
====
