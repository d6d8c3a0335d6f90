----------------------------- MODULE RaftMidway -----------------------------
(* Where a server is that was not followed from its beginning: for watching that begins in the middle of a run, or has   *)
(* lost track (`[watch.learn]` of the mappings of etcd and Redis Raft).                                                  *)
(*                                                                                                                       *)
(* A server that has acknowledged entries up to an index is as if it had taken a snapshot there, and so is a leader that *)
(* has sent them: what was before is forgotten, and counts as committed. What is not known is taken to be such that the  *)
(* server may do most: it has not voted, what clients have asked may be answered, others have all that the leader has.   *)
(* So it is followed until enough has been committed behind that index (`Settled`); nothing is called wrong before.      *)
(*                                                                                                                       *)
(* `seen`: messages of server i, sent and received, the oldest first. `m`: the last one, which i has sent. `past`: the   *)
(* states it may have been in when track was lost, if all that it has sent and received since is seen; else none.        *)
EXTENDS RaftMessages

CONSTANT Voting  \* who has a vote when watching begins in the middle of a run; {} if that is not known

End(m) == m.prev + Len(m.entries)
EndTerm(m) == IF m.entries = <<>> THEN m.prevTerm ELSE m.entries[Len(m.entries)].term

-----------------------------------------------------------------------------
(* What clients and others have asked, and was not answered. *)

Numbers(seen, kinds) == {seen[k].id : k \in {k \in DOMAIN seen : seen[k].kind \in kinds}}
Closed(seen) ==
    Numbers(seen, {"ClientWriteResp", "ClientReadResp", "ClientRefused", "ClientGone", "ClientJoined", "ClientLeft"})

Writing(seen, past) ==
    {[id |-> id, asks |-> 0, done |-> TRUE] :
        id \in (Numbers(seen, {"ClientWrite", "ClientJoin", "ClientLeave"})
                \cup UNION {{write.id : write \in each.writes} : each \in past}) \ Closed(seen)}

Getting(seen, past) ==
    {[id |-> id, since |-> 0, after |-> 0, term |-> 0, acks |-> {}, index |-> 0, done |-> TRUE] :
        id \in (Numbers(seen, {"ClientRead"}) \cup UNION {{get.id : get \in each.gets} : each \in past}) \ Closed(seen)}

Reading(i, seen) ==
    LET answered == {seen[k].token : k \in {k \in DOMAIN seen : seen[k].kind = "MsgReadIndexResp" /\ seen[k].from = i}}
        open == SelectSeq(seen, LAMBDA m : m.kind = "MsgReadIndex" /\ m.to = i /\ m.token \notin answered)
    IN  [k \in DOMAIN open |->
            [token |-> open[k].token, from |-> open[k].origin, low |-> 0, acks |-> Server, number |-> 0]]

-----------------------------------------------------------------------------
(* Members: as they were, with the changes since. *)

Moving(seen, last) ==
    UNION {{[index |-> seen[k].prev + n, entry |-> seen[k].entries[n]] :
                n \in {n \in DOMAIN seen[k].entries : Changes(seen[k].entries[n]) /\ seen[k].prev + n <= last}} :
              k \in {k \in DOMAIN seen : seen[k].kind = "MsgApp"}}

RECURSIVE Moved(_, _)
Moved(confs, moves) ==
    LET later == {move \in moves : move.index > confs[Len(confs)].index}
        next == CHOOSE move \in later : \A other \in later :
                    move.index < other.index \/ (move.index = other.index /\ move.entry.term >= other.entry.term)
    IN  IF later = {} THEN confs
        ELSE Moved(Append(confs, Changed(confs[Len(confs)], next.index, next.entry)), later)

Only(voters) == <<Conf(0, voters)>>

Memberships(seen, past, last) ==
    IF past # {} THEN {Moved(each.log.confs, Moving(seen, last)) : each \in past}
    ELSE {Only(IF Voting = {} THEN {Nobody} ELSE Voting)}

-----------------------------------------------------------------------------
(* The states after message number `at` of those seen *)

Since(i, at, seen, past, newer, leads, index, indexTerm, confs, owes) ==
    LET known == SubSeq(seen, 1, at)
    IN  [at |-> at, owes |-> owes,
         state |->
            [term |-> newer, vote |-> IF leads THEN i ELSE Nobody, role |-> IF leads THEN "Leader" ELSE "Follower",
             votes |-> {}, log |-> [base |-> index, baseTerm |-> indexTerm, entries |-> <<>>, confs |-> confs],
             commit |-> index, durable |-> index, match |-> [j \in Server |-> IF leads THEN index ELSE 0], told |-> 0,
             reads |-> IF leads THEN Reading(i, known) ELSE <<>>, sent |-> IF leads THEN seen[at].token ELSE 0,
             round |-> [number |-> 0, tokens |-> <<>>], writes |-> Writing(known, past), gets |-> Getting(known, past)]]

\* A leader that sends entries up to the end of its log, as far as that can be known, which are of its own term.
OfLeader(i, m, seen, past) ==
    LET last == End(m)
        Within(each) ==
            CASE each.kind = "MsgApp" /\ each.from = i /\ each.term = m.term -> End(each) <= last
              [] each.kind = "MsgAppResp" /\ each.to = i /\ each.term = m.term /\ ~each.reject -> each.index <= last
              [] OTHER -> TRUE
    IN  IF EndTerm(m) = m.term /\ m.commit <= last /\ \A k \in DOMAIN seen : Within(seen[k])
        THEN {Since(i, Len(seen), seen, past, m.term, TRUE, last, m.term, confs, {m}) :
                confs \in Memberships(seen, past, last)}
        ELSE {}

\* What this is the answer to.
IsAnswer(m, request) ==
    /\ request.to = m.from
    /\ request.from = m.to
    /\ \/ request.kind = "MsgApp" /\ request.term = m.term /\ request.token = m.token /\ End(request) = m.index
       \/ request.kind = "MsgSnap" /\ request.term = m.term /\ request.index = m.index

\* A server that has acknowledged entries, or a snapshot, and was not sent more before that.
OfFollower(i, m, seen, past) ==
    LET requests == IF m.reject THEN {} ELSE {k \in DOMAIN seen : IsAnswer(m, seen[k])}
        at == CHOOSE k \in requests : \A other \in requests : other <= k
        Beyond(each) == each.kind = "MsgApp" /\ each.to = i /\ each.term = m.term /\ End(each) > m.index
        entryTerm == IF seen[at].kind = "MsgSnap" THEN seen[at].indexTerm ELSE EndTerm(seen[at])
        named == IF seen[at].kind = "MsgSnap" THEN seen[at].voters ELSE {}
        memberships == IF named # {} THEN {<<Conf(m.index, named)>>}
                       ELSE Memberships(seen, past, m.index)
    IN  IF requests = {} \/ \E k \in 1 .. at : Beyond(seen[k]) THEN {}
        ELSE {Since(i, at, seen, past, m.term, FALSE, m.index, entryTerm, confs, {m}) : confs \in memberships}

-----------------------------------------------------------------------------
(* Since then so much was committed that nothing of before counts any more. *)
Settled(then, now) == now.commit >= then.commit + Retain
=============================================================================
