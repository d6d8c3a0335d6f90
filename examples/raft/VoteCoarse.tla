----------------------------- MODULE VoteCoarse ------------------------------
(* Vote without its messages: a candidate is elected in one step. *)
EXTENDS RaftServers

VARIABLES log, nextIndex, matchIndex, leaders, leaderLog

\* Can `other` have voted for s in its term? A voter was in that term, no candidate itself, with a log that is no more
\* recent than that of the candidate, which does not change before the election. The voter's log has changed since only if
\* a leader of a later term wrote to it. (Whether it had a more recent log before that is forgotten, as are candidates
\* that gave up: here this grain allows more than Vote.)
CanHaveVoted(other, s) ==
    /\ term[other] >= term[s]
    /\ term[other] = term[s] /\ role[other] = "Candidate" => other = s
    /\ \/ Covers(LastTerm(log[s]), Len(log[s]), log[other])
       \/ \E later \in term[s] + 1 .. term[other] : leaders[later] /= {}

\* A leader starts with indices of its own. They are Replication's, and written here because the election writes them.
Elect(s) ==
    /\ role[s] = "Candidate"
    /\ leaders[term[s]] = {}
    /\ \E group \in Majority : \A other \in group : CanHaveVoted(other, s)
    /\ role' = [role EXCEPT ![s] = "Leader"]
    /\ nextIndex' = [nextIndex EXCEPT ![s] = [other \in Server |-> Len(log[s]) + 1]]
    /\ matchIndex' = [matchIndex EXCEPT ![s] = [other \in Server |-> 0]]
    /\ leaders' = [leaders EXCEPT ![term[s]] = @ \union {s}]
    /\ leaderLog' = [leaderLog EXCEPT ![term[s]] = log[s]]
    /\ UNCHANGED <<term, vote, log>>

VoteCatchUp(s) ==
    /\ CatchUp(s)
    /\ UNCHANGED <<log, nextIndex, matchIndex, leaders, leaderLog>>
=============================================================================
