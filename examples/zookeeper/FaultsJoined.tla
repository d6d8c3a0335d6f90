---------------------------- MODULE FaultsJoined ----------------------------
(***************************************************************************)
(* The environment where ZOOKEEPER-4712 is fixed: a server that shuts down *)
(* without a crash waits for its logging thread to work off its queue, and *)
(* reads its memory from disk after that.                                  *)
(***************************************************************************)
EXTENDS Retreat

VARIABLES crashes, partitions, queue, commits

Joined(servers, down) ==
    [s \in Server |-> LogsBeforeLeaving(servers, down)[s] \o (IF s \in servers \ down THEN queue[s] ELSE <<>>)]

Emptied(queues, servers) == [s \in Server |-> IF s \in servers THEN <<>> ELSE queues[s]]

Crash(s) ==
    /\ phase[s] # "DOWN"
    /\ crashes < MaxCrashes
    /\ crashes' = crashes + 1
    /\ BackToElection(LeavingWith(s), {s}, Joined(LeavingWith(s), {s}))
    /\ queue' = Emptied(queue, LeavingWith(s))
    /\ commits' = Emptied(commits, LeavingWith(s))
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, cut, partitions>>

Restart(s) ==
    /\ phase[s] = "DOWN"
    /\ phase' = [phase EXCEPT ![s] = "ELECTION"]
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, log, applied, linkVars, leadVars, learnVars>>
    /\ UNCHANGED <<crashes, partitions, queue, commits>>

Partition(l, f) ==
    /\ Follows(f, l) /\ Leads(l) /\ link[f] # "off"
    /\ partitions < MaxPartitions
    /\ partitions' = partitions + 1
    /\ cut' = cut \cup {{l, f}}
    /\ BackToElection(Leaving(f), {}, Joined(Leaving(f), {}))
    /\ queue' = Emptied(queue, Leaving(f))
    /\ commits' = Emptied(commits, Leaving(f))
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, crashes>>

Heal(i, j) ==
    /\ i < j
    /\ ~Reachable(i, j)
    /\ cut' = cut \ {{i, j}}
    /\ UNCHANGED <<serverVars, net, link, peerLast, leadVars, learnVars>>
    /\ UNCHANGED <<crashes, partitions, queue, commits>>

Init ==
    /\ InitServers
    /\ InitLinks
    /\ InitRetreat
    /\ crashes = 0
    /\ partitions = 0
    /\ queue = [s \in Server |-> <<>>]
    /\ commits = [s \in Server |-> <<>>]
=============================================================================
