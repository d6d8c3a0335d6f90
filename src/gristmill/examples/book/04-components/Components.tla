----------------------------- MODULE Components -----------------------------
(* Strongly connected components by propagation of maxima, as a machine with *)
(* many small processors would do it. Each vertex learns the largest vertex  *)
(* that reaches it, and the largest that it reaches. Where they are the same *)
(* at both ends of an edge, the ends may be in one component; other edges    *)
(* are cut, and it begins again, until the two agree everywhere.             *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS Vertices, Edges,  \* a directed graph: numbers, and pairs of them
          Steps,            \* "sweeps": all edges at once; "edges": one after the other, in any order
          Mistake           \* "none"; "last edge" and "no edges to cut" are those of the book's listing

ASSUME /\ Vertices \subseteq Nat
       /\ Edges \subseteq Vertices \X Vertices
       /\ Steps \in {"sweeps", "edges"}
       /\ Mistake \in {"none", "last edge", "no edges to cut"}

VARIABLES phase,    \* "start", "spread", "cut" or "done"
          edges,    \* those not cut
          todo,     \* those not looked at in this phase
          from, to, \* the largest vertex known that reaches a vertex, and that it reaches
          changed   \* whether something was learned in this round

vars == <<phase, edges, todo, from, to, changed>>

Maximum(S) == CHOOSE x \in S : \A y \in S : x >= y

Init == /\ phase = "start"
        /\ edges = Edges
        /\ todo = {}
        /\ from = [v \in Vertices |-> v]
        /\ to = [v \in Vertices |-> v]
        /\ changed = FALSE

Start == /\ phase = "start"
         /\ phase' = "spread"
         /\ todo' = edges
         /\ from' = [v \in Vertices |-> v]
         /\ to' = [v \in Vertices |-> v]
         /\ changed' = FALSE
         /\ UNCHANGED edges

(* What a step may take on at once.                                          *)
Portions == IF todo = {} THEN {}
            ELSE IF Steps = "sweeps" THEN {todo}
            ELSE {{e} : e \in todo}

Spread == /\ phase = "spread"
          /\ \E some \in Portions :
               /\ from' = [v \in Vertices |-> Maximum({from[v]} \cup {from[e[1]] : e \in {d \in some : d[2] = v}})]
               /\ to' = [v \in Vertices |-> Maximum({to[v]} \cup {to[e[2]] : e \in {d \in some : d[1] = v}})]
               /\ todo' = todo \ some
          /\ LET now == from' # from \/ to' # to
             IN changed' = IF Mistake = "last edge" THEN now ELSE (changed \/ now)
          /\ UNCHANGED <<phase, edges>>

SpreadAgain == /\ phase = "spread" /\ todo = {} /\ changed
               /\ todo' = edges
               /\ changed' = FALSE
               /\ UNCHANGED <<phase, edges, from, to>>

BeginToCut == /\ phase = "spread" /\ todo = {} /\ ~changed
              /\ phase' = "cut"
              /\ todo' = IF Mistake = "no edges to cut" THEN {} ELSE edges
              /\ UNCHANGED <<edges, from, to, changed>>

Cut == /\ phase = "cut"
       /\ \E some \in Portions :
            /\ edges' = edges \ {e \in some : from[e[1]] # from[e[2]] \/ to[e[1]] # to[e[2]]}
            /\ todo' = todo \ some
       /\ UNCHANGED <<phase, from, to, changed>>

Decide == /\ phase = "cut" /\ todo = {}
          /\ phase' = IF from = to THEN "done" ELSE "start"
          /\ UNCHANGED <<edges, todo, from, to, changed>>

Finished == phase = "done" /\ UNCHANGED vars

Next == Start \/ Spread \/ SpreadAgain \/ BeginToCut \/ Cut \/ Decide \/ Finished

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

-----------------------------------------------------------------------------
(* The naive way, to compare with: who reaches whom.                         *)
RECURSIVE ReachableFrom(_)
ReachableFrom(S) == LET more == S \cup {e[2] : e \in {d \in Edges : d[1] \in S}}
                    IN IF more = S THEN S ELSE ReachableFrom(more)

Reach == [v \in Vertices |-> ReachableFrom({v})]
Component(v) == {w \in Vertices : w \in Reach[v] /\ v \in Reach[w]}
Components == {Component(v) : v \in Vertices}

Found == {{w \in Vertices : to[w] = to[v]} : v \in Vertices}

Correct == phase = "done" => Found = Components
Ends == <>(phase = "done")
Searching == phase # "done"     \* a counterexample shows what was found

(* Twelve vertices with the components that the book prints: {3, 8, 11},     *)
(* {4, 10}, {6, 7}, and five that stand alone.                               *)
Twelve == 0..11
TwelveEdges == {<<3, 8>>, <<8, 11>>, <<11, 3>>, <<6, 7>>, <<7, 6>>, <<4, 10>>, <<10, 4>>,
                <<0, 3>>, <<0, 6>>, <<1, 6>>, <<2, 4>>, <<3, 9>>, <<5, 2>>, <<6, 10>>, <<9, 7>>, <<11, 5>>}

(* Two cycles and a way between them, small enough for every order of edges. *)
Five == 1..5
FiveEdges == {<<1, 2>>, <<2, 1>>, <<2, 3>>, <<3, 4>>, <<4, 5>>, <<5, 3>>}
=============================================================================
