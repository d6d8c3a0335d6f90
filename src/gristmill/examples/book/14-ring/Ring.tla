-------------------------------- MODULE Ring --------------------------------
(* A key-value store without a centre. Keys are places on a ring, each node  *)
(* stands at a place of its own, and keeps the keys up to there from where   *)
(* the node before it stands. Nodes come and go; who stands behind one of    *)
(* them hands over or takes over its keys. They learn of each other by       *)
(* gossip, so each has its own idea of the ring, and it may be an old one.   *)
EXTENDS Naturals, FiniteSets

CONSTANTS Nodes, Seed,  \* the seed is there at the beginning
          Places,       \* how many places the ring has: 0 .. Places - 1
          Keys,         \* those that are written: a subset of the places
          MostChanges,  \* how often a node may change, for an exhaustive search
          NeedsKeys,    \* TRUE: a node is admitted only if there are keys for it, as in the book's listing
          AskFirst      \* TRUE: who wants to leave asks everybody whether somebody else is leaving

Place == 0..Places - 1
ASSUME Keys \subseteq Place /\ Seed \in Nodes

VARIABLES ring,     \* ring[u][v]: what u knows of v
          keys,     \* the keys that each node keeps
          written   \* all keys that were ever written

vars == <<ring, keys, written>>

Record(version, place, state) == [version |-> version, place |-> place, state |-> state]

Init == /\ ring = [u \in Nodes |-> [v \in Nodes |-> IF u = Seed /\ v = Seed THEN Record(1, 0, "online")
                                                     ELSE Record(0, 0, "offline")]]
        /\ keys = [u \in Nodes |-> {}]
        /\ written = {}

State(u) == ring[u][u].state
Distance(a, b) == (b + Places - a) % Places     \* going up and around

(* In a ring as somebody knows it: who keeps a key, and who stands before u. *)
Serving(known) == {v \in Nodes : known[v].state \in {"online", "leaving"}}
Keeper(key, known) == CHOOSE v \in Serving(known) : \A w \in Serving(known) :
                        Distance(key, known[v].place) <= Distance(key, known[w].place)

Others(u) == {v \in Nodes \ {u} : ring[u][v].state # "offline"}
IsBefore(v, u) == /\ v \in Others(u)
                  /\ \A w \in Others(u) : Distance(ring[u][v].place, ring[u][u].place) <=
                                          Distance(ring[u][w].place, ring[u][u].place)

(* What u and v know together, with what u now says of v.                    *)
Newer(a, b) == IF a.version < b.version THEN b ELSE a
Together(u, v) == [w \in Nodes |-> Newer(ring[u][w], ring[v][w])]
Agree(u, v, state) ==
    LET now == [Together(u, v) EXCEPT ![v] = Record(ring[u][v].version + 1, ring[u][v].place, state)]
    IN [ring EXCEPT ![u] = now, ![v] = now]

-----------------------------------------------------------------------------
Claimed == {ring[u][u].place : u \in {v \in Nodes : State(v) # "offline"}}

Join(u) == /\ State(u) = "offline"
           /\ \E place \in Place \ Claimed :
                ring' = [ring EXCEPT ![u][u] = Record(@.version + 1, place, "joining")]
           /\ UNCHANGED <<keys, written>>

(* u lets in v, who stands before it, and hands over v's keys.               *)
Admit(u, v) == /\ State(u) = "online" /\ IsBefore(v, u) /\ ring[u][v].state = "joining"
               /\ ring' = Agree(u, v, "online")
               /\ LET his == {key \in keys[u] : Keeper(key, ring'[u]) = v}
                  IN /\ NeedsKeys => his # {}
                     /\ keys' = [keys EXCEPT ![u] = @ \ his, ![v] = @ \cup his]
               /\ UNCHANGED written

Leave(u) == /\ State(u) = "online"
            /\ \E v \in Others(u) : ring[u][v].state = "online"
            /\ AskFirst => \A v \in Nodes : State(v) # "leaving"
            /\ ring' = [ring EXCEPT ![u][u] = Record(@.version + 1, @.place, "leaving")]
            /\ UNCHANGED <<keys, written>>

(* u takes over from v, who stands before it and wants to leave.             *)
TakeOver(u, v) == /\ State(u) = "online" /\ IsBefore(v, u) /\ ring[u][v].state = "leaving"
                  /\ ring' = Agree(u, v, "offline")
                  /\ keys' = [keys EXCEPT ![u] = @ \cup keys[v], ![v] = {}]
                  /\ UNCHANGED written

Gossip(u, v) == /\ State(u) # "offline" /\ State(v) # "offline"
                /\ ring' = [ring EXCEPT ![u] = Together(u, v), ![v] = Together(u, v)]
                /\ UNCHANGED <<keys, written>>

Write(u, key) == /\ State(u) \in {"online", "leaving"}
                 /\ key \notin written
                 /\ Keeper(key, ring[u]) = u
                 /\ keys' = [keys EXCEPT ![u] = @ \cup {key}]
                 /\ written' = written \cup {key}
                 /\ UNCHANGED ring

Next == \/ \E u \in Nodes : Join(u) \/ Leave(u) \/ \E key \in Keys : Write(u, key)
        \/ \E u \in Nodes : \E v \in Nodes \ {u} : Admit(u, v) \/ TakeOver(u, v) \/ Gossip(u, v)

Spec == /\ Init /\ [][Next]_vars
        /\ \A u, v \in Nodes : u # v => WF_vars(Admit(u, v)) /\ WF_vars(TakeOver(u, v)) /\ WF_vars(Gossip(u, v))

FewChanges == \A u \in Nodes : ring[u][u].version <= MostChanges

-----------------------------------------------------------------------------
DataUnique == \A u, v \in Nodes : u # v => keys[u] \cap keys[v] = {}
TokenLocation == \A u \in Nodes : \A key \in keys[u] : Keeper(key, ring[u]) = u
KVConsistent == UNION {keys[u] : u \in Nodes} = written

(* Somebody is there to admit who joins and to take over from who leaves.    *)
SomebodyStays == \E u \in Nodes : State(u) = "online"

Admitted == \A u \in Nodes : State(u) = "joining" ~> State(u) # "joining"
MayGo == \A u \in Nodes : State(u) = "leaving" ~> State(u) = "offline"
=============================================================================
