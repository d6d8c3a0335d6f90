---------------------------- MODULE RaftMessages ----------------------------
(* Raft as its messages show it: what a server may send, given what it has sent and received. It is made for watching   *)
(* servers of etcd and Redis Raft (`gristmill watch`), and is checked like any other (RaftMessagesBounded.cfg).          *)
(*                                                                                                                       *)
(* Every variable but `messages` is a function of the server, and every action is of one server i, which reads and       *)
(* writes its own part, reads one message to it, and sends messages. So a server can be judged by its messages alone.    *)
(*                                                                                                                       *)
(* It says what is safe, not when an implementation does it. A leader may send any part of its log at any time, and      *)
(* any commit index that is not beyond its own. What clients propose is part of the log when the leader first sends it.  *)
(* What clients ask, and what they are told, are messages like others: a write is answered after its entry is committed, *)
(* a read after the leader has heard of a quorum that it still leads.                                                    *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Server,      \* the servers, and those that may join
          Nobody,      \* whom a server votes for that has not voted
          Client,      \* whoever asks for something
          Founders,    \* the servers that there are in the beginning: one of these sets
          Seeded,      \* whether their logs begin with an entry of term 1 for each of them, all committed
          Retain,      \* so many committed entries a server remembers; what was before is not looked at any more
          PreVotes,    \* whether a server campaigns only if a quorum would vote for it
          WhenApplied, \* whether members change when that is applied, some time after it was committed; else at once
          RejectsAt,   \* what a rejection of entries names: "prev", what they follow on; "last", the end of the log
          Joint,       \* whether several members may change at once, by a joint configuration
          EarlyJoins,  \* whether who joins may be told so before it has a vote
          Index,       \* what actions choose from: indexes,
          Term,        \*   terms,
          Batch,       \*   sequences of entries,
          Token,       \*   numbers of reads, or of messages; 0 is none
          Id,          \*   numbers of what clients ask,
          Members      \*   sets of servers

VARIABLES messages, \* all that were sent. They may arrive late, never, or several times
          term, vote, role,
          votes,    \* who would vote, or votes, for a server that campaigns
          log,      \* [base, baseTerm, entries, confs]: what was before is forgotten
          commit,   \* how far the log is committed, as far as the server knows
          durable,  \* how far the log is on disk: whoever acknowledges entries has stored them
          match,    \* match[i][j]: up to where j has the log of i, as leader i knows
          told,     \* the highest commit index that the server has told others
          reads,    \* of a leader: reads that wait, in their order, each [token, from, low, acks, number]
          sent,     \* the highest number of a message with entries that a leader has sent
          round,    \* reads that the server has begun itself: the number of the last one, and the tokens of the last ones
          writes,   \* what clients want to be written here: each [id, asks, done]
          gets      \* what clients want to read here: each [id, since, after, term, acks, index, done]

election == <<term, vote, role, votes>>
storage == <<log, commit, durable>>
leading == <<match, told, reads, sent>>
asked == <<writes, gets>>
vars == <<messages, election, storage, leading, round, asked>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

Conf(index, voters) == [index |-> index, voters |-> voters, outgoing |-> {}, learners |-> {}]

Init == \E founders \in Founders :
    LET first(i) == IF Seeded /\ i \in founders THEN Cardinality(founders) ELSE 0
        conf(i) == Conf(0, IF i \in founders THEN founders ELSE {})
    IN  /\ messages = {}
        /\ term = [i \in Server |-> IF Seeded /\ i \in founders THEN 1 ELSE 0]
        /\ vote = [i \in Server |-> Nobody]
        /\ role = [i \in Server |-> "Follower"]
        /\ votes = [i \in Server |-> {}]
        /\ log = [i \in Server |-> [base |-> first(i), baseTerm |-> IF first(i) = 0 THEN 0 ELSE 1, entries |-> <<>>,
                                    confs |-> <<conf(i)>>]]
        /\ commit = [i \in Server |-> first(i)]
        /\ durable = [i \in Server |-> first(i)]
        /\ match = [i \in Server |-> [j \in Server |-> 0]]
        /\ told = [i \in Server |-> 0]
        /\ reads = [i \in Server |-> <<>>]
        /\ sent = [i \in Server |-> 0]
        /\ round = [i \in Server |-> [number |-> 0, tokens |-> <<>>]]
        /\ writes = [i \in Server |-> {}]
        /\ gets = [i \in Server |-> {}]

-----------------------------------------------------------------------------
(* Members. `confs` of a log are who they are, each with the index of the entry that made them so, oldest first. Those   *)
(* that count any more are the last one, if they count when their entry is appended. If they count when it is applied,   *)
(* nobody else knows when that was: any that is committed may count, and the first, until a newer one must.              *)
(* Several members change by two entries: "enter" names the voters that there are to be, and those that there were are   *)
(* `outgoing` from then on, so that a quorum of both is needed; "leave" ends that.                                       *)

Changes(entry) == entry.change # "none"
Revotes(entry) == entry.change \in {"add", "remove", "enter", "leave"}  \* a server that only learns has no vote

Several(conf, index, entry) ==
    IF entry.change = "leave" THEN [conf EXCEPT !.index = index, !.outgoing = {}]
    ELSE [index |-> index, voters |-> entry.member, outgoing |-> conf.voters, learners |-> conf.learners \ entry.member]

Changed(conf, index, entry) ==
    LET member == {entry.member}
    IN  IF entry.change \in {"enter", "leave"} THEN Several(conf, index, entry)
        ELSE [index |-> index,
              voters |-> IF entry.change = "add" THEN conf.voters \cup member
                         ELSE IF entry.change = "remove" THEN conf.voters \ member ELSE conf.voters,
              outgoing |-> conf.outgoing,
              learners |-> IF entry.change = "learner" THEN conf.learners \cup member ELSE conf.learners \ member]

RECURSIVE Extended(_, _, _, _)
Extended(confs, prev, entries, k) ==
    IF k > Len(entries) THEN confs
    ELSE Extended(IF Changes(entries[k]) THEN Append(confs, Changed(confs[Len(confs)], prev + k, entries[k])) ELSE confs,
                  prev, entries, k + 1)

With(confs, prev, entries) ==
    IF \E k \in DOMAIN entries : Changes(entries[k]) THEN Extended(confs, prev, entries, 1) ELSE confs

UpTo(confs, index) == IF Len(confs) = 1 THEN confs ELSE SelectSeq(confs, LAMBDA conf : conf.index <= index)
From(confs, index) ==
    IF Len(confs) = 1 THEN confs
    ELSE SubSeq(confs, Max(1, Cardinality({k \in DOMAIN confs : confs[k].index <= index})), Len(confs))

Known(l, committed) == {l.confs[k] : k \in {k \in DOMAIN l.confs : k = 1 \/ l.confs[k].index <= committed}}
Counting(l, committed) ==
    IF Len(l.confs) = 1 \/ ~WhenApplied THEN {l.confs[Len(l.confs)]} ELSE Known(l, committed)

\* If watching begins in the middle of a run, it may not be known who has a vote: then Nobody is among them, and any two
\* servers may be a quorum.
Unclear(voters) == Nobody \in voters
Majority(servers, voters) == 2 * Cardinality(servers \cap voters) > Cardinality(voters)
IsQuorum(l, committed, servers) ==
    \E conf \in Counting(l, committed) :
        IF Unclear(conf.voters) THEN Cardinality(servers) > 1
        ELSE Majority(servers, conf.voters) /\ (conf.outgoing = {} \/ Majority(servers, conf.outgoing))

\* A server that needs nobody else commits what it appends: nobody sees that.
IsAlone(i) == IsQuorum(log[i], commit[i], {i})

-----------------------------------------------------------------------------
(* Logs *)

Last(l) == l.base + Len(l.entries)
Has(l, index) == l.base <= index /\ index <= Last(l)
TermAt(l, index) == IF index = l.base THEN l.baseTerm ELSE l.entries[index - l.base].term
LastTerm(l) == TermAt(l, Last(l))
Prefix(l, index) == [l EXCEPT !.entries = SubSeq(@, 1, index - l.base), !.confs = UpTo(@, index)]
First(newer) == [term |-> newer, data |-> 0, asks |-> 0, change |-> "none", member |-> Nobody]  \* of a leader

\* What a server forgets follows from what is committed.
Forgotten(l, committed) ==
    LET base == Max(l.base, committed - Retain)
    IN  IF base < l.base + Retain THEN l  \* from time to time, as that is all the same
        ELSE [base |-> base, baseTerm |-> TermAt(l, base),
              entries |-> SubSeq(l.entries, base - l.base + 1, Len(l.entries)), confs |-> From(l.confs, base)]

\* The entries after `prev`, of which those that are not remembered any more count as equal.
Agrees(l, prev, entries, upTo) ==
    \A k \in Max(1, l.base + 1 - prev) .. Min(Len(entries), upTo - prev) : l.entries[prev + k - l.base] = entries[k]

\* Up to where a log stays as it is if a server takes these entries.
Stays(l, prev, entries) ==
    IF Agrees(l, prev, entries, Last(l)) THEN Min(Last(l), Max(l.base, prev + Len(entries)))
    ELSE CHOOSE index \in Max(prev, l.base) .. Last(l) :
            Agrees(l, prev, entries, index) /\ ~Agrees(l, prev, entries, index + 1)

\* The log of a server that takes these entries: one that has them already keeps what it has behind them.
Taken(l, prev, entries) ==
    LET index == Stays(l, prev, entries)
        new == SubSeq(entries, Max(1, index - prev + 1), Len(entries))
    IN  IF prev + Len(entries) <= index THEN l
        ELSE [l EXCEPT !.entries = SubSeq(@, 1, index - l.base) \o new, !.confs = With(UpTo(@, index), index, new)]

-----------------------------------------------------------------------------
(* What clients are told: writes whose entries are committed, *)

Written(waiting, l, before, committed) ==
    IF waiting = {} \/ committed <= before THEN waiting
    ELSE LET done == {l.entries[index - l.base].asks : index \in (Max(before, l.base) + 1) .. committed}
         IN  {IF write.asks \in done THEN [write EXCEPT !.done = TRUE] ELSE write : write \in waiting}

\* and reads that were begun before one that was confirmed, by rounds of their own,
Confirmed(waiting, numbers, index) ==
    {IF get.done \/ (\A number \in numbers : get.since >= number) THEN get
     ELSE [get EXCEPT !.done = TRUE, !.index = index] : get \in waiting}

\* or by answers to entries that were sent after they had been asked.
Heard(waiting, newer, from, token) ==
    {IF token <= get.after THEN get
     ELSE [get EXCEPT !.term = newer, !.acks = (IF get.term = newer THEN get.acks ELSE {}) \cup {from}] : get \in waiting}

-----------------------------------------------------------------------------
(* Messages and terms *)

Sends(new) == messages' = messages \cup new
Arrives(i, m, kind) == m.to = i /\ m.kind = kind

\* Server i hears of a term, from somebody who leads it or not. In its own term nothing changes but that it follows.
Hears(i, newer, leads) ==
    /\ term' = [term EXCEPT ![i] = Max(@, newer)]
    /\ vote' = [vote EXCEPT ![i] = IF newer > term[i] THEN Nobody ELSE @]
    /\ role' = [role EXCEPT ![i] = IF newer > term[i] \/ leads THEN "Follower" ELSE @]
    /\ votes' = [votes EXCEPT ![i] = IF newer > term[i] \/ leads THEN {} ELSE @]

\* What was said in an older term has no other effect than that its sender is told the newer one.
IsPast(i, m) == m.term < term[i]
Outdated(i, m, token) ==
    /\ IsPast(i, m)
    /\ Sends({[kind |-> "MsgAppResp", from |-> i, to |-> m.from, term |-> term[i],
               index |-> IF RejectsAt = "last" THEN Last(log[i]) ELSE 0, reject |-> RejectsAt = "last", token |-> token]})
    /\ UNCHANGED <<election, storage, leading, round, asked>>

-----------------------------------------------------------------------------
(* Elections *)

\* Whoever campaigns has applied all that it knows to be committed, so that it knows who has a vote; and has one itself.
Sure(i) == IF WhenApplied THEN From(log[i].confs, commit[i]) ELSE log[i].confs
Electorate(i) ==
    LET voters == UNION {conf.voters \cup conf.outgoing : conf \in Counting(log[i], commit[i])}
    IN  IF Unclear(voters) THEN Server ELSE voters
MayCampaign(i) == role[i] # "Leader" /\ i \in Electorate(i)
Asks(i, kind) ==
    {[kind |-> kind, from |-> i, to |-> j, term |-> term[i] + 1, lastTerm |-> LastTerm(log[i]), last |-> Last(log[i])] :
        j \in Electorate(i) \ {i}}

PreCampaign(i) ==
    /\ MayCampaign(i)
    /\ role' = [role EXCEPT ![i] = "PreCandidate"]
    /\ votes' = [votes EXCEPT ![i] = {i}]
    /\ log' = [log EXCEPT ![i].confs = Sure(i)]
    /\ Sends(Asks(i, "MsgPreVote"))
    /\ UNCHANGED <<term, vote, commit, durable, leading, round, asked>>

Campaigns(i) ==
    /\ MayCampaign(i)
    /\ term' = [term EXCEPT ![i] = @ + 1]
    /\ vote' = [vote EXCEPT ![i] = i]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ votes' = [votes EXCEPT ![i] = {i}]
    /\ log' = [log EXCEPT ![i].confs = Sure(i)]
    /\ Sends(Asks(i, "MsgVote"))
    /\ UNCHANGED <<commit, durable, leading, round, asked>>

Campaign(i) ==
    /\ PreVotes => role[i] = "PreCandidate" /\ IsQuorum(log[i], commit[i], votes[i])
    /\ Campaigns(i)

\* Who was alone has elected itself, and appended and committed what nobody has seen: also that another server is a member,
\* which it tells that it leads, and asks later.
CampaignsSince(i, j, newer, lastTerm, last) ==
    /\ WhenApplied /\ IsAlone(i)
    /\ j # i
    /\ role[i] = "Leader" /\ term[i] > 1  \* that it has elected itself was seen
    /\ newer > term[i]
    /\ last >= Last(log[i])
    /\ LastTerm(log[i]) <= lastTerm /\ lastTerm < newer
    /\ vote' = [vote EXCEPT ![i] = i]
    /\ votes' = [votes EXCEPT ![i] = {i}]
    /\ log' = [log EXCEPT ![i] = [base |-> last, baseTerm |-> lastTerm, entries |-> <<>>,
                                  confs |-> <<Conf(last, {i, j})>>]]
    /\ commit' = [commit EXCEPT ![i] = last]
    /\ durable' = [durable EXCEPT ![i] = last]
    /\ UNCHANGED <<leading, round, asked>>

