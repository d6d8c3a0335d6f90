------------------------------ MODULE ZabMidway ------------------------------
(* Where a server of ZooKeeper is that was not followed from its beginning: for watching that begins in the middle of a  *)
(* run, or has lost track (`[watch.learn]` of the mapping).                                                              *)
(*                                                                                                                       *)
(* A follower that has acknowledged a transaction is as if it had taken a snapshot there, when that was proposed to it;  *)
(* who says what it has in the discovery of a leader, as if it had taken one there; a leader that calls a transaction    *)
(* committed, as if it had begun with that, with what it has proposed since. What was before is forgotten, and counts as *)
(* committed; what is not known is taken to be such that the server may do most: it may lose what it was not seen to     *)
(* acknowledge, and others have acknowledged all before. As messages have numbers on their connections, a mistake about  *)
(* what a server has been sent soon shows. Nothing is called wrong before so much was committed that nothing of before   *)
(* counts (`Settled`).                                                                                                   *)
(*                                                                                                                       *)
(* Who observes acknowledges no transaction: where it is shows only when it joins a leader.                              *)
(*                                                                                                                       *)
(* `seen`: messages of server i, sent and received, the oldest first. `m`: the last one, which i has sent. `past`: the   *)
(* states it may have been in when track was lost, if all that it has sent and received since is seen; else none.        *)
EXTENDS ZabMessages, TLC

Asking == {"FOLLOWERINFO", "OBSERVERINFO"}
Proposing == {"PROPOSAL", "RECONFIG"}
Informing == {"INFORM", "INFORMANDACTIVATE"}
Committing == {"COMMIT", "COMMITANDACTIVATE"} \cup Informing
ByLeader == {"LEADERINFO", "DIFF", "TRUNC", "SNAP", "NEWLEADER", "UPTODATE"} \cup Proposing \cup Committing
ByFollower == Asking \cup {"ACKEPOCH", "ACK"}
Joining == Asking \cup {"LEADERINFO", "ACKEPOCH", "DIFF", "TRUNC", "SNAP", "NEWLEADER", "UPTODATE"}

Most(numbers, least) ==
    IF numbers = {} THEN least ELSE Max(least, CHOOSE most \in numbers : \A other \in numbers : other <= most)

\* The places of messages of these kinds.
Places(seen, kinds) == {k \in DOMAIN seen : seen[k].kind \in kinds}
OnLink(seen, kinds, link) == {k \in Places(seen, kinds) : seen[k].link = link}

From(zxid) == [from |-> zxid, ends |-> {}, base |-> zxid, entries |-> <<>>]

-----------------------------------------------------------------------------
(* What clients were told *)

ToldTo(seen) ==
    [link \in {seen[k].link : k \in Places(seen, {"Connect", "Reply"})} |->
        Most({seen[k].seen : k \in OnLink(seen, {"Connect"}, link)}
             \cup {seen[k].zxid : k \in OnLink(seen, {"Reply"}, link)}, 0)]

-----------------------------------------------------------------------------
(* Who has a vote: as it was when track was lost, or else one of `Voters`, with what messages have told since. If it is  *)
(* not seen whether the last configuration is active already, it may be or not.                                          *)

