-------------------------------- MODULE Raft --------------------------------
(* Raft with pre-votes, message by message.

   Three modules: PreVote (would a majority vote for me?), Vote (an election) and Replication (a leader's log is copied
   and committed). Each has message types of its own. Messages are never taken out of `net`: they may arrive late, in any
   order, more than once, or not at all. Bounds are guards (StartPreVote, Propose), so that every behaviour of this
   specification is one of Raft.

   Messages that cannot have an effect are not sent, which makes the state space smaller and changes nothing else:
   refusals in the receiver's own term, which it does not act upon; and dead letters, answers to a server that is in a
   later term by now. *)
EXTENDS RaftServers

VARIABLES log,        \* log[s]
          timeouts,   \* how often servers have run out of patience
          net,        \* the set of all messages sent
          nextIndex,  \* nextIndex[l][s]: what leader l sends to s next
          matchIndex, \* matchIndex[l][s]: up to where leader l knows that the log of s is its own
          commit,     \* commit[s]: up to where s knows its log to be committed
          sent,       \* how many commands clients have sent
          leaders,    \* leaders[t]: who was elected in term t (at most one, if all is well)
          leaderLog   \* leaderLog[t]: the log of the leader of term t, as it was when it last led

indices == <<nextIndex, matchIndex, commit>>
reigns == <<leaders, leaderLog>>
vars == <<servers, timeouts, log, net, indices, sent, reigns>>

Init ==
    /\ InitServers
    /\ timeouts = 0
    /\ log = [s \in Server |-> <<>>]
    /\ net = {}
    /\ nextIndex = [l \in Server |-> [s \in Server |-> 1]]
    /\ matchIndex = [l \in Server |-> [s \in Server |-> 0]]
    /\ commit = [s \in Server |-> 0]
    /\ sent = 0
    /\ leaders = [t \in Term |-> {}]
    /\ leaderLog = [t \in Term |-> <<>>]

Send(message) == net' = net \union {message}

-----------------------------------------------------------------------------
(* PreVote *)

\* No leader was heard of for a while, or an election came to nothing.
StartPreVote(s) ==
    /\ role[s] \in {"Follower", "Candidate"}
    /\ term[s] < MaxTerm
    /\ timeouts < MaxTimeout
    /\ timeouts' = timeouts + 1
    /\ role' = [role EXCEPT ![s] = "PreCandidate"]
    /\ Send([type |-> "PreVoteRequest", from |-> s, term |-> term[s],
             lastTerm |-> LastTerm(log[s]), length |-> Len(log[s])])
    /\ UNCHANGED <<term, vote, log, indices, sent, reigns>>

GrantPreVote(s) ==
    \E m \in net :
        /\ m.type = "PreVoteRequest"
        /\ m.from /= s
        /\ m.term = term[s]
        /\ term[m.from] = term[s] \* else a dead letter
        /\ role[s] /= "Leader"
        /\ Covers(m.lastTerm, m.length, log[s])
        /\ Send([type |-> "PreVoteGrant", from |-> s, to |-> m.from, term |-> term[s]])
        /\ UNCHANGED <<servers, timeouts, log, indices, sent, reigns>>

\* The one that asks is behind, and learns it from the answer's term.
RefusePreVote(s) ==
    \E m \in net :
        /\ m.type = "PreVoteRequest"
        /\ m.term < term[s]
        /\ term[m.from] < term[s] \* else a dead letter
        /\ Send([type |-> "PreVoteRefusal", to |-> m.from, term |-> term[s]])
        /\ UNCHANGED <<servers, timeouts, log, indices, sent, reigns>>

PreVoteRequestStepDown(s) ==
    \E m \in net :
        /\ m.type = "PreVoteRequest"
        /\ m.term > term[s]
        /\ Adopt(s, m.term)
        /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

PreVoteRefusalStepDown(s) ==
    \E m \in net :
        /\ m.type = "PreVoteRefusal"
        /\ m.to = s
        /\ m.term > term[s]
        /\ Adopt(s, m.term)
        /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

\* A candidate votes for itself.
BecomeCandidate(s) ==
    /\ role[s] = "PreCandidate"
    /\ \E group \in Majority :
        /\ s \in group
        /\ \A other \in group \ {s} :
            \E m \in net : /\ m.type = "PreVoteGrant"
                           /\ m.from = other
                           /\ m.to = s
                           /\ m.term = term[s]
    /\ term' = [term EXCEPT ![s] = @ + 1]
    /\ role' = [role EXCEPT ![s] = "Candidate"]
    /\ vote' = [vote EXCEPT ![s] = s]
    /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

-----------------------------------------------------------------------------
(* Vote *)

RequestVotes(s) ==
    /\ role[s] = "Candidate"
    /\ Send([type |-> "VoteRequest", from |-> s, term |-> term[s],
             lastTerm |-> LastTerm(log[s]), length |-> Len(log[s])])
    /\ UNCHANGED <<servers, timeouts, log, indices, sent, reigns>>

