------------------------------ MODULE Servers -------------------------------
(***************************************************************************)
(* What every server keeps. acceptedEpoch, currentEpoch and log are on its *)
(* disk and survive a crash; the rest is in memory.                        *)
(***************************************************************************)
EXTENDS Common

VARIABLES
    phase,            \* "DOWN", or the phase of the protocol that the server is in.
    leader,           \* Whom it follows; itself if it leads; Nobody.
    acceptedEpoch,    \* The newest epoch that it has promised to take part in.
    currentEpoch,     \* The newest epoch whose history it has taken over.
    log,              \* The transactions on its disk.
    applied           \* The last transaction in its memory, as a zxid: what is
                      \* committed; after it has served, or started, the whole log.

serverVars == <<phase, leader, acceptedEpoch, currentEpoch, log, applied>>

Leads(s) == leader[s] = s
Follows(f, l) == f # l /\ leader[f] = l
Team(l) == {s \in Server : leader[s] = l}
Established == {"SYNCHRONIZATION", "BROADCAST"}   \* Phases of a leader that has its epoch.
Committed(s) == UpTo(log[s], applied[s])

\* Behaviours start where a first leader, the server with the highest number, serves in epoch 1.
FirstLeader == Maximum(Server)
FirstVote == 10000 + FirstLeader      \* In the numbers of ElectionBaseline: epoch 1, nothing logged.

InitServers ==
    /\ phase = [s \in Server |-> "BROADCAST"]
    /\ leader = [s \in Server |-> FirstLeader]
    /\ acceptedEpoch = [s \in Server |-> 1]
    /\ currentEpoch = [s \in Server |-> 1]
    /\ log = [s \in Server |-> <<>>]
    /\ applied = [s \in Server |-> StartOfTime]
=============================================================================