PreCampaignSince(i, j, newer, lastTerm, last) ==
    /\ CampaignsSince(i, j, newer, lastTerm, last)
    /\ term' = [term EXCEPT ![i] = newer - 1]
    /\ role' = [role EXCEPT ![i] = "PreCandidate"]
    /\ Sends({[kind |-> "MsgPreVote", from |-> i, to |-> j, term |-> newer, lastTerm |-> lastTerm, last |-> last]})

CampaignSince(i, j, newer, lastTerm, last) ==
    /\ CampaignsSince(i, j, newer, lastTerm, last)
    /\ term' = [term EXCEPT ![i] = newer]
    /\ role' = [role EXCEPT ![i] = "Candidate"]
    /\ Sends({[kind |-> "MsgVote", from |-> i, to |-> j, term |-> newer, lastTerm |-> lastTerm, last |-> last]})

\* The leader wants this server to take over.
HandleTimeoutNow(i, m) ==
    /\ Arrives(i, m, "MsgTimeoutNow")
    /\ m.term = term[i]
    /\ Campaigns(i)

IsUpToDate(i, m) ==
    \/ m.lastTerm > LastTerm(log[i])
    \/ m.lastTerm = LastTerm(log[i]) /\ m.last >= Last(log[i])

\* Nothing changes but what the candidate knows. It may always be refused.
HandlePreVote(i, m) ==
    /\ Arrives(i, m, "MsgPreVote")
    /\ \/ /\ m.term > term[i]
          /\ IsUpToDate(i, m)
          /\ Sends({[kind |-> "MsgPreVoteResp", from |-> i, to |-> m.from, term |-> m.term, granted |-> TRUE]})
       \/ Sends({[kind |-> "MsgPreVoteResp", from |-> i, to |-> m.from, term |-> term[i], granted |-> FALSE]})
    /\ UNCHANGED <<election, storage, leading, round, asked>>

