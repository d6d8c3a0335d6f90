----------------------------- MODULE RaftReplay -----------------------------
(* Raft as implementations do it, to be replayed on them step by step. Each step is what one server does at once: it    *)
(* loses patience, or a client or the clock calls it, or it handles one message, together with all that it sends.        *)
(* Everything that a replay has to know is a parameter of the step; messages go from i to j.                             *)
(*                                                                                                                       *)
(* Links are those of TCP: net[i][j] is a queue. What is on its way is lost when the connection breaks, which both ends  *)
(* notice, and when one of the two crashes; nothing is sent to a server without a connection to it. A server that        *)
(* restarts is connected again; a connection that was cut comes back by Heal.                                            *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS Server,     \* who takes part
          Nobody,     \* the vote of a server that has not voted in its term
          MaxTerm,    \* elections are held up to this term
          MaxCommand, \* clients send this many commands
          MaxCrashes, \* so many times a server crashes, all servers together
          MaxCuts,    \* so many times a connection is cut
          MaxFlight   \* the clock makes a leader send as long as fewer messages are under way between it and each other

\* In what implementations differ.
CONSTANTS NoOpOnElection,   \* a new leader appends an entry without a command
          Persistent,       \* a server that restarts knows its term, its vote and its log; if not, it has forgotten them
          CommitSurvives,   \* it knows then, too, how far its log was committed
          GrantsAgain,      \* whoever has voted for a candidate votes for it again in this term when it asks again
          RefusalsAnswered, \* a vote that is not given, and a leader of the past, are answered; if not, they are ignored
          AnswersHaveTerm,  \* an answer to a leader tells the term; if not, one meant for a leader of the past is taken
          TruncatesAlways,  \* what a log has behind the entries of a message goes, even if there is no conflict
          Eager             \* a leader sends when there is something to send; if not, when the clock tells it to

VARIABLES up,         \* up[s]: whether s is running
          term,       \* term[s]: the newest term that s knows of
          role,       \* role[s]: "Follower", "Candidate" or "Leader", in that term
          vote,       \* vote[s]: whom s has voted for in that term
          votes,      \* votes[s]: who has voted for s, as a candidate
          log,        \* log[s]: entries [term, command]; command 0 is none
          commit,     \* commit[s]: so many entries of its log are committed, as far as s knows
          nextIndex,  \* nextIndex[l][s]: the entry that leader l sends to s next
          matchIndex, \* matchIndex[l][s]: up to here, s has the log of leader l
          net,        \* net[i][j]: the messages on their way from i to j, in this order
          cut,        \* the pairs of servers whose connection is cut
          sent,       \* how many commands clients have sent
          crashes,    \* how many times a server has crashed
          cuts        \* how many times a connection was cut

elections == <<term, role, vote, votes>>
indices == <<nextIndex, matchIndex>>
world == <<up, cut, crashes, cuts>>
vars == <<elections, log, commit, indices, net, sent, world>>

-----------------------------------------------------------------------------
Majority(group) == 2 * Cardinality(group) > Cardinality(Server)
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b

LastTerm(entries) == IF entries = <<>> THEN 0 ELSE entries[Len(entries)].term
TermAt(entries, index) == IF index = 0 THEN 0 ELSE entries[index].term

\* A log that ends in (lastTerm, length) has all that `entries` may have had committed.
Covers(lastTerm, length, entries) ==
    \/ lastTerm > LastTerm(entries)
    \/ lastTerm = LastTerm(entries) /\ length >= Len(entries)

Connected(i, j) == i /= j /\ up[i] /\ up[j] /\ {i, j} \notin cut
Alone(s) == \A j \in Server : ~Connected(s, j)

\* The links after s has taken the first message from `from`, and sent what `to[j]` is, to each j that it is connected to.
Exchanged(from, s, to) ==
    [i \in Server |-> [j \in Server |->
        IF i = from /\ j = s THEN Tail(net[i][j])
        ELSE IF i = s /\ Connected(s, j) THEN net[i][j] \o to[j]
        ELSE net[i][j]]]

Nothing == [j \in Server |-> <<>>]
Only(receiver, message) == [j \in Server |-> IF j = receiver THEN <<message>> ELSE <<>>]
Sends(s, to) == net' = Exchanged(Nobody, s, to)
Answers(from, s, to) == net' = Exchanged(from, s, to)

Arrives(from, to, kind) == net[from][to] /= <<>> /\ Head(net[from][to]).kind = kind

-----------------------------------------------------------------------------
(* What a leader with this log sends: all that follows the entry before `next`, and how far it is committed. *)

AppendMessage(s, entries, next, committed) ==
    [kind |-> "Append", term |-> term[s], prev |-> next - 1, prevTerm |-> TermAt(entries, next - 1),
     entries |-> SubSeq(entries, next, Len(entries)), commit |-> committed]

\* To each of `receivers`. The leader counts on that it arrives, and goes on from there.
Appends(s, receivers, entries, next, committed) ==
    [j \in Server |-> IF j \in receivers THEN <<AppendMessage(s, entries, next[j], committed)>> ELSE <<>>]
AfterAppends(s, receivers, entries, next) ==
    [j \in Server |-> IF j \in receivers /\ Connected(s, j) THEN Len(entries) + 1 ELSE next[j]]

\* Only entries of the leader's own term are committed by counting; those before go with them.
Committed(s, match) ==
    LET new == commit[s] + 1 .. Len(log[s])
        agreed == {index \in new : /\ log[s][index].term = term[s]
                                   /\ Majority({s} \union {j \in Server : match[j] >= index})}
    IN  commit[s] + Cardinality({index \in new : \E later \in agreed : index <= later})

-----------------------------------------------------------------------------
Init ==
    /\ up = [s \in Server |-> TRUE]
    /\ term = [s \in Server |-> 0]
    /\ role = [s \in Server |-> "Follower"]
    /\ vote = [s \in Server |-> Nobody]
    /\ votes = [s \in Server |-> {}]
    /\ log = [s \in Server |-> <<>>]
    /\ commit = [s \in Server |-> 0]
    /\ nextIndex = [l \in Server |-> [s \in Server |-> 1]]
    /\ matchIndex = [l \in Server |-> [s \in Server |-> 0]]
    /\ net = [i \in Server |-> [j \in Server |-> <<>>]]
    /\ cut = {}
    /\ sent = 0
    /\ crashes = 0
    /\ cuts = 0

-----------------------------------------------------------------------------
(* Elections *)

\* No leader was heard of for a while, or an election came to nothing. Alone, a server does not try.
Timeout(s) ==
    /\ up[s]
    /\ role[s] /= "Leader"
    /\ term[s] < MaxTerm
    /\ ~Alone(s)
    /\ term' = [term EXCEPT ![s] = @ + 1]
    /\ role' = [role EXCEPT ![s] = "Candidate"]
    /\ vote' = [vote EXCEPT ![s] = s]
    /\ votes' = [votes EXCEPT ![s] = {s}]
    /\ Sends(s, [j \in Server |-> <<[kind |-> "RequestVote", term |-> term[s] + 1,
                                     lastTerm |-> LastTerm(log[s]), length |-> Len(log[s])]>>])
    /\ UNCHANGED <<log, commit, indices, sent, world>>

\* Whoever hears of a newer term gives up what it was doing in its own, and has not voted in the new one.
DeliverRequestVote(i, j) ==
    LET m == Head(net[i][j])
        newer == m.term > term[j]
        voted == IF newer THEN Nobody ELSE vote[j]
        place == IF newer THEN "Follower" ELSE role[j]
        granted == /\ m.term >= term[j]
                   /\ place /= "Leader"
                   /\ voted = Nobody \/ (GrantsAgain /\ voted = i)
                   /\ Covers(m.lastTerm, m.length, log[j])
        answer == [kind |-> "Vote", term |-> Max(m.term, term[j]), granted |-> granted]
    IN  /\ Arrives(i, j, "RequestVote")
        /\ term' = [term EXCEPT ![j] = Max(@, m.term)]
        /\ role' = [role EXCEPT ![j] = place]
        /\ vote' = [vote EXCEPT ![j] = IF granted THEN i ELSE voted]
        /\ Answers(i, j, IF granted \/ RefusalsAnswered THEN Only(i, answer) ELSE Nothing)
        /\ UNCHANGED <<votes, log, commit, indices, sent, world>>

\* What the deciding vote makes of a candidate, at once: a leader with its first entry, that tells all others.
Lead(s, from, voters) ==
    LET entries == IF NoOpOnElection THEN Append(log[s], [term |-> term[s], command |-> 0]) ELSE log[s]
        next == [j \in Server |-> Len(log[s]) + 1]
        others == Server \ {s}
    IN  /\ role' = [role EXCEPT ![s] = "Leader"]
        /\ votes' = [votes EXCEPT ![s] = voters]
        /\ log' = [log EXCEPT ![s] = entries]
        /\ nextIndex' = [nextIndex EXCEPT ![s] = AfterAppends(s, others, entries, next)]
        /\ matchIndex' = [matchIndex EXCEPT ![s] = [j \in Server |-> 0]]
        /\ Answers(from, s, Appends(s, others, entries, next, commit[s]))
        /\ UNCHANGED <<term, vote, commit>>

DeliverVote(i, j) ==
    LET m == Head(net[i][j])
        voters == votes[j] \union {i}
        counts == role[j] = "Candidate" /\ m.term = term[j] /\ m.granted
    IN  /\ Arrives(i, j, "Vote")
        /\ \/ counts /\ Majority(voters) /\ Lead(j, i, voters)
           \/ /\ counts /\ ~Majority(voters)
              /\ votes' = [votes EXCEPT ![j] = voters]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<term, role, vote, log, commit, indices>>
           \/ /\ ~counts /\ m.term > term[j]
              /\ term' = [term EXCEPT ![j] = m.term]
              /\ role' = [role EXCEPT ![j] = "Follower"]
              /\ vote' = [vote EXCEPT ![j] = Nobody]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<votes, log, commit, indices>>
           \/ /\ ~counts /\ m.term <= term[j]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<elections, log, commit, indices>>
        /\ UNCHANGED <<sent, world>>

-----------------------------------------------------------------------------
(* Replication *)

\* Commands are numbered in the order in which clients sent them.
Propose(s, command) ==
    LET entries == Append(log[s], [term |-> term[s], command |-> command])
        receivers == IF Eager THEN Server \ {s} ELSE {}
    IN  /\ up[s]
        /\ role[s] = "Leader"
        /\ command = sent + 1
        /\ sent' = command
        /\ log' = [log EXCEPT ![s] = entries]
        /\ Sends(s, Appends(s, receivers, entries, nextIndex[s], commit[s]))
        /\ nextIndex' = [nextIndex EXCEPT ![s] = AfterAppends(s, receivers, entries, @)]
        /\ UNCHANGED <<elections, commit, matchIndex, world>>

\* The clock makes a leader send what it has, or nothing but that it leads.
Tick(s) ==
    LET others == Server \ {s}
    IN  /\ up[s]
        /\ role[s] = "Leader"
        /\ ~Alone(s)
        /\ \A j \in others : Len(net[s][j]) + Len(net[j][s]) < MaxFlight
        /\ Sends(s, Appends(s, others, log[s], nextIndex[s], commit[s]))
        /\ nextIndex' = [nextIndex EXCEPT ![s] = AfterAppends(s, others, log[s], @)]
        /\ UNCHANGED <<elections, log, commit, matchIndex, sent, world>>

\* The log with the entries of a message. Those that it has already are no reason to give up what stands behind them.
Written(entries, m) ==
    LET last == m.prev + Len(m.entries)
        same == /\ Len(entries) >= last
                /\ \A index \in m.prev + 1 .. last : entries[index].term = m.entries[index - m.prev].term
    IN  IF same /\ ~TruncatesAlways THEN entries ELSE SubSeq(entries, 1, m.prev) \o m.entries

AppendAnswer(newest, success, next) ==
    IF AnswersHaveTerm THEN [kind |-> "AppendAnswer", term |-> newest, success |-> success, next |-> next]
    ELSE [kind |-> "AppendAnswer", success |-> success, next |-> next]

\* There is a leader in this term: whoever wanted to become one gives up. Where the entry before the new ones is another,
\* the leader is told where to go on from.
DeliverAppend(i, j) ==
    LET m == Head(net[i][j])
        has == Len(log[j]) >= m.prev /\ TermAt(log[j], m.prev) = m.prevTerm
        entries == IF has THEN Written(log[j], m) ELSE log[j]
        last == m.prev + Len(m.entries)
        known == Min(commit[j], Len(entries))
        next == IF has THEN last + 1 ELSE IF Len(log[j]) < m.prev THEN Len(log[j]) + 1 ELSE m.prev
    IN  /\ Arrives(i, j, "Append")
        /\ \/ /\ m.term >= term[j]
              /\ term' = [term EXCEPT ![j] = m.term]
              /\ role' = [role EXCEPT ![j] = "Follower"]
              /\ vote' = [vote EXCEPT ![j] = IF m.term > term[j] THEN Nobody ELSE @]
              /\ log' = [log EXCEPT ![j] = entries]
              /\ commit' = [commit EXCEPT ![j] = IF has THEN Max(known, Min(m.commit, last)) ELSE @]
              /\ Answers(i, j, Only(i, AppendAnswer(m.term, has, next)))
           \/ /\ m.term < term[j]
              /\ Answers(i, j, IF RefusalsAnswered THEN Only(i, AppendAnswer(term[j], FALSE, next)) ELSE Nothing)
              /\ UNCHANGED <<term, role, vote, log, commit>>
        /\ UNCHANGED <<votes, indices, sent, world>>

\* What a leader makes of an answer, at once: it knows better what the follower has, and perhaps that more is committed.
Learn(s, from, m) ==
    LET advances == m.success /\ m.next - 1 > matchIndex[s][from]
        match == IF advances THEN [matchIndex[s] EXCEPT ![from] = m.next - 1] ELSE matchIndex[s]
        next == IF ~m.success \/ advances THEN [nextIndex[s] EXCEPT ![from] = m.next] ELSE nextIndex[s]
        committed == Committed(s, match)
        receivers == IF ~Eager THEN {}
                     ELSE IF committed > commit[s] THEN Server \ {s}
                     ELSE IF ~m.success \/ next[from] <= Len(log[s]) THEN {from}
                     ELSE {}
    IN  /\ matchIndex' = [matchIndex EXCEPT ![s] = match]
        /\ commit' = [commit EXCEPT ![s] = committed]
        /\ nextIndex' = [nextIndex EXCEPT ![s] = AfterAppends(s, receivers, log[s], next)]
        /\ Answers(from, s, Appends(s, receivers, log[s], next, committed))
        /\ UNCHANGED elections

DeliverAnswer(i, j) ==
    LET m == Head(net[i][j])
        meant == role[j] = "Leader" /\ (AnswersHaveTerm => m.term = term[j])
        newer == AnswersHaveTerm /\ m.term > term[j]
    IN  /\ Arrives(i, j, "AppendAnswer")
        /\ \/ meant /\ Learn(j, i, m)
           \/ /\ ~meant /\ newer
              /\ term' = [term EXCEPT ![j] = m.term]
              /\ role' = [role EXCEPT ![j] = "Follower"]
              /\ vote' = [vote EXCEPT ![j] = Nobody]
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<votes, commit, indices>>
           \/ /\ ~meant /\ ~newer
              /\ Answers(i, j, Nothing)
              /\ UNCHANGED <<elections, commit, indices>>
        /\ UNCHANGED <<log, sent, world>>

-----------------------------------------------------------------------------
(* What the world does to servers *)

Without(pairs) == [i \in Server |-> [j \in Server |-> IF <<i, j>> \in pairs THEN <<>> ELSE net[i][j]]]

Crash(s) ==
    /\ up[s]
    /\ crashes < MaxCrashes
    /\ crashes' = crashes + 1
    /\ up' = [up EXCEPT ![s] = FALSE]
    /\ net' = Without({s} \X Server \union Server \X {s})
    /\ UNCHANGED <<elections, log, commit, indices, sent, cut, cuts>>

Restart(s) ==
    /\ ~up[s]
    /\ up' = [up EXCEPT ![s] = TRUE]
    /\ role' = [role EXCEPT ![s] = "Follower"]
    /\ votes' = [votes EXCEPT ![s] = {}]
    /\ nextIndex' = [nextIndex EXCEPT ![s] = [j \in Server |-> 1]]
    /\ matchIndex' = [matchIndex EXCEPT ![s] = [j \in Server |-> 0]]
    /\ term' = IF Persistent THEN term ELSE [term EXCEPT ![s] = 0]
    /\ vote' = IF Persistent THEN vote ELSE [vote EXCEPT ![s] = Nobody]
    /\ log' = IF Persistent THEN log ELSE [log EXCEPT ![s] = <<>>]
    /\ commit' = IF Persistent /\ CommitSurvives THEN commit ELSE [commit EXCEPT ![s] = 0]
    /\ UNCHANGED <<net, sent, cut, crashes, cuts>>

Cut(i, j) ==
    /\ i /= j
    /\ Connected(i, j)
    /\ cuts < MaxCuts
    /\ cuts' = cuts + 1
    /\ cut' = cut \union {{i, j}}
    /\ net' = Without({<<i, j>>, <<j, i>>})
    /\ UNCHANGED <<elections, log, commit, indices, sent, up, crashes>>

Heal(i, j) ==
    /\ {i, j} \in cut
    /\ cut' = cut \ {{i, j}}
    /\ UNCHANGED <<elections, log, commit, indices, net, sent, up, crashes, cuts>>

-----------------------------------------------------------------------------
Next ==
    \/ \E s \in Server : Timeout(s)
    \/ \E i, j \in Server : DeliverRequestVote(i, j)
    \/ \E i, j \in Server : DeliverVote(i, j)
    \/ \E s \in Server, command \in 1 .. MaxCommand : Propose(s, command)
    \/ \E s \in Server : Tick(s)
    \/ \E i, j \in Server : DeliverAppend(i, j)
    \/ \E i, j \in Server : DeliverAnswer(i, j)
    \/ \E s \in Server : Crash(s)
    \/ \E s \in Server : Restart(s)
    \/ \E i, j \in Server : Cut(i, j)
    \/ \E i, j \in Server : Heal(i, j)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Server)

-----------------------------------------------------------------------------
\* No two servers lead in the same term.
ElectionSafety ==
    \A s, other \in Server :
        /\ role[s] = "Leader"
        /\ role[other] = "Leader"
        /\ term[s] = term[other]
        => s = other

\* Entries of the same index and term are the same, and so is all that stands before them.
LogMatching ==
    \A s, other \in Server :
        \A index \in 1 .. Len(log[s]) :
            /\ index <= Len(log[other])
            /\ log[s][index].term = log[other][index].term
            => SubSeq(log[s], 1, index) = SubSeq(log[other], 1, index)

\* What two servers know to be committed is the same: state machines that apply it never differ.
Consistency ==
    \A s, other \in Server :
        \A index \in 1 .. Min(commit[s], commit[other]) : log[s][index] = log[other][index]

\* A leader has all that was committed in its term or before.
LeaderCompleteness ==
    \A leader, s \in Server :
        role[leader] = "Leader" /\ up[leader] /\ term[leader] >= term[s]
        => \A index \in 1 .. commit[s] : Len(log[leader]) >= index /\ log[leader][index] = log[s][index]
=============================================================================
