------------------------------ MODULE Retreat -------------------------------
(***************************************************************************)
(* The way back to election. A follower that loses its leader, and a       *)
(* leader that is left without a quorum, forget what they were at and look *)
(* for a leader again. Both ends of a connection notice that it is gone at *)
(* once: to notice it later looks, to everyone else, like losing it later. *)
(***************************************************************************)
EXTENDS Links

VARIABLES
    acks,             \* Of a leader in Synchronization: who has acknowledged NEWLEADER.
    votes,            \* Of a leader: for each outstanding proposal, who has logged it.
    stage,            \* Of a follower in Synchronization: "none" until it knows how it
                      \* will be synchronized; "diff" and "whole" (TRUNC, SNAP) until
                      \* NEWLEADER; then, in fine grains, more; "acked" until UPTODATE.
    pending,          \* Of a follower in Synchronization: proposals it has received,
    committing        \* and commits it has received; neither of them handled.

leadVars == <<acks, votes>>
learnVars == <<stage, pending, committing>>

\* Outstanding proposals are the last ones of the leader's log.
Outstanding(l) == SubSeq(log[l], Len(log[l]) - Len(votes[l]) + 1, Len(log[l]))

\* Who goes back to election when the connection of follower f is gone.
Leaving(f) ==
    LET l == leader[f]
    IN IF phase[l] \in Established /\ ~IsQuorum(Linked(l) \ {f}) THEN Team(l) ELSE {f}

\* When server s stops. One without a leader takes nobody along.
LeavingWith(s) ==
    IF leader[s] = Nobody THEN {s} ELSE IF Leads(s) THEN Team(s) ELSE Leaving(s)

(***************************************************************************)
(* A follower reads its connection between messages, and so notices that   *)
(* it is gone when it is done with one. That matters in the middle of      *)
(* NEWLEADER: one with the epoch updated logs before it goes, and a crash  *)
(* is the only way to stop it. One grain logs only what is committed.      *)
(***************************************************************************)
CommittedPart(f) == SelectSeq(pending[f], LAMBDA zxid : zxid \in Members(committing[f]))
OtherPart(f) == SelectSeq(pending[f], LAMBDA zxid : zxid \notin Members(committing[f]))

LogsBeforeLeaving(servers, down) ==
    [s \in Server |->
        log[s] \o (IF s \notin servers \ down THEN <<>>
                   ELSE CASE stage[s] = "epoch" -> pending[s]
                          [] stage[s] = "epochThenCommitted" -> CommittedPart(s)
                          [] OTHER -> <<>>)]

(***************************************************************************)
(* All but `down` go on, and are to know their whole log when they vote.   *)
(* In version 3.9.1 only one that has served brings its memory up to date: *)
(* ZooKeeperServer.shutdown does nothing unless the server is running. One *)
(* that was still being synchronized votes with what it has in memory,     *)
(* also if its thread has logged, and acknowledged, more.                  *)
(***************************************************************************)
MemoryAfter(servers, down, logs) ==
    [s \in Server |->
        IF s \in down \/ (s \in servers /\ (MaskedStaleMemory \/ phase[s] = "BROADCAST"))
        THEN Last(logs[s])
        ELSE applied[s]]

BackToElection(servers, down, logs) ==
    /\ log' = logs
    /\ phase' = [s \in Server |->
                    IF s \in down THEN "DOWN" ELSE IF s \in servers THEN "ELECTION" ELSE phase[s]]
    /\ leader' = [s \in Server |-> IF s \in servers THEN Nobody ELSE leader[s]]
    /\ applied' = MemoryAfter(servers, down, logs)
    /\ net' = [i \in Server |-> [j \in Server |-> IF i \in servers \/ j \in servers THEN <<>> ELSE net[i][j]]]
    /\ link' = [s \in Server |-> IF s \in servers THEN "off" ELSE link[s]]
    /\ peerLast' = [s \in Server |-> IF s \in servers THEN NoZxid ELSE peerLast[s]]
    /\ acks' = [s \in Server |-> IF s \in servers THEN {} ELSE acks[s]]
    /\ votes' = [s \in Server |-> IF s \in servers THEN <<>> ELSE votes[s]]
    /\ stage' = [s \in Server |-> IF s \in servers THEN "none" ELSE stage[s]]
    /\ pending' = [s \in Server |-> IF s \in servers THEN <<>> ELSE pending[s]]
    /\ committing' = [s \in Server |-> IF s \in servers THEN <<>> ELSE committing[s]]

InitRetreat ==
    /\ acks = [s \in Server |-> {}]
    /\ votes = [s \in Server |-> <<>>]
    /\ stage = [s \in Server |-> "none"]
    /\ pending = [s \in Server |-> <<>>]
    /\ committing = [s \in Server |-> <<>>]
=============================================================================