HandleVote(i, m) ==
    /\ Arrives(i, m, "MsgVote")
    /\ \/ /\ m.term >= term[i]
          /\ IsUpToDate(i, m)
          /\ m.term > term[i] \/ vote[i] \in {Nobody, m.from}
          /\ term' = [term EXCEPT ![i] = m.term]
          /\ vote' = [vote EXCEPT ![i] = m.from]
          /\ role' = [role EXCEPT ![i] = IF m.term > term[i] THEN "Follower" ELSE @]
          /\ votes' = [votes EXCEPT ![i] = IF m.term > term[i] THEN {} ELSE @]
          /\ Sends({[kind |-> "MsgVoteResp", from |-> i, to |-> m.from, term |-> m.term, granted |-> TRUE]})
       \/ /\ m.term >= term[i]
          /\ Hears(i, m.term, FALSE)
          /\ Sends({[kind |-> "MsgVoteResp", from |-> i, to |-> m.from, term |-> m.term, granted |-> FALSE]})
       \/ /\ m.term # term[i]  \* of a candidate that is ignored
          /\ Sends({[kind |-> "MsgVoteResp", from |-> i, to |-> m.from, term |-> term[i], granted |-> FALSE]})
          /\ UNCHANGED election
    /\ UNCHANGED <<storage, leading, round, asked>>

HandlePreVoteResp(i, m) ==
    /\ Arrives(i, m, "MsgPreVoteResp")
    /\ \/ /\ m.granted
          /\ role[i] = "PreCandidate"
          /\ m.term = term[i] + 1
          /\ votes' = [votes EXCEPT ![i] = @ \cup {m.from}]
          /\ UNCHANGED <<term, vote, role>>
       \/ /\ ~m.granted
          /\ m.term > term[i]
          /\ Hears(i, m.term, FALSE)
    /\ UNCHANGED <<messages, storage, leading, round, asked>>

