-------------------------- MODULE BroadcastThreads --------------------------
(***************************************************************************)
(* Broadcast, fine in threads: on a follower one thread reads messages,    *)
(* one logs and acknowledges, one commits.                                 *)
(***************************************************************************)
EXTENDS BroadcastCommon

VARIABLES
    stage,            \* Of a follower in Synchronization.
    queue,            \* Proposals to be logged.
    commits           \* Transactions to be committed.

ClientRequest(l) == ClientRequestStep(l) /\ UNCHANGED <<cut, stage, queue, commits>>
LeaderAck(l, f) == LeaderAckStep(l, f) /\ UNCHANGED <<cut, stage, queue, commits>>

FollowerProposal(f, l) ==
    /\ InBroadcast(f, l)
    /\ Pending(l, f, "PROPOSAL")
    /\ queue' = [queue EXCEPT ![f] = Append(@, Head(net[l][f]).zxid)]
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<serverVars, link, peerLast, cut, votes, proposed, decided, stage, commits>>

\* Proposals whose commit has not come.
Uncommitted(f) == After(log[f] \o queue[f], Max(applied[f], Last(commits[f])))

FollowerCommit(f, l) ==
    LET zxid == Head(net[l][f]).zxid
        waiting == Uncommitted(f)
    IN
    /\ InBroadcast(f, l)
    /\ Pending(l, f, "COMMIT")
    /\ waiting # <<>> => Head(waiting) = zxid
    /\ commits' = [commits EXCEPT ![f] = IF waiting = <<>> THEN @ ELSE Append(@, zxid)]
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<serverVars, link, peerLast, cut, votes, proposed, decided, stage, queue>>

\* The thread was started by this leader's NEWLEADER; else what it logs is of no interest to anyone.
Acknowledges(s) == leader[s] # Nobody /\ (phase[s] = "BROADCAST" \/ stage[s] \in {"queued", "acked"})

\* ZOOKEEPER-4712: it also logs while the server looks for a leader, behind the back of `applied`.
LogRequest(s) ==
    LET zxid == Head(queue[s])
    IN
    /\ phase[s] # "DOWN"
    /\ queue[s] # <<>>
    /\ queue' = [queue EXCEPT ![s] = Tail(@)]
    /\ log' = [log EXCEPT ![s] = Append(@, zxid)]
    /\ net' = IF Acknowledges(s) THEN Sent(net, s, leader[s], <<Message("ACK", zxid)>>) ELSE net
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, applied, link, peerLast, cut>>
    /\ UNCHANGED <<votes, proposed, decided, stage, commits>>

\* A transaction is applied once it is on disk.
CommitRequest(f) ==
    /\ commits[f] # <<>>
    /\ Head(commits[f]) \in Members(log[f])
    /\ commits' = [commits EXCEPT ![f] = Tail(@)]
    /\ applied' = [applied EXCEPT ![f] = Max(@, Head(commits[f]))]
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, log, linkVars, votes, proposed, decided, stage, queue>>

Init ==
    /\ InitBroadcast
    /\ stage = [s \in Server |-> "none"]
    /\ queue = [s \in Server |-> <<>>]
    /\ commits = [s \in Server |-> <<>>]
=============================================================================
