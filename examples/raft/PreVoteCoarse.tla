---------------------------- MODULE PreVoteCoarse ----------------------------
(* PreVote without its messages.

   The grants that make a server a candidate were given earlier; since then logs and roles may have changed. What cannot
   have been taken back is that a majority has reached the term in which it was asked. Nothing more is demanded: whoever
   becomes a candidate too easily is stopped by the election. *)
EXTENDS RaftServers

VARIABLE timeouts

SuspectLeader(s) ==
    /\ role[s] \in {"Follower", "Candidate"}
    /\ term[s] < MaxTerm
    /\ timeouts < MaxTimeout
    /\ timeouts' = timeouts + 1
    /\ role' = [role EXCEPT ![s] = "PreCandidate"]
    /\ UNCHANGED <<term, vote>>

\* The vote of a candidate for itself is nobody's business but Vote's, and still has to be written here: the module that
\* is fine in a composition reads it.
Stand(s) ==
    /\ role[s] = "PreCandidate"
    /\ \E group \in Majority : \A other \in group : term[other] >= term[s]
    /\ term' = [term EXCEPT ![s] = @ + 1]
    /\ role' = [role EXCEPT ![s] = "Candidate"]
    /\ vote' = [vote EXCEPT ![s] = s]
    /\ UNCHANGED timeouts

PreVoteCatchUp(s) ==
    /\ CatchUp(s)
    /\ UNCHANGED timeouts
=============================================================================