\* The deciding vote makes a leader, whose first entry is empty.
HandleVoteResp(i, m) ==
    LET counted == votes[i] \cup {m.from}
        wins == IsQuorum(log[i], commit[i], counted)
    IN  /\ Arrives(i, m, "MsgVoteResp")
        /\ \/ /\ m.granted
              /\ role[i] = "Candidate"
              /\ m.term = term[i]
              /\ votes' = [votes EXCEPT ![i] = IF wins THEN {} ELSE counted]
              /\ role' = [role EXCEPT ![i] = IF wins THEN "Leader" ELSE @]
              /\ log' = [log EXCEPT ![i].entries = IF wins THEN Append(@, First(term[i])) ELSE @]
              /\ match' = [match EXCEPT ![i] = IF wins THEN [j \in Server |-> 0] ELSE @]
              /\ reads' = [reads EXCEPT ![i] = IF wins THEN <<>> ELSE @]
              /\ sent' = [sent EXCEPT ![i] = IF wins THEN 0 ELSE @]
              /\ UNCHANGED <<term, vote>>
           \/ /\ m.term > term[i]
              /\ Hears(i, m.term, FALSE)
              /\ UNCHANGED <<log, match, reads, sent>>
        /\ UNCHANGED <<messages, commit, durable, told, round, asked>>

-----------------------------------------------------------------------------
(* Replication *)

HasCommitted(i) == TermAt(log[i], commit[i]) = term[i]

\* Who is alone has appended and committed what nobody has heard of yet.
Unseen(l, prev, prevTerm, entries, committed, newer) ==
    LET Alone(index, indexTerm) == [l EXCEPT !.base = index, !.baseTerm = indexTerm, !.entries = <<>>]
    IN  IF prev > Last(l) THEN Alone(prev, prevTerm)
        ELSE IF committed > Max(Last(l), prev + Len(entries)) THEN Alone(committed, newer) ELSE l

\* Members change one at a time: not before the last change is committed, nor before the leader has committed anything.
\* From a joint configuration there is one way, to leave it.
SameVotes(one, other) == one.voters = other.voters /\ one.outgoing = other.outgoing
MayChange(i, l, new) ==
    LET changes == {k \in DOMAIN new : Revotes(new[k])}
        IsJoint == l.confs[Len(l.confs)].outgoing # {}
    IN  changes # {} =>
            /\ Cardinality(changes) = 1
            /\ HasCommitted(i)
            /\ \A k \in 2 .. Len(l.confs) : l.confs[k].index > commit[i] => SameVotes(l.confs[k], l.confs[k - 1])
            /\ \A k \in changes : (new[k].change = "leave") = IsJoint /\ (new[k].change = "enter" => Joint)

\* Some of the log, and perhaps new entries at its end. Who is alone elects itself, which nobody sees, either.
SendAppend(i, j, newer, prev, prevTerm, entries, committed, token) ==
    LET alone == IsAlone(i)
        elected == newer > term[i]
        l == IF alone THEN Unseen(log[i], prev, prevTerm, entries, committed, newer) ELSE log[i]
        new == SubSeq(entries, Max(1, Last(l) - prev + 1), Len(entries))
        taken == IF new = <<>> THEN l ELSE Taken(l, prev, entries)
        known == IF ~alone THEN commit[i] ELSE IF IsQuorum(taken, Last(taken), {i}) THEN Last(taken) ELSE Last(l)
    IN  /\ IF elected THEN alone ELSE role[i] = "Leader" /\ newer = term[i]  \* a quorum has voted for it in this term
        /\ j # i
        /\ prev <= Last(l)  \* it has the entry before
        /\ prev >= l.base => prevTerm = TermAt(l, prev)  \* the entry before is of this term
        /\ prev < l.base => prevTerm <= l.baseTerm
        /\ Agrees(l, prev, entries, Last(l))  \* these are the entries that it has
        /\ \A k \in DOMAIN new : new[k].term = newer  \* new entries are of its own term
        /\ alone \/ MayChange(i, l, new)  \* the last change of members is committed, and an entry of its own term
        /\ committed <= known  \* a quorum has what it says to be committed
        /\ term' = [term EXCEPT ![i] = newer]
        /\ vote' = [vote EXCEPT ![i] = IF elected THEN i ELSE @]
        /\ role' = [role EXCEPT ![i] = "Leader"]
        /\ votes' = [votes EXCEPT ![i] = IF elected THEN {} ELSE @]
        /\ log' = [log EXCEPT ![i] = IF alone THEN Forgotten(taken, known) ELSE taken]
        /\ commit' = [commit EXCEPT ![i] = known]
        /\ durable' = [durable EXCEPT ![i] = IF alone THEN Max(@, known) ELSE @]
        /\ told' = [told EXCEPT ![i] = Max(@, committed)]
        /\ match' = [match EXCEPT ![i] = IF elected THEN [k \in Server |-> 0] ELSE @]
        /\ reads' = [reads EXCEPT ![i] = IF elected THEN <<>> ELSE @]
        /\ sent' = [sent EXCEPT ![i] = IF elected THEN token ELSE Max(@, token)]
        /\ Sends({[kind |-> "MsgApp", from |-> i, to |-> j, term |-> newer, prev |-> prev, prevTerm |-> prevTerm,
                   entries |-> entries, commit |-> committed, token |-> token]})
        /\ UNCHANGED <<round, asked>>

\* What is committed already need not be looked at. Else the entries are taken if they follow on what is there.
HandleAppend(i, m) ==
    LET l == log[i]
        last == m.prev + Len(m.entries)
        fits == Has(l, m.prev) /\ TermAt(l, m.prev) = m.prevTerm
        safe == Agrees(l, m.prev, m.entries, commit[i])
        taken == Taken(l, m.prev, m.entries)
        known == Max(commit[i], Min(m.commit, last))
        Answer(index, rejects) ==
            {[kind |-> "MsgAppResp", from |-> i, to |-> m.from, term |-> m.term, index |-> index, reject |-> rejects,
              token |-> m.token]}
    IN  /\ Arrives(i, m, "MsgApp")
        /\ \/ Outdated(i, m, m.token)
           \/ /\ ~IsPast(i, m)
              /\ m.term > term[i] \/ role[i] # "Leader"
              /\ Hears(i, m.term, TRUE)
              /\ \/ /\ m.prev < commit[i]
                    /\ Sends(Answer(commit[i], FALSE))
                    /\ UNCHANGED <<storage, writes>>
                 \/ /\ fits /\ safe
                    /\ Sends(Answer(last, FALSE))
                    /\ log' = [log EXCEPT ![i] = Forgotten(taken, known)]
                    /\ commit' = [commit EXCEPT ![i] = known]
                    /\ durable' = [durable EXCEPT ![i] = Last(taken)]
                    /\ writes' = [writes EXCEPT ![i] = Written(@, taken, commit[i], known)]
                 \/ /\ ~fits /\ m.prev >= commit[i]
                    /\ Sends(Answer(IF RejectsAt = "last" THEN Last(l) ELSE m.prev, TRUE))
                    /\ UNCHANGED <<storage, writes>>
              /\ UNCHANGED <<leading, round, gets>>

