------------------------------- MODULE Gossip -------------------------------
(* Servers have versions, and tell each other what they know about them all. *)
(* A server that restarts remembers its own version, and forgets the others. *)
EXTENDS Naturals

CONSTANTS Servers, Latest   \* versions go up to this one

VARIABLE known      \* known[s][t]: the version of t that s knows

Init == known = [s \in Servers |-> [t \in Servers |-> 0]]

Newer(a, b) == IF a > b THEN a ELSE b

Gossip(s, t) == LET both == [u \in Servers |-> Newer(known[s][u], known[t][u])]
                IN known' = [known EXCEPT ![s] = both, ![t] = both]

Bump(s) == /\ known[s][s] < Latest
           /\ known' = [known EXCEPT ![s][s] = @ + 1]

Restart(s) == known' = [known EXCEPT ![s] = [t \in Servers |-> IF t = s THEN @[s] ELSE 0]]

Next == \E s \in Servers : \/ Bump(s)
                           \/ Restart(s)
                           \/ \E t \in Servers \ {s} : Gossip(s, t)

Spec == Init /\ [][Next]_known /\ WF_known(Next) /\ \A s \in Servers : WF_known(Bump(s))
NoBumps == Init /\ [][Next]_known /\ WF_known(Next)     \* versions need not grow

-----------------------------------------------------------------------------
InRange == \A s, t \in Servers : known[s][t] \in 0..Latest

(* Nobody knows a version that was not reached.                              *)
NoRumours == \A s, t \in Servers : known[s][t] <= known[t][t]

UpToDate(group) == \A s, t \in group : known[s][t] = Latest

Pairs == {pair \in SUBSET Servers : \E s, t \in pair : s # t /\ pair = {s, t}}

SomePairAgainAndAgain == \E pair \in Pairs : []<>UpToDate(pair)
SomePairForGood == \E pair \in Pairs : <>[]UpToDate(pair)
EverybodyAgainAndAgain == []<>UpToDate(Servers)
=============================================================================
