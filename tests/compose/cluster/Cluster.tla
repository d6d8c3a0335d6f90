---- MODULE Cluster ----
\* Servers elect a leader, which appends to its log and copies it to the others.
EXTENDS Integers, FiniteSets
CONSTANTS Server, MaxTerm, MaxLog
VARIABLES term, role, log, votes, acks, committed

Majority(Q) == 2 * Cardinality(Q) > Cardinality(Server)

Init ==
    /\ term = [s \in Server |-> 0]
    /\ role = [s \in Server |-> "follower"]
    /\ log = [s \in Server |-> 0]
    /\ votes = [s \in Server |-> {}]
    /\ acks = [s \in Server |-> {}]
    /\ committed = 0

Stand(s) ==
    /\ role[s] = "follower"
    /\ term[s] < MaxTerm
    /\ term' = [term EXCEPT ![s] = @ + 1]
    /\ role' = [role EXCEPT ![s] = "candidate"]
    /\ votes' = [votes EXCEPT ![s] = {s}]
    /\ UNCHANGED <<log, acks, committed>>

Vote(s, v) ==
    /\ role[s] = "candidate"
    /\ term[v] < term[s]
    /\ log[v] <= log[s]
    /\ votes' = [votes EXCEPT ![s] = @ \cup {v}]
    /\ term' = [term EXCEPT ![v] = term[s]]
    /\ role' = [role EXCEPT ![v] = "follower"]
    /\ acks' = [acks EXCEPT ![v] = {}]
    /\ UNCHANGED <<log, committed>>

Win(s) ==
    /\ role[s] = "candidate"
    /\ Majority(votes[s])
    /\ role' = [role EXCEPT ![s] = "leader"]
    /\ UNCHANGED <<term, log, votes, acks, committed>>

Append(s) ==
    /\ role[s] = "leader"
    /\ log[s] < MaxLog
    /\ log' = [log EXCEPT ![s] = @ + 1]
    /\ acks' = [acks EXCEPT ![s] = {s}]
    /\ UNCHANGED <<term, role, votes, committed>>

Copy(s, v) ==
    /\ role[s] = "leader"
    /\ term[v] <= term[s]
    /\ log[v] < log[s]
    /\ log' = [log EXCEPT ![v] = log[s]]
    /\ term' = [term EXCEPT ![v] = term[s]]
    /\ role' = [role EXCEPT ![v] = "follower"]
    /\ acks' = [acks EXCEPT ![s] = @ \cup {v}]
    /\ UNCHANGED <<votes, committed>>

Commit(s) ==
    /\ role[s] = "leader"
    /\ log[s] > committed
    /\ Majority(acks[s])
    /\ committed' = log[s]
    /\ UNCHANGED <<term, role, log, votes, acks>>

Next ==
    \/ \E s \in Server : Stand(s)
    \/ \E s, v \in Server : Vote(s, v)
    \/ \E s \in Server : Win(s)
    \/ \E s \in Server : Append(s)
    \/ \E s, v \in Server : Copy(s, v)
    \/ \E s \in Server : Commit(s)

NeverBeyond == committed <= MaxLog
====
