------------------------------- MODULE Faults -------------------------------
(***************************************************************************)
(* The environment: servers crash and restart, connections break and come  *)
(* back. A shutdown that is no crash leaves the thread that logs alone     *)
(* with its queue (ZOOKEEPER-4712). The last notification that was sent to *)
(* a server which has crashed is sent to it again when it is back.         *)
(***************************************************************************)
EXTENDS Retreat

VARIABLES
    crashes,          \* So many have happened.
    partitions,
    queue,            \* Where logging and committing are threads, their queues.
    commits,
    round,            \* Where votes are exchanged, what a crash makes a server forget.
    vote,
    heard,
    settled,
    mail

electionVars == <<round, vote, heard, settled, mail>>

Crash(s) ==
    /\ phase[s] # "DOWN"
    /\ crashes < MaxCrashes
    /\ crashes' = crashes + 1
    /\ BackToElection(LeavingWith(s), {s}, LogsBeforeLeaving(LeavingWith(s), {s}))
    /\ queue' = [queue EXCEPT ![s] = <<>>]
    /\ commits' = [t \in Server |-> IF t \in LeavingWith(s) THEN <<>> ELSE commits[t]]
    /\ round' = [round EXCEPT ![s] = 0]
    /\ vote' = [vote EXCEPT ![s] = NoVote]
    /\ heard' = [heard EXCEPT ![s] = NoVotes]
    /\ settled' = [settled EXCEPT ![s] = NoVotes]
    /\ mail' = [mail EXCEPT ![s] = [t \in Server |-> NoMail]]
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, cut, partitions>>

Restart(s) ==
    /\ phase[s] = "DOWN"
    /\ phase' = [phase EXCEPT ![s] = "ELECTION"]
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, log, applied, linkVars, leadVars, learnVars>>
    /\ UNCHANGED <<crashes, partitions, queue, commits, electionVars>>

(***************************************************************************)
(* Only a partition between a leader and its follower is worth a step: any *)
(* other one forbids elections and joins that need not happen anyway.      *)
(***************************************************************************)
Partition(l, f) ==
    /\ Follows(f, l) /\ Leads(l) /\ link[f] # "off"
    /\ partitions < MaxPartitions
    /\ partitions' = partitions + 1
    /\ cut' = cut \cup {{l, f}}
    /\ BackToElection(Leaving(f), {}, LogsBeforeLeaving(Leaving(f), {}))
    /\ commits' = [t \in Server |-> IF t \in Leaving(f) THEN <<>> ELSE commits[t]]
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, crashes, queue, electionVars>>

Heal(i, j) ==
    /\ i < j
    /\ ~Reachable(i, j)
    /\ cut' = cut \ {{i, j}}
    /\ UNCHANGED <<serverVars, net, link, peerLast, leadVars, learnVars>>
    /\ UNCHANGED <<crashes, partitions, queue, commits, electionVars>>

Init ==
    /\ InitServers
    /\ InitLinks
    /\ InitRetreat
    /\ crashes = 0
    /\ partitions = 0
    /\ queue = [s \in Server |-> <<>>]
    /\ commits = [s \in Server |-> <<>>]
    /\ round = [s \in Server |-> 1]
    /\ vote = [s \in Server |-> FirstVote]
    /\ heard = [s \in Server |-> NoVotes]
    /\ settled = [s \in Server |-> NoVotes]
    /\ mail = [i \in Server |-> [j \in Server |-> NoMail]]
=============================================================================
