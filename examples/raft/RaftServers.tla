---------------------------- MODULE RaftServers -----------------------------
(* What all modules of Raft change when a server hears of a newer term. *)
EXTENDS RaftBase

VARIABLES term, \* term[s]: the newest term that s knows of
          role, \* role[s]: "Follower", "PreCandidate", "Candidate" or "Leader", in that term
          vote  \* vote[s]: whom s has voted for in that term

servers == <<term, role, vote>>

InitServers ==
    /\ term = [s \in Server |-> 0]
    /\ role = [s \in Server |-> "Follower"]
    /\ vote = [s \in Server |-> Nobody]

\* Whoever hears of a newer term gives up what it was doing in its own, and has not voted in the new one.
Adopt(s, newer) ==
    /\ term' = [term EXCEPT ![s] = newer]
    /\ role' = [role EXCEPT ![s] = "Follower"]
    /\ vote' = [vote EXCEPT ![s] = Nobody]

\* A message of term t was sent by somebody in term t, and terms never decrease: without looking at messages, a server
\* can hear of every newer term up to the highest one of all servers.
CatchUp(s) ==
    \E newer \in Term :
        /\ newer > term[s]
        /\ \E other \in Server : term[other] >= newer
        /\ Adopt(s, newer)
=============================================================================
