------------------------- MODULE RaftMessagesBounded -------------------------
(* RaftMessages within bounds, to be checked. *)
EXTENDS RaftMessages

CONSTANTS MaxTerm, MaxIndex, MaxMessages, Data, Tokens,
          Moves,   \* changes of members, of servers
          Movers

Indexes == 0 .. MaxIndex
Terms == 0 .. MaxTerm
Entries ==
    {[term |-> newer, data |-> data, asks |-> data, change |-> "none", member |-> Nobody] :
        newer \in Terms \ {0}, data \in {0} \cup Data}  \* 0 is a leader's first one
    \cup {[term |-> newer, data |-> 1, asks |-> 0, change |-> change, member |-> member] :
        newer \in Terms \ {0}, change \in Moves, member \in Movers}
Batches == {<<>>} \cup {<<entry>> : entry \in Entries}
SomeTokens == {0} \cup Tokens
NoId == {}
NotTold == {{}}

\* What a leader sends is chosen from what it has, rather than from everything.
SendsSomething(i, tokens) ==
    /\ role[i] = "Leader"
    /\ \E j \in Server \ {i}, prev \in log[i].base .. Last(log[i]), committed \in {0, commit[i]},
          token \in tokens :
        LET Send(entries) == SendAppend(i, j, term[i], prev, TermAt(log[i], prev), entries, committed, token)
            next == prev - log[i].base + 1
        IN  \/ Send(<<>>)
            \/ prev < Last(log[i]) /\ Send(<<log[i].entries[next]>>)
            \/ prev = Last(log[i]) /\ \E entry \in Entries : entry.term = term[i] /\ Send(<<entry>>)

NextFew == Rest \/ \E i \in Server : SendsSomething(i, Token)

Bounds ==
    /\ Cardinality(messages) <= MaxMessages
    /\ \A i \in Server : term[i] <= MaxTerm /\ Last(log[i]) <= MaxIndex /\ Len(reads[i]) <= 1

\* Nothing but votes, entries and reads.
ReadsOnly ==
    \A m \in messages :
        m.kind \in {"MsgVote", "MsgVoteResp", "MsgApp", "MsgAppResp", "MsgHeartbeat", "MsgHeartbeatResp", "MsgReadIndex",
                   "MsgReadIndexResp"}

\* Nothing but votes and entries.
EntriesOnly == \A m \in messages : m.kind \in {"MsgVote", "MsgVoteResp", "MsgApp", "MsgAppResp"}
=============================================================================