\* The highest index that a quorum has, if it is of the leader's own term.
Committed(i, matched) ==
    LET l == log[i]
        indexes == {index \in {matched[j] : j \in Server \ {i}} \cup {Last(l)} : index > commit[i] /\ index <= Last(l)}
        stored == {index \in indexes : IsQuorum(l, commit[i], {i} \cup {j \in Server \ {i} : matched[j] >= index})}
        highest == CHOOSE index \in stored : \A other \in stored : other <= index
    IN  IF stored = {} \/ TermAt(l, highest) # term[i] THEN commit[i] ELSE highest

HandleAppendResp(i, m) ==
    LET matched == IF m.reject THEN match[i] ELSE [match[i] EXCEPT ![m.from] = Max(@, m.index)]
        known == Committed(i, matched)
    IN  /\ Arrives(i, m, "MsgAppResp")
        /\ \/ /\ role[i] = "Leader"
              /\ m.term = term[i]
              /\ m.reject \/ m.index <= Last(log[i])
              /\ match' = [match EXCEPT ![i] = matched]
              /\ commit' = [commit EXCEPT ![i] = known]
              /\ durable' = [durable EXCEPT ![i] = Max(@, known)]
              /\ log' = [log EXCEPT ![i] = Forgotten(@, known)]
              /\ writes' = [writes EXCEPT ![i] = Written(@, log[i], commit[i], known)]
              /\ gets' = [gets EXCEPT ![i] = Heard(@, term[i], m.from, m.token)]
              /\ UNCHANGED election
           \/ /\ m.term > term[i]
              /\ Hears(i, m.term, FALSE)
              /\ UNCHANGED <<storage, match, asked>>
        /\ UNCHANGED <<messages, told, reads, sent, round>>

-----------------------------------------------------------------------------
(* Heartbeats, and reads, which are confirmed by them: a read that has a token waits until a quorum has answered a       *)
(* heartbeat with this token, or with that of a later read. Before a leader has committed an entry of its own term, it   *)
(* does not know what is committed, and must not begin.                                                                  *)

Waits(i, token) == \E k \in DOMAIN reads[i] : reads[i][k].token = token
NewRead(i, token, from, number) == [token |-> token, from |-> from, low |-> told[i], acks |-> {}, number |-> number]

\* A token that was not heard of before begins a read of this server, for those of its clients who have asked by then.
\* Where an answer is long in coming, another token is sent for the same clients, and any of these may be answered.
MostTokens == 8
Begins(i, token) == {k \in DOMAIN round[i].tokens : round[i].tokens[k] = token}
IsNew(i, token) == token # 0 /\ Begins(i, token) = {}
NumbersOf(i, token) == {round[i].number - (Len(round[i].tokens) - k) : k \in Begins(i, token)}  \* at most one
NumberOf(i, token) == IF Begins(i, token) = {} THEN 0 ELSE CHOOSE number \in NumbersOf(i, token) : TRUE

\* Whether some client waits for an answer to one of the tokens before.
IsAwaited(i) == \E get \in gets[i] : ~get.done /\ get.since < round[i].number
Begun(i, token, last) ==
    IF ~IsNew(i, token) THEN last
    ELSE [number |-> last.number + 1,
          tokens |-> IF ~IsAwaited(i) THEN <<token>>
                     ELSE Append(SubSeq(last.tokens, Max(1, Len(last.tokens) - MostTokens + 2), Len(last.tokens)), token)]

SendHeartbeat(i, j, committed, token) ==
    LET new == IsNew(i, token) /\ ~Waits(i, token)
    IN  /\ role[i] = "Leader"  \* a quorum has voted for it in this term
        /\ j # i
        /\ committed <= commit[i]  \* a quorum has what it says to be committed
        /\ committed <= match[i][j]  \* the other server has what is said to be committed
        /\ told' = [told EXCEPT ![i] = Max(@, committed)]
        /\ token # 0 => HasCommitted(i)  \* before it asks for a read, it has committed an entry of its own term
        /\ reads' = [reads EXCEPT ![i] = IF new THEN Append(@, NewRead(i, token, i, round[i].number + 1)) ELSE @]
        /\ round' = [round EXCEPT ![i] = IF new THEN Begun(i, token, @) ELSE @]
        /\ Sends({[kind |-> "MsgHeartbeat", from |-> i, to |-> j, term |-> term[i], commit |-> committed,
                   token |-> token]})
        /\ UNCHANGED <<election, storage, match, sent, asked>>

HeartbeatSince(i, j, newer, token) ==
    /\ WhenApplied /\ IsAlone(i)
    /\ j # i
    /\ newer > term[i] \/ (newer = term[i] /\ role[i] = "Leader")
    /\ term' = [term EXCEPT ![i] = newer]
    /\ vote' = [vote EXCEPT ![i] = i]
    /\ role' = [role EXCEPT ![i] = "Leader"]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ Sends({[kind |-> "MsgHeartbeat", from |-> i, to |-> j, term |-> newer, commit |-> 0, token |-> token]})
    /\ UNCHANGED <<storage, leading, round, asked>>

