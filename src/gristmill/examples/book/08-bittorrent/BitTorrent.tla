----------------------------- MODULE BitTorrent -----------------------------
(* Peers share a file in pieces. They join and leave as they like, but the   *)
(* last copy of a piece stays; who leaves forgets everything.                *)
EXTENDS Naturals

CONSTANTS Peers, Pieces,
          Seed,     \* the peer that has the whole file at the beginning
          Watched   \* the peer for which we ask whether it gets the file

ASSUME Seed \in Peers /\ Watched \in Peers \ {Seed}

VARIABLES present,  \* the peers that are here
          has       \* the pieces of each

vars == <<present, has>>

Init == /\ present = {Seed}
        /\ has = [p \in Peers |-> IF p = Seed THEN Pieces ELSE {}]

Together(peers) == UNION {has[p] : p \in peers}

Join(p) == /\ p \notin present
           /\ present' = present \cup {p}
           /\ UNCHANGED has

Leave(p) == /\ p \in present
            /\ Together(present \ {p}) = Pieces
            /\ present' = present \ {p}
            /\ has' = [has EXCEPT ![p] = {}]

Progress(p) == /\ p \in present
               /\ \E piece \in Together(present) \ has[p] :
                    has' = [has EXCEPT ![p] = @ \cup {piece}]
               /\ UNCHANGED present

Next == \E p \in Peers : Join(p) \/ Leave(p) \/ Progress(p)

Moving == Init /\ [][Next]_vars /\ WF_vars(Next)
Joining == Moving /\ SF_vars(Join(Watched))

(* Fair to progress, whatever it starts from: not enough.                    *)
AnyProgress == Joining /\ SF_vars(Progress(Watched))

(* Fair to progress from each set of pieces that the watched peer may have.  *)
Spec == Joining /\ \A some \in SUBSET Pieces : SF_vars(has[Watched] = some /\ Progress(Watched))

-----------------------------------------------------------------------------
TypeOK == present \subseteq Peers /\ has \in [Peers -> SUBSET Pieces]
NothingLost == Together(present) = Pieces
AbsentHaveNothing == \A p \in Peers \ present : has[p] = {}

GetsTheFile == has[Watched] = {} ~> has[Watched] = Pieces
=============================================================================