ToldOf(seen) ==
    LET telling == {k \in Places(seen, {"NOTIFICATION", "NEWLEADER", "RECONFIG", "INFORMANDACTIVATE"}) :
                        seen[k].version > 0 /\ seen[k].voters # {}}
    IN  {[version |-> seen[k].version, voters |-> seen[k].voters] : k \in telling}

LastOf(confs) == CHOOSE newest \in confs : \A other \in confs : other.version <= newest.version

\* The last of these configurations, behind the one before it, of a server whose log ends here.
Changing(own, confs, committed, end) ==
    LET newer == {conf \in confs : conf.version > own.seen.version}
        newest == LastOf(newer)
        older == LastOf((newer \ {conf \in newer : conf.version = newest.version}) \cup {own.seen})
        pending == IF newer = {} THEN own ELSE [was |-> older, active |-> older, seen |-> newest, shown |-> end]
        active == Activated(pending, end)
    IN  IF pending.seen.voters = pending.active.voters \/ pending.seen.version <= committed THEN {active}
        ELSE {pending, active}

Memberships(seen, past, end) ==
    LET began == {voters \in Voters : \E k \in Places(seen, {"NOTIFICATION", "NEWLEADER"}) :
                                           seen[k].version = 0 /\ seen[k].voters = voters}
        begun == IF past # {} THEN {each.members : each \in past}
                 ELSE {Agreed(voters) : voters \in IF began = {} THEN Voters ELSE began}
        committed == Most({seen[k].zxid : k \in Places(seen, Committing)}, 0)
    IN  UNION {Changing(own, ToldOf(seen), committed, end) : own \in begun}

-----------------------------------------------------------------------------
(* Connections of others that follow server i: those of which a message was seen, of each server the last one. *)

Incoming(i, seen) ==
    LET keys == {<<seen[k].from, seen[k].link>> : k \in {k \in Places(seen, ByFollower) : seen[k].to = i}}
                \cup {<<seen[k].to, seen[k].link>> : k \in {k \in Places(seen, ByLeader) : seen[k].from = i}}
    IN  {key \in keys : \A other \in keys : other[1] = key[1] => other[2] <= key[2]}

\* Whether enough was seen of it: its beginning, or something in both directions, so that the next numbers are known. Who
\* observes says nothing more, once it has begun.
IsSeen(seen, link) ==
    \/ OnLink(seen, Asking \cup Informing, link) # {}
    \/ OnLink(seen, ByLeader, link) # {} /\ OnLink(seen, ByFollower, link) # {}

\* What server i knows of it; if its beginning was not seen, it is in use since then: in this epoch, committed so far.
Downward(seen, key, epoch, committed) ==
    LET link == key[2]
        Zxids(kinds) == {seen[k].zxid : k \in OnLink(seen, kinds, link)}
        Numbers(kinds) == {seen[k].number : k \in OnLink(seen, kinds, link)}
        first == OnLink(seen, Asking, link)
        offer == OnLink(seen, {"LEADERINFO"}, link)
        promise == OnLink(seen, {"ACKEPOCH"}, link)
        base == OnLink(seen, {"DIFF", "TRUNC", "SNAP"}, link)
        Of(places) == seen[CHOOSE k \in places : TRUE]
        proposes == IF offer = {} THEN 0 ELSE Of(offer).epoch
        last == IF promise = {} THEN 0 ELSE Of(promise).zxid
        begins == IF base = {} THEN 0 ELSE IF Of(base).kind = "DIFF" THEN last ELSE Of(base).zxid
        acknowledged == \E k \in OnLink(seen, {"ACK"}, link) : seen[k].zxid = First(proposes)
        stage == CASE OnLink(seen, {"UPTODATE"}, link) # {} -> "serves"
                   [] OnLink(seen, {"NEWLEADER"}, link) # {} -> IF acknowledged THEN "follows" ELSE "proposed"
                   [] base # {} -> "syncing"
                   [] promise # {} -> "acknowledged"
                   [] offer # {} -> "offered"
                   [] OTHER -> "info"
        acks == {zxid \in Zxids({"ACK"}) : zxid % Wrap # 0}
        sent == Zxids(Proposing \cup Informing)
    IN  [peer |-> key[1], got |-> Most(Numbers(ByFollower), 0), put |-> Most(Numbers(ByLeader), 0),
         observes |-> OnLink(seen, {"OBSERVERINFO"} \cup Informing, link) # {}]
        @@ IF first = {}
           THEN [accepted |-> 0, epoch |-> epoch, stage |-> "serves", last |-> 0, current |-> -1,
                 at |-> Most(sent, committed), acked |-> Most(acks, committed),
                 committed |-> Most(Zxids(Committing), IF OnLink(seen, Committing, link) = {} THEN committed ELSE 0)]
           ELSE [accepted |-> Of(first).epoch, epoch |-> proposes, stage |-> stage, last |-> last,
                 current |-> IF promise = {} THEN -1 ELSE Of(promise).epoch,
                 at |-> Most(sent, begins), committed |-> Most(Zxids(Committing), begins),
                 acked |-> Most(acks, 0)]

AllDownward(i, seen, epoch, committed) ==
    LET keys == Incoming(i, seen)
    IN  [key \in {key \in keys : IsSeen(seen, key[2])} |-> Downward(seen, key, epoch, committed)]

-----------------------------------------------------------------------------
(* The states after message number `at` of those seen *)

Since(at, seen, past, epoch, newest, l, state) ==
    LET known == SubSeq(seen, 1, at)
    IN  {[at |-> at, owes |-> {},
          state |-> [accepted |-> newest, current |-> epoch, offered |-> [accepted |-> newest, current |-> epoch],
                     log |-> l, before |-> <<>>, heard |-> {Anything}, told |-> ToldTo(known), members |-> own] @@ state] :
            own \in Memberships(known, past, Last(l))}

\* Nothing has happened on a connection since it was opened, or all that it takes to be served.
IsServed(seen, link, at) ==
    LET joins == OnLink(seen, Joining, link)
    IN  joins = {} \/ \E last \in joins : last < at /\ seen[last].kind = "UPTODATE" /\ \A k \in joins : k <= last

\* A follower that acknowledges a transaction, after it has begun to serve clients.
OfFollower(i, m, seen, past) ==
    LET proposed == {k \in OnLink(seen, Proposing, m.link) : seen[k].zxid = m.zxid}
        at == CHOOSE k \in proposed : TRUE
        since == {k \in OnLink(seen, ByFollower, m.link) : k > at}
        epoch == EpochOf(m.zxid)
    IN  IF proposed = {} \/ ~IsServed(seen, m.link, at) THEN {}
        ELSE Since(at, seen, past, epoch, epoch, From(m.zxid),
                   [durable |-> 0, commit |-> m.zxid, mark |-> 0, lead |-> NoLead, down |-> Nothing,
                    up |-> [NoLeader EXCEPT !.link = m.link, !.to = m.to, !.stage = "serves", !.sure = TRUE, !.epoch = epoch,
                                            !.got = seen[at].number, !.put = m.number - Cardinality(since)]])

\* Who tells a new leader what it has. The first zxid of an epoch may stand for something older.
OfJoining(i, m, seen, past) ==
    LET offers == OnLink(seen, {"LEADERINFO"}, m.link)
        offer == seen[CHOOSE k \in offers : TRUE]
        hides == m.zxid % Wrap = 0
        observes == OnLink(seen, {"OBSERVERINFO"}, m.link) # {}
    IN  IF offers = {} \/ OnLink(seen, Asking, m.link) = {} \/ m.epoch = -1 THEN {}
        ELSE Since(Len(seen), seen, past, m.epoch, offer.epoch, From(m.zxid),
                   [durable |-> IF hides \/ observes THEN 0 ELSE m.zxid, commit |-> m.zxid,
                    mark |-> IF hides THEN m.zxid ELSE 0, lead |-> NoLead, down |-> Nothing,
                    up |-> [NoLeader EXCEPT !.link = m.link, !.to = m.to, !.stage = "acknowledges",
                                            !.epoch = offer.epoch, !.at = m.zxid, !.got = offer.number,
                                            !.put = m.number, !.observes = observes]])

\* A leader that calls a transaction of its own epoch committed. All that it has proposed since must have been seen.
OfLeader(i, m, seen, past) ==
    LET epoch == EpochOf(m.zxid)
        Own(kinds) == {k \in Places(seen, kinds) : seen[k].from = i}
        committed == Most({seen[k].zxid : k \in Own(Committing)}, m.zxid)
        proposed == {k \in Own(Proposing) : seen[k].zxid > committed}
        last == Most({seen[k].zxid : k \in proposed}, committed)
        EntryOfOwn(zxid) ==
            LET p == seen[CHOOSE k \in proposed : seen[k].zxid = zxid]
            IN  EntryOf(p, IF p.kind = "RECONFIG" THEN Reconfigure ELSE p.operation)
        dialed == {seen[k].link : k \in Own(ByFollower)}
    IN  IF \/ EpochOf(last) # epoch
           \/ {seen[k].zxid : k \in proposed} # (committed + 1) .. last
           \/ \E k \in Own({"LEADERINFO", "NEWLEADER"}) : seen[k].epoch > epoch
           \/ \E key \in Incoming(i, seen) : ~IsSeen(seen, key[2])
        THEN {}
        ELSE Since(Len(seen), seen, past, epoch, epoch,
                   [From(committed) EXCEPT !.entries = [n \in 1 .. (last - committed) |-> EntryOfOwn(committed + n)]],
                   [durable |-> 0, commit |-> committed, mark |-> First(epoch),
                    up |-> [NoLeader EXCEPT !.link = Most(dialed, -1)],
                    lead |-> [NoLead EXCEPT !.epoch = epoch, !.elected = TRUE, !.established = TRUE],
                    down |-> AllDownward(i, seen, epoch, committed)])

-----------------------------------------------------------------------------
(* Since then so much was committed that nothing of before counts any more. *)
Settled(then, now) == now.commit >= Last(then.log) + Retain \div 2
=============================================================================
