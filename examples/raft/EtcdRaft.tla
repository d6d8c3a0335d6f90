------------------------------ MODULE EtcdRaft ------------------------------
(* Raft as etcd 3.6 does it, to be replayed on it step by step. Servers, logs, links and faults are those of RaftReplay; *)
(* what is different is here, and it is mostly the leader: it keeps in mind how it sends to each other server.           *)
(*                                                                                                                       *)
(* Messages are called as etcd calls them. Heartbeats are sent by a clock, which does not run while we replay: Beat is   *)
(* what a heartbeat that the leader would send now does to a follower. Its answer is a message like others.              *)
EXTENDS RaftReplay

CONSTANT MaxTricks \* so many times the network loses or repeats a message

VARIABLES flow,    \* flow[l][s]: how leader l sends to s (below)
          lead,    \* lead[s]: whom s knows to lead in its term
          refused, \* refused[s]: who has refused to vote for s, as a candidate
          stored,  \* stored[s]: how far its log is committed, as the disk of s has it
          anew,    \* anew[s]: s has restarted, and has not written a term, vote or commit index since
          owes,    \* owes[s]: s has restarted, and has not told a leader of it yet
          tricks   \* how many messages were lost or repeated

keeps == <<flow, lead, refused, stored, anew, owes>>
more == <<keeps, tricks>>

(* A leader that does not know what a server has probes: it sends one message with entries, and waits for its answer, or *)
(* for any sign of life. When it knows, it replicates: it sends, and counts on that it arrives. `told` is the commit     *)
(* index that it has sent last.                                                                                          *)
Probing == [state |-> "probe", waits |-> FALSE, told |-> 0]

EtcdInit ==
    /\ Init
    /\ flow = [l \in Server |-> [s \in Server |-> Probing]]
    /\ lead = [s \in Server |-> Nobody]
    /\ refused = [s \in Server |-> {}]
    /\ stored = [s \in Server |-> 0]
    /\ anew = [s \in Server |-> FALSE]
    /\ owes = [s \in Server |-> FALSE]
    /\ tricks = 0