HandleHeartbeat(i, m) ==
    LET known == Max(commit[i], m.commit)
    IN  /\ Arrives(i, m, "MsgHeartbeat")
        /\ \/ Outdated(i, m, 0)
           \/ /\ ~IsPast(i, m)
              /\ m.term > term[i] \/ role[i] # "Leader"
              /\ m.commit <= Last(log[i])
              /\ Hears(i, m.term, TRUE)
              /\ commit' = [commit EXCEPT ![i] = known]
              /\ log' = [log EXCEPT ![i] = Forgotten(@, known)]
              /\ writes' = [writes EXCEPT ![i] = Written(@, log[i], commit[i], known)]
              /\ Sends({[kind |-> "MsgHeartbeatResp", from |-> i, to |-> m.from, term |-> m.term, token |-> m.token]})
              /\ UNCHANGED <<durable, leading, round, gets>>

\* Whoever has answered one read has answered those before it. Own reads that a quorum has answered are done.
Acknowledged(waiting, from, token) ==
    [k \in DOMAIN waiting |->
        IF \E later \in k .. Len(waiting) : waiting[later].token = token
        THEN [waiting[k] EXCEPT !.acks = @ \cup {from}] ELSE waiting[k]]

HandleHeartbeatResp(i, m) ==
    LET marked == Acknowledged(reads[i], m.from, m.token)
        IsDone(read) == read.from = i /\ IsQuorum(log[i], commit[i], read.acks \cup {i})
        done == {marked[k].number : k \in {k \in DOMAIN marked : IsDone(marked[k])}}
    IN  /\ Arrives(i, m, "MsgHeartbeatResp")
        /\ \/ /\ role[i] = "Leader"
              /\ m.term = term[i]
              /\ m.token # 0
              /\ reads' = [reads EXCEPT ![i] = SelectSeq(marked, LAMBDA read : ~IsDone(read))]
              /\ gets' = [gets EXCEPT ![i] = IF done = {} THEN @ ELSE Confirmed(@, done, 0)]
              /\ UNCHANGED election
           \/ /\ m.term > term[i]
              /\ Hears(i, m.term, FALSE)
              /\ UNCHANGED <<reads, gets>>
        /\ UNCHANGED <<messages, storage, match, told, sent, round, writes>>

\* A server that does not lead asks somebody who does. Another one that does not lead, either, passes that on, perhaps to
\* who had asked first, and leads by now. To ask for somebody else promises nothing.
ForwardRead(i, j, origin, token) ==
    /\ j # i
    /\ token # 0
    /\ round' = [round EXCEPT ![i] = IF origin = i THEN Begun(i, token, @) ELSE @]
    /\ Sends({[kind |-> "MsgReadIndex", from |-> i, to |-> j, origin |-> origin, token |-> token]})
    /\ UNCHANGED <<election, storage, leading, asked>>

HandleReadIndex(i, m) ==
    /\ Arrives(i, m, "MsgReadIndex")
    /\ role[i] = "Leader"
    /\ ~Waits(i, m.token)
    /\ reads' = [reads EXCEPT ![i] = Append(@, NewRead(i, m.token, m.origin,
                                               IF m.origin = i THEN NumberOf(i, m.token) ELSE 0))]
    /\ UNCHANGED <<messages, election, storage, match, told, sent, round, asked>>

\* The answer is not older than what anybody had been told when the read began.
AnswerRead(i, j, token, index) ==
    /\ role[i] = "Leader"
    /\ HasCommitted(i)  \* it has committed an entry of its own term
    /\ index <= commit[i]  \* a quorum has what it says to be committed
    /\ \E k \in DOMAIN reads[i] :
        /\ reads[i][k].token = token
        /\ reads[i][k].from = j
        /\ reads[i][k].low <= index  \* the answer is not older than what had been told when the read began
        \* a quorum has acknowledged a heartbeat since the read began
        /\ IsQuorum(log[i], commit[i], reads[i][k].acks \cup {i})
        /\ reads' = [reads EXCEPT ![i] = SubSeq(@, 1, k - 1) \o SubSeq(@, k + 1, Len(@))]
    /\ told' = [told EXCEPT ![i] = Max(@, index)]
    /\ Sends({[kind |-> "MsgReadIndexResp", from |-> i, to |-> j, term |-> term[i], token |-> token, index |-> index]})
    /\ UNCHANGED <<election, storage, match, sent, round, asked>>

HandleReadIndexResp(i, m) ==
    /\ Arrives(i, m, "MsgReadIndexResp")
    /\ Begins(i, m.token) # {}
    /\ gets' = [gets EXCEPT ![i] = Confirmed(@, NumbersOf(i, m.token), m.index)]
    /\ UNCHANGED <<messages, election, storage, leading, round, writes>>

-----------------------------------------------------------------------------
(* Clients. What they ask is kept until it is answered, or they are gone. Anybody may be refused. *)

Wanted(i, id, asks) ==
    /\ writes' = [writes EXCEPT ![i] = @ \cup {[id |-> id, asks |-> asks, done |-> FALSE]}]
    /\ UNCHANGED <<messages, election, storage, leading, round, gets>>

HandleClientWrite(i, m) == Arrives(i, m, "ClientWrite") /\ Wanted(i, m.id, m.asks)
HandleClientJoin(i, m) == Arrives(i, m, "ClientJoin") /\ Wanted(i, m.id, 0)  \* an entry that nobody has asked for as such
HandleClientLeave(i, m) == Arrives(i, m, "ClientLeave") /\ Wanted(i, m.id, 0)

HandleClientRead(i, m) ==
    /\ Arrives(i, m, "ClientRead")
    /\ gets' = [gets EXCEPT ![i] = @ \cup {[id |-> m.id, since |-> round[i].number, after |-> sent[i], term |-> term[i],
                                            acks |-> {}, index |-> 0, done |-> FALSE]}]
    /\ UNCHANGED <<messages, election, storage, leading, round, writes>>

