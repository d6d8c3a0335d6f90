----------------------------- MODULE SyncCommon -----------------------------
(***************************************************************************)
(* Synchronization: what is the same in all its grains. The leader decides *)
(* how to bring a follower up to date, the follower collects what it gets  *)
(* until NEWLEADER. What it does then is where grains differ. Each grain   *)
(* makes actions of these steps: it says what else they leave alone.       *)
(***************************************************************************)
EXTENDS Retreat

VARIABLES
    decided,          \* History: what leaders have committed so far, as the newest one has it;
    establishedEpoch  \* and the newest epoch that a leader has been established in.

historyVars == <<decided, establishedEpoch>>

\* All that is sent after the choice of mode: what is committed and missing, what is outstanding.
SyncPackets(l, since) == Pairs(After(Committed(l), since)) \o Each("PROPOSAL", Outstanding(l))

(***************************************************************************)
(* TRUNC takes away what the follower has and the leader has not; DIFF     *)
(* sends what is missing; SNAP sends all. Whether a leader has to resort   *)
(* to SNAP depends on how much of its history is in memory; here it may    *)
(* whenever the follower is behind.                                        *)
(***************************************************************************)
LeaderSyncStep(l, f) ==
    LET peer == peerLast[f]
        committed == Committed(l)
        common == Last(UpTo(committed, peer))    \* Where the follower's log stops agreeing.
        Start(first, since) ==
            net' = Sent(net, l, f, <<first>> \o SyncPackets(l, since)
                                   \o <<Message("NEWLEADER", Zxid(acceptedEpoch[l], 0))>>)
    IN
    /\ Leads(l) /\ phase[l] \in Established
    /\ Follows(f, l) /\ link[f] = "ready"
    /\ \/ peer = common /\ Start(Message("DIFF", Last(committed)), peer)
       \/ peer # common /\ Start(Message("TRUNC", common), common)
       \/ peer < Last(committed) /\ Start(Snapshot(committed), Last(committed))
    /\ link' = [link EXCEPT ![f] = "syncing"]
    /\ peerLast' = [peerLast EXCEPT ![f] = NoZxid]
    /\ UNCHANGED <<serverVars, leadVars, learnVars, historyVars>>

InSync(f, l) == Follows(f, l) /\ phase[f] = "SYNCHRONIZATION"

FollowerSyncStep(f, l) ==
    /\ InSync(f, l) /\ stage[f] = "none"
    /\ \/ /\ Pending(l, f, "DIFF")
          /\ stage' = [stage EXCEPT ![f] = "diff"]
          /\ UNCHANGED <<log, applied>>
       \/ /\ Pending(l, f, "TRUNC")
          /\ stage' = [stage EXCEPT ![f] = "whole"]
          /\ log' = [log EXCEPT ![f] = UpTo(@, Head(net[l][f]).zxid)]
          /\ applied' = [applied EXCEPT ![f] = Head(net[l][f]).zxid]
       \/ /\ Pending(l, f, "SNAP")
          /\ stage' = [stage EXCEPT ![f] = "whole"]
          /\ log' = [log EXCEPT ![f] = Head(net[l][f]).log]
          /\ applied' = [applied EXCEPT ![f] = Head(net[l][f]).zxid]
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, link, peerLast>>
    /\ UNCHANGED <<leadVars, pending, committing, historyVars>>

SyncProposalStep(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "PROPOSAL")
    /\ pending' = [pending EXCEPT ![f] = Append(@, Head(net[l][f]).zxid)]
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<serverVars, link, peerLast, leadVars, stage, committing, historyVars>>

\* After TRUNC and SNAP commits go to memory and so into the next snapshot; else they wait.
AppliesAtOnce(f) == stage[f] = "whole"

SyncCommitStep(f, l) ==
    LET zxid == Head(net[l][f]).zxid
        matches == Head(pending[f]) = zxid
    IN
    /\ InSync(f, l)
    /\ Pending(l, f, "COMMIT")
    /\ pending[f] # <<>>
    /\ IF AppliesAtOnce(f)
       THEN /\ log' = [log EXCEPT ![f] = IF matches THEN Append(@, zxid) ELSE @]
            /\ applied' = [applied EXCEPT ![f] = IF matches THEN zxid ELSE @]
            /\ pending' = [pending EXCEPT ![f] = IF matches THEN Tail(@) ELSE @]
            /\ UNCHANGED committing
       ELSE /\ committing' = [committing EXCEPT ![f] = Append(@, zxid)]
            /\ UNCHANGED <<log, applied, pending>>
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<phase, leader, acceptedEpoch, currentEpoch, link, peerLast, leadVars, stage, historyVars>>

\* ZOOKEEPER-4394: a commit with no proposal to match it is an exception, and ends the connection.
SyncCommitFailsStep(f, l) ==
    /\ ~Masked4394
    /\ InSync(f, l)
    /\ Pending(l, f, "COMMIT")
    /\ pending[f] = <<>>
    /\ BackToElection(Leaving(f), {}, LogsBeforeLeaving(Leaving(f), {}))
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, historyVars>>

(***************************************************************************)
(* The first ACK of a follower is taken for that of NEWLEADER. While the   *)
(* leader waits for a quorum of them, one with another zxid is an error    *)
(* that does not count; after that nobody looks.                           *)
(***************************************************************************)
LeaderAckNewLeaderStep(l, f) ==
    LET epochStart == Zxid(acceptedEpoch[l], 0)
        nowAcked == IF Head(net[f][l]).zxid = epochStart THEN acks[l] \cup {f} ELSE acks[l]
        nowLinked == {s \in Team(l) : s = f \/ link[s] = "acked"}
        upToDate == Message("UPTODATE", epochStart)
    IN
    /\ Leads(l) /\ phase[l] \in Established
    /\ Follows(f, l) /\ link[f] = "syncing"
    /\ Pending(f, l, "ACK")
    /\ link' = [link EXCEPT ![f] = "acked"]
    /\ IF phase[l] = "BROADCAST"
       THEN /\ net' = Sent(Taken(f, l), l, f, <<upToDate>>)
            /\ UNCHANGED <<phase, acks, historyVars>>
       ELSE IF IsQuorum(nowAcked)
       THEN /\ phase' = [phase EXCEPT ![l] = "BROADCAST"]
            /\ acks' = [acks EXCEPT ![l] = {}]
            /\ decided' = Committed(l)
            /\ establishedEpoch' = currentEpoch[l]
            /\ net' = SentToAll(Taken(f, l), l, nowLinked, upToDate)
       ELSE /\ acks' = [acks EXCEPT ![l] = nowAcked]
            /\ net' = Taken(f, l)
            /\ UNCHANGED <<phase, historyVars>>
    /\ UNCHANGED <<leader, acceptedEpoch, currentEpoch, log, applied, peerLast, votes, learnVars>>

InitSync ==
    /\ InitServers
    /\ InitLinks
    /\ InitRetreat
    /\ decided = <<>>
    /\ establishedEpoch = 1
=============================================================================
