-------------------------- MODULE ReplicationCoarse --------------------------
(* Replication without its messages: a server takes an entry from the log that the leader of its term has, or had. *)
EXTENDS RaftServers

VARIABLES log, sent, leaderLog

CoarsePropose(s) ==
    /\ role[s] = "Leader"
    /\ sent < MaxCommand
    /\ sent' = sent + 1
    /\ log' = [log EXCEPT ![s] = Append(@, [term |-> term[s], command |-> sent + 1])]
    /\ leaderLog' = [leaderLog EXCEPT ![term[s]] = log'[s]]
    /\ UNCHANGED servers

\* The leader may be in a later term by now, with another log, and its messages still arrive: hence leaderLog.
CopyEntry(s) ==
    LET source == leaderLog[term[s]]
    IN  \E index \in 1 .. Len(source) :
            /\ Len(log[s]) >= index - 1
            /\ TermAt(log[s], index - 1) = TermAt(source, index - 1)
            /\ ~(Len(log[s]) >= index /\ log[s][index].term = source[index].term)
            /\ log' = [log EXCEPT ![s] = Append(SubSeq(@, 1, index - 1), source[index])]
            /\ role' = [role EXCEPT ![s] = "Follower"]
            /\ UNCHANGED <<term, vote, sent, leaderLog>>

\* An entry that was there already or did not fit, or none: nothing is copied, but s knows the leader now. (A leader with
\* an empty log has nothing to send.)
FollowLeader(s) ==
    /\ role[s] \in {"PreCandidate", "Candidate"}
    /\ leaderLog[term[s]] /= <<>>
    /\ role' = [role EXCEPT ![s] = "Follower"]
    /\ UNCHANGED <<term, vote, log, sent, leaderLog>>

ReplicationCatchUp(s) ==
    /\ CatchUp(s)
    /\ UNCHANGED <<log, sent, leaderLog>>
=============================================================================