Without(waiting, id) == {each \in waiting : each.id # id}
Answers(i, id) ==
    /\ writes' = [writes EXCEPT ![i] = Without(@, id)]
    /\ UNCHANGED <<election, storage, leading, round, gets>>

\* The entry of a write is committed.
AnswerWrite(i, id) ==
    /\ \E write \in writes[i] : write.id = id /\ (write.done \/ IsAlone(i))  \* the entry of this write is committed
    /\ Sends({[kind |-> "ClientWriteResp", from |-> i, to |-> Client, id |-> id]})
    /\ Answers(i, id)

\* Whoever leads knows what is committed only after it has committed an entry of its own term.
Knows(i, get) == get.done \/ IsAlone(i) \/ TermAt(log[i], commit[i]) >= get.term
Leading(i, get) == get.done \/ IsQuorum(log[i], commit[i], get.acks \cup {i})

AnswerGet(i, id) ==
    /\ \E get \in gets[i] : get.id = id /\ Leading(i, get)  \* since this was asked, a quorum has said who leads
    /\ \E get \in gets[i] : get.id = id /\ Knows(i, get)  \* who leads has committed an entry of its own term
    /\ \A get \in gets[i] : get.id = id => get.index <= commit[i]  \* it has all that was committed when this was asked
    /\ gets' = [gets EXCEPT ![i] = Without(@, id)]
    /\ Sends({[kind |-> "ClientReadResp", from |-> i, to |-> Client, id |-> id]})
    /\ UNCHANGED <<election, storage, leading, round, writes>>

Forgets(i, id) ==
    /\ writes' = [writes EXCEPT ![i] = Without(@, id)]
    /\ gets' = [gets EXCEPT ![i] = Without(@, id)]
    /\ UNCHANGED <<election, storage, leading, round>>

Refuse(i, id) ==
    /\ Forgets(i, id)
    /\ Sends({[kind |-> "ClientRefused", from |-> i, to |-> Client, id |-> id]})

HandleClientGone(i, m) ==
    /\ Arrives(i, m, "ClientGone")
    /\ Forgets(i, m.id)
    /\ UNCHANGED messages

\* Whoever joins is told so when that is committed: that it has a vote, if it wanted one.
Joined(i, member, learns) ==
    \/ \E conf \in Known(log[i], commit[i]) : member \in conf.voters \/ (learns /\ member \in conf.learners)
    \/ IsAlone(i) /\ (learns \/ WhenApplied)  \* what makes it a member was committed alone

AnswerJoin(i, id, member, learns) ==
    /\ \E write \in writes[i] : write.id = id
    /\ Joined(i, member, learns \/ EarlyJoins)  \* the entry by which it joins, with a vote if it wants one, is committed
    /\ Sends({[kind |-> "ClientJoined", from |-> i, to |-> Client, id |-> id, member |-> member, learns |-> learns]})
    /\ Answers(i, id)

AnswerLeave(i, id, member) ==
    /\ \E write \in writes[i] : write.id = id
    /\ \E conf \in Known(log[i], commit[i]) : member \notin conf.voters \cup conf.learners  \* that it leaves is committed
    /\ Sends({[kind |-> "ClientLeft", from |-> i, to |-> Client, id |-> id, member |-> member]})
    /\ Answers(i, id)

-----------------------------------------------------------------------------
(* Snapshots, transfer of leadership, restarts *)

\* Who has a vote then may not be told, {}.
SendSnapshot(i, j, index, indexTerm, voters) ==
    /\ role[i] = "Leader"
    /\ j # i
    /\ index <= commit[i]
    /\ IF Has(log[i], index) THEN indexTerm = TermAt(log[i], index) ELSE indexTerm <= log[i].baseTerm
    /\ \/ voters = {} \/ index < log[i].confs[1].index \/ IsAlone(i)
       \/ \E conf \in Known(log[i], commit[i]) : (conf.voters = voters /\ conf.outgoing = {}) \/ Unclear(conf.voters)
    /\ told' = [told EXCEPT ![i] = Max(@, index)]
    /\ Sends({[kind |-> "MsgSnap", from |-> i, to |-> j, term |-> term[i], index |-> index, indexTerm |-> indexTerm,
               voters |-> voters]})
    /\ UNCHANGED <<election, storage, match, reads, sent, round, asked>>

HandleSnapshot(i, m) ==
    LET l == log[i]
        has == Has(l, m.index) /\ TermAt(l, m.index) = m.indexTerm
        known == Max(commit[i], m.index)
        confs == IF m.voters = {} THEN From(UpTo(l.confs, m.index), m.index)
                 ELSE <<Conf(m.index, m.voters)>>
        Answer(index) ==
            {[kind |-> "MsgAppResp", from |-> i, to |-> m.from, term |-> m.term, index |-> index, reject |-> FALSE,
              token |-> 0]}
    IN  /\ Arrives(i, m, "MsgSnap")
        /\ ~IsPast(i, m)
        /\ m.term > term[i] \/ role[i] # "Leader"
        /\ Hears(i, m.term, TRUE)
        /\ \/ /\ m.index <= commit[i]
              /\ Sends(Answer(commit[i]))
              /\ UNCHANGED storage
           \/ /\ m.index > commit[i]
              /\ Sends(Answer(m.index))
              /\ log' = [log EXCEPT ![i] = IF has THEN Forgotten(l, known)
                                           ELSE [base |-> m.index, baseTerm |-> m.indexTerm, entries |-> <<>>,
                                                 confs |-> confs]]
              /\ commit' = [commit EXCEPT ![i] = known]
              /\ durable' = [durable EXCEPT ![i] = IF has THEN Max(@, known) ELSE known]
        /\ UNCHANGED <<leading, round, asked>>

SendTimeoutNow(i, j) ==
    /\ role[i] = "Leader"
    /\ j # i
    /\ match[i][j] = Last(log[i])  \* the other server has the whole log
    /\ Sends({[kind |-> "MsgTimeoutNow", from |-> i, to |-> j, term |-> term[i]]})
    /\ UNCHANGED <<election, storage, leading, round, asked>>

\* A leader that hears of no quorum does not lead any more.
StepDown(i) ==
    /\ role[i] = "Leader"
    /\ role' = [role EXCEPT ![i] = "Follower"]
    /\ reads' = [reads EXCEPT ![i] = <<>>]
    /\ UNCHANGED <<messages, term, vote, votes, storage, match, told, sent, round, asked>>

\* What nobody has been told of may be lost: entries at the end of a leader's log.
Restart(i) == \E index \in durable[i] .. Last(log[i]) :
    /\ log' = [log EXCEPT ![i] = Prefix(@, index)]
    /\ role' = [role EXCEPT ![i] = "Follower"]
    /\ votes' = [votes EXCEPT ![i] = {}]
    /\ reads' = [reads EXCEPT ![i] = <<>>]
    /\ sent' = [sent EXCEPT ![i] = 0]
    /\ round' = [round EXCEPT ![i].tokens = <<>>]
    /\ writes' = [writes EXCEPT ![i] = {}]
    /\ gets' = [gets EXCEPT ![i] = {}]
    /\ UNCHANGED <<messages, term, vote, commit, durable, match, told>>