GrantVote(s) ==
    \E m \in net :
        /\ m.type = "VoteRequest"
        /\ m.term = term[s]
        /\ m.from /= s
        /\ vote[s] \in {Nobody, m.from}
        /\ Covers(m.lastTerm, m.length, log[s])
        /\ vote' = [vote EXCEPT ![s] = m.from]
        /\ Send([type |-> "VoteGrant", from |-> s, to |-> m.from, term |-> term[s]])
        /\ UNCHANGED <<term, role, timeouts, log, indices, sent, reigns>>

RefuseVote(s) ==
    \E m \in net :
        /\ m.type = "VoteRequest"
        /\ m.term < term[s]
        /\ term[m.from] < term[s] \* else a dead letter
        /\ Send([type |-> "VoteRefusal", to |-> m.from, term |-> term[s]])
        /\ UNCHANGED <<servers, timeouts, log, indices, sent, reigns>>

VoteRequestStepDown(s) ==
    \E m \in net :
        /\ m.type = "VoteRequest"
        /\ m.term > term[s]
        /\ Adopt(s, m.term)
        /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

VoteRefusalStepDown(s) ==
    \E m \in net :
        /\ m.type = "VoteRefusal"
        /\ m.to = s
        /\ m.term > term[s]
        /\ Adopt(s, m.term)
        /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

BecomeLeader(s) ==
    /\ role[s] = "Candidate"
    /\ \E group \in Majority :
        /\ s \in group
        /\ \A other \in group \ {s} :
            \E m \in net : /\ m.type = "VoteGrant"
                           /\ m.from = other
                           /\ m.to = s
                           /\ m.term = term[s]
    /\ role' = [role EXCEPT ![s] = "Leader"]
    /\ nextIndex' = [nextIndex EXCEPT ![s] = [other \in Server |-> Len(log[s]) + 1]]
    /\ matchIndex' = [matchIndex EXCEPT ![s] = [other \in Server |-> 0]]
    /\ leaders' = [leaders EXCEPT ![term[s]] = @ \union {s}]
    /\ leaderLog' = [leaderLog EXCEPT ![term[s]] = log[s]]
    /\ UNCHANGED <<term, vote, timeouts, log, net, commit, sent>>

-----------------------------------------------------------------------------
(* Replication *)

Propose(s) ==
    /\ role[s] = "Leader"
    /\ sent < MaxCommand
    /\ sent' = sent + 1
    /\ log' = [log EXCEPT ![s] = Append(@, [term |-> term[s], command |-> sent + 1])]
    /\ leaderLog' = [leaderLog EXCEPT ![term[s]] = log'[s]]
    /\ UNCHANGED <<servers, timeouts, net, indices, leaders>>

\* The entry at nextIndex; or none, to find out whether the follower has the one before, or to tell it that this is
\* committed. What is said to be committed never goes beyond the entry before, which a follower that accepts has.
SendEntry(s, other) ==
    LET index == nextIndex[s][other]
        entries == IF index > Len(log[s]) THEN <<>> ELSE <<log[s][index]>>
    IN  /\ role[s] = "Leader"
        /\ s /= other
        /\ \/ entries /= <<>>
           \/ matchIndex[s][other] < index - 1
           \/ commit[s] = index - 1 /\ index > 1
        /\ Send([type |-> "AppendRequest", from |-> s, to |-> other, term |-> term[s],
                 prev |-> index - 1, prevTerm |-> TermAt(log[s], index - 1), entries |-> entries,
                 commit |-> IF commit[s] < index THEN commit[s] ELSE index - 1])
        /\ UNCHANGED <<servers, timeouts, log, indices, sent, reigns>>

HasPrevious(s, m) == Len(log[s]) >= m.prev /\ TermAt(log[s], m.prev) = m.prevTerm

\* There is a leader in this term: whoever wanted to become one gives up.
Follow(s) == role' = [role EXCEPT ![s] = "Follower"]

AcceptEntry(s) ==
    \E m \in net :
        LET last == m.prev + Len(m.entries)
            present == Len(log[s]) >= last /\ (m.entries = <<>> \/ log[s][last].term = m.entries[1].term)
        IN  /\ m.type = "AppendRequest"
            /\ m.to = s
            /\ m.term = term[s]
            /\ HasPrevious(s, m)
            /\ Follow(s)
            /\ log' = IF present THEN log ELSE [log EXCEPT ![s] = SubSeq(@, 1, m.prev) \o m.entries]
            /\ commit' = IF m.commit > commit[s] THEN [commit EXCEPT ![s] = m.commit] ELSE commit
            /\ Send([type |-> "AppendAnswer", from |-> s, to |-> m.from, term |-> term[s],
                     success |-> TRUE, index |-> last])
            /\ UNCHANGED <<term, vote, timeouts, nextIndex, matchIndex, sent, reigns>>

RejectEntry(s) ==
    \E m \in net :
        /\ m.type = "AppendRequest"
        /\ m.to = s
        /\ m.term = term[s]
        /\ ~HasPrevious(s, m)
        /\ Follow(s)
        /\ Send([type |-> "AppendAnswer", from |-> s, to |-> m.from, term |-> term[s],
                 success |-> FALSE, index |-> m.prev])
        /\ UNCHANGED <<term, vote, timeouts, log, indices, sent, reigns>>