\* The commit index goes to the disk together with other things only: a term, a vote, entries. But what is the first to be
\* written after a restart goes there at once, since s compares it with what it has written before, which is nothing.
Stores(s) ==
    LET others == term'[s] /= term[s] \/ vote'[s] /= vote[s]
        any == others \/ commit'[s] /= commit[s]
    IN  /\ stored' = IF others \/ log'[s] /= log[s] \/ (any /\ anew[s]) THEN [stored EXCEPT ![s] = commit'[s]] ELSE stored
        /\ anew' = [anew EXCEPT ![s] = @ /\ ~any]

\* Of what a server in a newer term knows about its own.
Follows(s, newer, leader) ==
    /\ term' = [term EXCEPT ![s] = newer]
    /\ role' = [role EXCEPT ![s] = "Follower"]
    /\ vote' = [vote EXCEPT ![s] = IF newer > term[s] THEN Nobody ELSE @]
    /\ lead' = [lead EXCEPT ![s] = leader]
    /\ owes' = [owes EXCEPT ![s] = @ /\ leader = Nobody]

-----------------------------------------------------------------------------
(* Elections *)

Campaign(s) ==
    /\ up[s]
    /\ role[s] /= "Leader"
    /\ term[s] < MaxTerm
    /\ \A j \in Server : Len(net[s][j]) < MaxFlight
    /\ term' = [term EXCEPT ![s] = @ + 1]
    /\ role' = [role EXCEPT ![s] = "Candidate"]
    /\ vote' = [vote EXCEPT ![s] = s]
    /\ votes' = [votes EXCEPT ![s] = {s}]
    /\ refused' = [refused EXCEPT ![s] = {}]
    /\ lead' = [lead EXCEPT ![s] = Nobody]
    /\ Sends(s, [j \in Server |-> <<[kind |-> "MsgVote", term |-> term[s] + 1,
                                     lastTerm |-> LastTerm(log[s]), length |-> Len(log[s])]>>])
    /\ UNCHANGED <<log, commit, indices, sent, world, flow, owes, tricks>>
    /\ Stores(s)

\* A request of the past is ignored. Who knows a leader of this term votes for nobody else.
DeliverMsgVote(i, j) ==
    LET m == Head(net[i][j])
        newer == m.term > term[j]
        voted == IF newer THEN Nobody ELSE vote[j]
        granted == /\ voted = i \/ (voted = Nobody /\ (newer \/ lead[j] = Nobody))
                   /\ Covers(m.lastTerm, m.length, log[j])
    IN  /\ Arrives(i, j, "MsgVote")
        /\ \/ /\ m.term < term[j]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<term, role, vote, lead>>
           \/ /\ m.term >= term[j]
              /\ term' = [term EXCEPT ![j] = m.term]
              /\ role' = [role EXCEPT ![j] = IF newer THEN "Follower" ELSE @]
              /\ lead' = [lead EXCEPT ![j] = IF newer THEN Nobody ELSE @]
              /\ vote' = [vote EXCEPT ![j] = IF granted THEN i ELSE voted]
              /\ Answers(i, j, Only(i, [kind |-> "MsgVoteResp", term |-> m.term, granted |-> granted]))
        /\ UNCHANGED <<votes, log, commit, indices, sent, world, flow, refused, owes, tricks>>
        /\ Stores(j)

-----------------------------------------------------------------------------
(* What a leader sends. `all` is what it knows of every other server: match, next and flow. *)

Known(l) == [s \in Server |-> [match |-> matchIndex[l][s], next |-> nextIndex[l][s], flow |-> flow[l][s]]]

\* To one server with `own`, of entries up to the end: the message, and what is known then. An empty one only if `empty`.
SendsTo(own, entries, empty) == ~own.flow.waits /\ (empty \/ own.next <= Len(entries))
MessageTo(l, own, entries, committed) ==
    [kind |-> "MsgApp", term |-> term[l], prev |-> own.next - 1, prevTerm |-> TermAt(entries, own.next - 1),
     entries |-> SubSeq(entries, own.next, Len(entries)), commit |-> committed]
AfterSending(own, entries, committed) ==
    LET some == own.next <= Len(entries)
        replicates == own.flow.state = "replicate"
    IN  [own EXCEPT !.next = IF replicates THEN Len(entries) + 1 ELSE @,
                    !.flow = [@ EXCEPT !.waits = some /\ ~replicates, !.told = committed]]

\* To each of `receivers`, also an empty message.
Broadcast(l, receivers, all, entries, committed) ==
    LET reached == {s \in receivers : SendsTo(all[s], entries, TRUE)}
    IN  [messages |-> [s \in Server |-> IF s \in reached THEN <<MessageTo(l, all[s], entries, committed)>> ELSE <<>>],
         known |-> [s \in Server |-> IF s \in reached THEN AfterSending(all[s], entries, committed) ELSE all[s]]]

Keeps(l, known) ==
    /\ matchIndex' = [matchIndex EXCEPT ![l] = [s \in Server |-> known[s].match]]
    /\ nextIndex' = [nextIndex EXCEPT ![l] = [s \in Server |-> known[s].next]]
    /\ flow' = [flow EXCEPT ![l] = [s \in Server |-> known[s].flow]]

\* The deciding vote: a leader with its first entry, that tells all others. After a restart, it also has to say who it is,
\* which becomes an entry, too; the others are told of that when they have answered.
Elected(s, from, voters) ==
    LET first == Append(log[s], [term |-> term[s], command |-> 0])
        fresh == [j \in Server |-> [match |-> 0, next |-> Len(log[s]) + 1, flow |-> Probing]]
        sends == Broadcast(s, Server \ {s}, fresh, first, commit[s])
    IN  /\ role' = [role EXCEPT ![s] = "Leader"]
        /\ votes' = [votes EXCEPT ![s] = voters]
        /\ lead' = [lead EXCEPT ![s] = s]
        /\ log' = [log EXCEPT ![s] = IF owes[s] THEN Append(first, [term |-> term[s], command |-> 0]) ELSE first]
        /\ owes' = [owes EXCEPT ![s] = FALSE]
        /\ Keeps(s, sends.known)
        /\ Answers(from, s, sends.messages)
        /\ UNCHANGED <<term, vote, commit, refused>>

\* An election that was lost makes a follower.
DeliverMsgVoteResp(i, j) ==
    LET m == Head(net[i][j])
        counts == role[j] = "Candidate" /\ m.term = term[j] /\ i \notin votes[j] \union refused[j]
        voters == votes[j] \union {i}
        against == refused[j] \union {i}
    IN  /\ Arrives(i, j, "MsgVoteResp")
        /\ \/ counts /\ m.granted /\ Majority(voters) /\ Elected(j, i, voters)
           \/ /\ counts /\ m.granted /\ ~Majority(voters)
              /\ votes' = [votes EXCEPT ![j] = voters]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<term, role, vote, log, indices, flow, lead, refused, owes>>
           \/ /\ counts /\ ~m.granted
              /\ refused' = [refused EXCEPT ![j] = against]
              /\ role' = [role EXCEPT ![j] = IF Majority(against) THEN "Follower" ELSE @]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<term, vote, votes, log, indices, flow, lead, owes>>
           \/ /\ ~counts
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<elections, log, indices, flow, lead, refused, owes>>
        /\ UNCHANGED <<commit, sent, world, tricks>>
        /\ Stores(j)

-----------------------------------------------------------------------------
(* Replication *)

ProposeTo(s, command) ==
    LET entries == Append(log[s], [term |-> term[s], command |-> command])
        sends == Broadcast(s, Server \ {s}, Known(s), entries, commit[s])
    IN  /\ up[s]
        /\ role[s] = "Leader"
        /\ command = sent + 1
        /\ \A j \in Server : Len(net[s][j]) < MaxFlight
        /\ sent' = command
        /\ log' = [log EXCEPT ![s] = entries]
        /\ Keeps(s, sends.known)
        /\ Sends(s, sends.messages)
        /\ UNCHANGED <<elections, commit, world, lead, refused, owes, tricks>>
        /\ Stores(s)

\* The last index up to `index` whose term is not beyond `limit`: logs cannot agree behind it.
RECURSIVE Conflict(_, _, _)
Conflict(entries, index, limit) ==
    IF index = 0 \/ TermAt(entries, index) <= limit THEN index ELSE Conflict(entries, index - 1, limit)

Appended(entries, m) ==
    LET last == m.prev + Len(m.entries)
        same == /\ Len(entries) >= last
                /\ \A index \in m.prev + 1 .. last : entries[index].term = m.entries[index - m.prev].term
    IN  IF same THEN entries ELSE SubSeq(entries, 1, m.prev) \o m.entries

Accepted(newest, index) ==
    [kind |-> "MsgAppResp", term |-> newest, index |-> index, reject |-> FALSE, hint |-> 0, hintTerm |-> 0]

\* What is committed already is not looked at again. A leader of the past is told the term, and nothing else.
DeliverMsgApp(i, j) ==
    LET m == Head(net[i][j])
        old == m.prev < commit[j]
        has == Len(log[j]) >= m.prev /\ TermAt(log[j], m.prev) = m.prevTerm
        takes == has /\ ~old
        last == m.prev + Len(m.entries)
        hint == Conflict(log[j], Min(m.prev, Len(log[j])), m.prevTerm)
        answer == IF old THEN Accepted(m.term, commit[j])
                  ELSE IF has THEN Accepted(m.term, last)
                  ELSE [kind |-> "MsgAppResp", term |-> m.term, index |-> m.prev, reject |-> TRUE, hint |-> hint,
                        hintTerm |-> TermAt(log[j], hint)]
    IN  /\ Arrives(i, j, "MsgApp")
        /\ \/ /\ m.term >= term[j]
              /\ Follows(j, m.term, i)
              /\ log' = [log EXCEPT ![j] = IF takes THEN Appended(@, m) ELSE @]
              /\ commit' = [commit EXCEPT ![j] = IF takes THEN Max(@, Min(m.commit, last)) ELSE @]
              /\ Answers(i, j, Only(i, answer))
           \/ /\ m.term < term[j]
              /\ Answers(i, j, Only(i, Accepted(term[j], 0)))
              /\ UNCHANGED <<term, role, vote, log, commit, lead, owes>>
        /\ UNCHANGED <<votes, indices, sent, world, flow, refused, tricks>>
        /\ Stores(j)

\* What a leader knows of a server that has rejected a message, and whether that is news.
Decreased(s, own, m) ==
    LET probe == IF m.hintTerm > 0 THEN Conflict(log[s], Min(m.hint, Len(log[s])), m.hintTerm) ELSE m.hint
        next == IF own.flow.state = "replicate" THEN own.match + 1 ELSE Max(Min(m.index, probe + 1), own.match + 1)
    IN  [own EXCEPT !.next = next, !.flow = [state |-> "probe", waits |-> FALSE, told |-> Min(@.told, next - 1)]]
IsNews(own, m) == IF own.flow.state = "replicate" THEN m.index > own.match ELSE m.index = own.next - 1

\* What it knows of one that has accepted.
Increased(own, index) ==
    LET match == Max(own.match, index)
        probing == own.flow.state = "probe"
    IN  [own EXCEPT !.match = match,
                    !.next = IF probing THEN match + 1 ELSE Max(@, match + 1),
                    !.flow = [@ EXCEPT !.state = "replicate", !.waits = FALSE]]

Learns(s, from, m) ==
    LET own == Known(s)[from]
        advances == ~m.reject /\ (m.index > own.match \/ (m.index = own.match /\ own.flow.state = "probe"))
        changed == IF advances THEN Increased(own, m.index)
                   ELSE IF m.reject /\ IsNews(own, m) THEN Decreased(s, own, m) ELSE own
        all == [Known(s) EXCEPT ![from] = changed]
        committed == IF advances THEN Committed(s, [j \in Server |-> all[j].match]) ELSE commit[s]
        mayTell == committed > changed.flow.told /\ changed.flow.told < changed.next - 1
        receivers == IF committed > commit[s] THEN Server \ {s}
                     ELSE IF (m.reject /\ IsNews(own, m)) \/ (advances /\ (mayTell \/ changed.next <= Len(log[s])))
                     THEN {from} ELSE {}
        sends == Broadcast(s, receivers, all, log[s], committed)
    IN  /\ commit' = [commit EXCEPT ![s] = committed]
        /\ Keeps(s, sends.known)
        /\ Answers(from, s, sends.messages)
        /\ UNCHANGED <<elections, lead, owes>>

DeliverMsgAppResp(i, j) ==
    LET m == Head(net[i][j])
        meant == role[j] = "Leader" /\ m.term = term[j]
    IN  /\ Arrives(i, j, "MsgAppResp")
        /\ \/ meant /\ Learns(j, i, m)
           \/ /\ ~meant /\ m.term > term[j]
              /\ Follows(j, m.term, Nobody)
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<votes, commit, indices, flow>>
           \/ /\ ~meant /\ m.term <= term[j]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<elections, commit, indices, flow, lead, owes>>
        /\ UNCHANGED <<log, sent, world, refused, tricks>>
        /\ Stores(j)

-----------------------------------------------------------------------------
(* Heartbeats *)

\* A heartbeat from i reaches j.
Beat(i, j) ==
    LET known == Min(matchIndex[i][j], commit[i])
        answer == [kind |-> "MsgHeartbeatResp", term |-> term[i]]
    IN  /\ role[i] = "Leader"
        /\ Connected(i, j)
        /\ Len(net[i][j]) < MaxFlight
        /\ Len(net[j][i]) < MaxFlight
        /\ \/ /\ term[i] >= term[j]
              /\ Follows(j, term[i], i)
              /\ commit' = [commit EXCEPT ![j] = Max(@, known)]
              /\ Sends(j, Only(i, answer))
           \/ /\ term[i] < term[j]
              /\ Sends(j, Only(i, Accepted(term[j], 0)))
              /\ UNCHANGED <<term, role, vote, lead, owes, commit>>
        /\ UNCHANGED <<votes, log, indices, sent, world, flow, refused, tricks>>
        /\ Stores(j)

\* A sign of life: the leader waits no more, and sends what is missing.
DeliverMsgHeartbeatResp(i, j) ==
    LET m == Head(net[i][j])
        all == [Known(j) EXCEPT ![i].flow.waits = FALSE]
        receivers == IF all[i].match < Len(log[j]) \/ all[i].flow.state = "probe" THEN {i} ELSE {}
        sends == Broadcast(j, receivers, all, log[j], commit[j])
    IN  /\ Arrives(i, j, "MsgHeartbeatResp")
        /\ \/ /\ role[j] = "Leader" /\ m.term = term[j]
              /\ Keeps(j, sends.known)
              /\ Answers(i, j, sends.messages)
              /\ UNCHANGED <<term, role, vote, lead, owes>>
           \/ /\ ~(role[j] = "Leader" /\ m.term = term[j])
              /\ m.term <= term[j]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<term, role, vote, lead, owes, indices, flow>>
           \/ /\ m.term > term[j]
              /\ Follows(j, m.term, Nobody)
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<indices, flow>>
        /\ UNCHANGED <<votes, log, commit, sent, world, refused, tricks>>
        /\ Stores(j)

-----------------------------------------------------------------------------
(* What the world does to servers *)

Kill(s) == Crash(s) /\ UNCHANGED more

Start(s) ==
    /\ ~up[s]
    /\ up' = [up EXCEPT ![s] = TRUE]
    /\ role' = [role EXCEPT ![s] = "Follower"]
    /\ votes' = [votes EXCEPT ![s] = {}]
    /\ refused' = [refused EXCEPT ![s] = {}]
    /\ lead' = [lead EXCEPT ![s] = Nobody]
    /\ owes' = [owes EXCEPT ![s] = TRUE]
    /\ anew' = [anew EXCEPT ![s] = TRUE]
    /\ commit' = [commit EXCEPT ![s] = stored[s]]
    /\ UNCHANGED <<term, vote, log, indices, flow, stored, net, sent, cut, crashes, cuts, tricks>>

\* A message is lost, or comes once more after all others that are on their way.
Lose(i, j) ==
    /\ net[i][j] /= <<>>
    /\ tricks < MaxTricks
    /\ tricks' = tricks + 1
    /\ net' = [net EXCEPT ![i][j] = Tail(@)]
    /\ UNCHANGED <<elections, log, commit, indices, sent, world, keeps>>

Repeat(i, j) ==
    /\ net[i][j] /= <<>>
    /\ tricks < MaxTricks
    /\ Len(net[i][j]) < MaxFlight
    /\ tricks' = tricks + 1
    /\ net' = [net EXCEPT ![i][j] = Append(@, Head(@))]
    /\ UNCHANGED <<elections, log, commit, indices, sent, world, keeps>>

CutLink(i, j) == Cut(i, j) /\ UNCHANGED more
HealLink(i, j) == Heal(i, j) /\ UNCHANGED more

-----------------------------------------------------------------------------
EtcdNext ==
    \/ \E s \in Server : Campaign(s)
    \/ \E i, j \in Server : DeliverMsgVote(i, j)
    \/ \E i, j \in Server : DeliverMsgVoteResp(i, j)
    \/ \E s \in Server, command \in 1 .. MaxCommand : ProposeTo(s, command)
    \/ \E i, j \in Server : DeliverMsgApp(i, j)
    \/ \E i, j \in Server : DeliverMsgAppResp(i, j)
    \/ \E i, j \in Server : Beat(i, j)
    \/ \E i, j \in Server : DeliverMsgHeartbeatResp(i, j)
    \/ \E i, j \in Server : Lose(i, j)
    \/ \E i, j \in Server : Repeat(i, j)
    \/ \E s \in Server : Kill(s)
    \/ \E s \in Server : Start(s)
    \/ \E i, j \in Server : CutLink(i, j)
    \/ \E i, j \in Server : HealLink(i, j)

EtcdSpec == EtcdInit /\ [][EtcdNext]_<<vars, more>>
=============================================================================