-----------------------------------------------------------------------------
Appends ==
    \E i \in Server, j \in Server, newer \in Term, prev \in Index, prevTerm \in Term, entries \in Batch,
       committed \in Index, token \in Token : SendAppend(i, j, newer, prev, prevTerm, entries, committed, token)

Rest ==
    \/ \E i \in Server : PreCampaign(i)
    \/ \E i \in Server : Campaign(i)
    \/ \E i \in Server, j \in Server, newer \in Term, lastTerm \in Term, last \in Index :
            PreCampaignSince(i, j, newer, lastTerm, last)
    \/ \E i \in Server, j \in Server, newer \in Term, lastTerm \in Term, last \in Index :
            CampaignSince(i, j, newer, lastTerm, last)
    \/ \E i \in Server, m \in messages : HandleTimeoutNow(i, m)
    \/ \E i \in Server, m \in messages : HandlePreVote(i, m)
    \/ \E i \in Server, m \in messages : HandlePreVoteResp(i, m)
    \/ \E i \in Server, m \in messages : HandleVote(i, m)
    \/ \E i \in Server, m \in messages : HandleVoteResp(i, m)
    \/ \E i \in Server, m \in messages : HandleAppend(i, m)
    \/ \E i \in Server, m \in messages : HandleAppendResp(i, m)
    \/ \E i \in Server, j \in Server, committed \in Index, token \in Token : SendHeartbeat(i, j, committed, token)
    \/ \E i \in Server, j \in Server, newer \in Term, token \in Token : HeartbeatSince(i, j, newer, token)
    \/ \E i \in Server, m \in messages : HandleHeartbeat(i, m)
    \/ \E i \in Server, m \in messages : HandleHeartbeatResp(i, m)
    \/ \E i \in Server, j \in Server, origin \in Server, token \in Token : ForwardRead(i, j, origin, token)
    \/ \E i \in Server, m \in messages : HandleReadIndex(i, m)
    \/ \E i \in Server, j \in Server, token \in Token, index \in Index : AnswerRead(i, j, token, index)
    \/ \E i \in Server, m \in messages : HandleReadIndexResp(i, m)
    \/ \E i \in Server, m \in messages : HandleClientWrite(i, m)
    \/ \E i \in Server, m \in messages : HandleClientJoin(i, m)
    \/ \E i \in Server, m \in messages : HandleClientLeave(i, m)
    \/ \E i \in Server, m \in messages : HandleClientRead(i, m)
    \/ \E i \in Server, id \in Id : AnswerWrite(i, id)
    \/ \E i \in Server, id \in Id : AnswerGet(i, id)
    \/ \E i \in Server, id \in Id : Refuse(i, id)
    \/ \E i \in Server, m \in messages : HandleClientGone(i, m)
    \/ \E i \in Server, id \in Id, member \in Server, learns \in BOOLEAN : AnswerJoin(i, id, member, learns)
    \/ \E i \in Server, id \in Id, member \in Server : AnswerLeave(i, id, member)
    \/ \E i \in Server, j \in Server, index \in Index, indexTerm \in Term, voters \in Members :
            SendSnapshot(i, j, index, indexTerm, voters)
    \/ \E i \in Server, m \in messages : HandleSnapshot(i, m)
    \/ \E i \in Server, j \in Server : SendTimeoutNow(i, j)
    \/ \E i \in Server : StepDown(i)
    \/ \E i \in Server : Restart(i)

Next == Appends \/ Rest

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* For watching: nothing is bounded. *)

AnyIndex == Nat
AnyTerm == Nat
SingleEntries ==
    Seq([term : Nat, data : Nat, asks : Nat, change : {"none", "add", "remove", "learner"}, member : Server \cup {Nobody}])
JointEntries ==
    Seq([term : Nat, data : Nat, asks : Nat, change : {"none", "add", "remove", "learner", "leave"},
         member : Server \cup {Nobody}] \cup
        [term : Nat, data : Nat, asks : Nat, change : {"enter"}, member : SUBSET Server])
AnyEntries == IF Joint THEN JointEntries ELSE SingleEntries
AnyToken == Nat
AnyId == Nat
AnyMembers == SUBSET Server

-----------------------------------------------------------------------------
(* What must hold *)

Leads(i) == role[i] = "Leader"
EntryAt(l, index) == l.entries[index - l.base]
Comparable(a, b) == (Max(a.base, b.base) + 1) .. Min(Last(a), Last(b))

ElectionSafety == \A i, j \in Server : Leads(i) /\ Leads(j) /\ term[i] = term[j] => i = j

LogMatching ==
    \A i, j \in Server : \A index \in Comparable(log[i], log[j]) :
        EntryAt(log[i], index).term = EntryAt(log[j], index).term =>
            \A before \in Comparable(log[i], log[j]) : before <= index => EntryAt(log[i], before) = EntryAt(log[j], before)

\* What one knows to be committed, no other knows otherwise.
Consistency ==
    \A i, j \in Server : \A index \in Comparable(log[i], log[j]) :
        index <= Min(commit[i], commit[j]) => EntryAt(log[i], index) = EntryAt(log[j], index)

\* Whoever leads the newest term has all that anybody knows to be committed.
LeaderCompleteness ==
    \A i, j \in Server : Leads(i) /\ (\A k \in Server : term[k] <= term[i]) =>
        /\ commit[j] <= Last(log[i])
        /\ \A index \in Comparable(log[i], log[j]) : index <= commit[j] => EntryAt(log[i], index) = EntryAt(log[j], index)

\* A leader that answers a read knows all that others had been told when it began.
ReadsAreFresh ==
    \A i \in Server : \A k \in DOMAIN reads[i] : Leads(i) => reads[i][k].low <= commit[i]

Shape ==
    \A i \in Server : /\ log[i].base <= commit[i] /\ commit[i] <= Last(log[i])
                      /\ durable[i] <= Last(log[i]) /\ told[i] <= commit[i]
                      /\ log[i].confs[1].index <= commit[i]
=============================================================================