\* From a leader of the past, which learns it from the answer's term.
RefuseEntry(s) ==
    \E m \in net :
        /\ m.type = "AppendRequest"
        /\ m.to = s
        /\ m.term < term[s]
        /\ term[m.from] < term[s] \* else a dead letter
        /\ Send([type |-> "AppendRefusal", to |-> m.from, term |-> term[s]])
        /\ UNCHANGED <<servers, timeouts, log, indices, sent, reigns>>

AppendRequestStepDown(s) ==
    \E m \in net :
        /\ m.type = "AppendRequest"
        /\ m.to = s
        /\ m.term > term[s]
        /\ Adopt(s, m.term)
        /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

AppendRefusalStepDown(s) ==
    \E m \in net :
        /\ m.type = "AppendRefusal"
        /\ m.to = s
        /\ m.term > term[s]
        /\ Adopt(s, m.term)
        /\ UNCHANGED <<timeouts, log, net, indices, sent, reigns>>

NoteMatch(s) ==
    \E m \in net :
        /\ m.type = "AppendAnswer"
        /\ m.to = s
        /\ m.term = term[s]
        /\ role[s] = "Leader"
        /\ m.success
        /\ m.index > matchIndex[s][m.from]
        /\ matchIndex' = [matchIndex EXCEPT ![s][m.from] = m.index]
        /\ nextIndex' = [nextIndex EXCEPT ![s][m.from] = m.index + 1]
        /\ UNCHANGED <<servers, timeouts, log, net, commit, sent, reigns>>

\* Try the entry before. What was rejected is in the answer, so that one that comes twice goes back once.
NoteRejection(s) ==
    \E m \in net :
        /\ m.type = "AppendAnswer"
        /\ m.to = s
        /\ m.term = term[s]
        /\ role[s] = "Leader"
        /\ ~m.success
        /\ nextIndex[s][m.from] = m.index + 1
        /\ m.index > matchIndex[s][m.from]
        /\ nextIndex' = [nextIndex EXCEPT ![s][m.from] = m.index]
        /\ UNCHANGED <<servers, timeouts, log, net, matchIndex, commit, sent, reigns>>

\* Only entries of the leader's own term are committed by counting; those before go with them.
AdvanceCommit(s) ==
    \E index \in commit[s] + 1 .. Len(log[s]) :
        /\ role[s] = "Leader"
        /\ log[s][index].term = term[s]
        /\ \E group \in Majority : \A other \in group : other = s \/ matchIndex[s][other] >= index
        /\ commit' = [commit EXCEPT ![s] = index]
        /\ UNCHANGED <<servers, timeouts, log, net, nextIndex, matchIndex, sent, reigns>>

-----------------------------------------------------------------------------
Next ==
    \* PreVote
    \/ \E s \in Server : StartPreVote(s)
    \/ \E s \in Server : GrantPreVote(s)
    \/ \E s \in Server : RefusePreVote(s)
    \/ \E s \in Server : PreVoteRequestStepDown(s)
    \/ \E s \in Server : PreVoteRefusalStepDown(s)
    \/ \E s \in Server : BecomeCandidate(s)
    \* Vote
    \/ \E s \in Server : RequestVotes(s)
    \/ \E s \in Server : GrantVote(s)
    \/ \E s \in Server : RefuseVote(s)
    \/ \E s \in Server : VoteRequestStepDown(s)
    \/ \E s \in Server : VoteRefusalStepDown(s)
    \/ \E s \in Server : BecomeLeader(s)
    \* Replication
    \/ \E s \in Server : Propose(s)
    \/ \E s, other \in Server : SendEntry(s, other)
    \/ \E s \in Server : AcceptEntry(s)
    \/ \E s \in Server : RejectEntry(s)
    \/ \E s \in Server : RefuseEntry(s)
    \/ \E s \in Server : AppendRequestStepDown(s)
    \/ \E s \in Server : AppendRefusalStepDown(s)
    \/ \E s \in Server : NoteMatch(s)
    \/ \E s \in Server : NoteRejection(s)
    \/ \E s \in Server : AdvanceCommit(s)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
ElectionSafety == \A t \in Term : Cardinality(leaders[t]) <= 1

\* Entries of the same index and term are the same, and so is all that stands before them.
LogMatching ==
    \A s, other \in Server :
        \A index \in 1 .. Len(log[s]) :
            /\ index <= Len(log[other])
            /\ log[s][index].term = log[other][index].term
            => SubSeq(log[s], 1, index) = SubSeq(log[other], 1, index)

\* What two servers know to be committed is the same.
Consistency ==
    \A s, other \in Server :
        \A index \in 1 .. commit[s] :
            index <= commit[other] => log[s][index] = log[other][index]

\* A leader has all that was committed in its term or before.
LeaderCompleteness ==
    \A leader, s \in Server :
        role[leader] = "Leader" /\ term[leader] >= term[s]
        => \A index \in 1 .. commit[s] : Len(log[leader]) >= index /\ log[leader][index] = log[s][index]
=============================================================================
