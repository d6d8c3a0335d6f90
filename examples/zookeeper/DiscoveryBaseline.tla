-------------------------- MODULE DiscoveryBaseline -------------------------
(***************************************************************************)
(* Discovery: the leader that was elected learns of the epochs that its    *)
(* followers have promised (FOLLOWERINFO), proposes a newer one to them    *)
(* (LEADERINFO), and leads in it as soon as a quorum has accepted it and   *)
(* none of them has a better history than the leader (ACKEPOCH).           *)
(***************************************************************************)
EXTENDS Retreat

VARIABLES
    infos,            \* Of a leader: followers whose FOLLOWERINFO it has read;
    newEpoch,         \* the epoch that it is going to propose, newer than all it knows;
    epochAcks         \* and the followers that have accepted it.

discoveryVars == <<infos, newEpoch, epochAcks>>

EpochIsChosen(l) == IsQuorum(infos[l] \cup {l})
NoEpoch == -1

Connect(f, l) ==
    /\ Follows(f, l) /\ phase[f] = "DISCOVERY" /\ link[f] = "off"
    /\ Leads(l) /\ phase[l] \in {"DISCOVERY"} \cup Established
    /\ Reachable(f, l)
    /\ link' = [link EXCEPT ![f] = "info"]
    /\ net' = Sent(net, f, l, <<Message("FOLLOWERINFO", Zxid(acceptedEpoch[f], 0))>>)
    /\ UNCHANGED <<serverVars, peerLast, cut, leadVars, learnVars, discoveryVars>>

\* The answer waits until a quorum has asked, and then goes to all that have.
LeaderFollowerInfo(l, f) ==
    LET asked == infos[l] \cup {f}
        epoch == Max(newEpoch[l], EpochOf(Head(net[f][l]).zxid) + 1)
        waiting == {s \in asked : leader[s] = l /\ link[s] = "info"}
        LeaderInfo(e) == Message("LEADERINFO", Zxid(e, 0))
    IN
    /\ Leads(l) /\ Follows(f, l) /\ link[f] = "info"
    /\ Pending(f, l, "FOLLOWERINFO")
    /\ IF phase[l] \in Established \/ EpochIsChosen(l)
       THEN /\ net' = Sent(Taken(f, l), l, f, <<LeaderInfo(acceptedEpoch[l])>>)
            /\ UNCHANGED <<infos, newEpoch, acceptedEpoch>>
       ELSE /\ infos' = [infos EXCEPT ![l] = asked]
            /\ newEpoch' = [newEpoch EXCEPT ![l] = epoch]
            /\ IF IsQuorum(asked \cup {l})
               THEN /\ epoch <= MaxEpoch
                    /\ acceptedEpoch' = [acceptedEpoch EXCEPT ![l] = epoch]
                    /\ net' = SentToAll(Taken(f, l), l, waiting, LeaderInfo(epoch))
               ELSE /\ net' = Taken(f, l)
                    /\ UNCHANGED acceptedEpoch
    /\ UNCHANGED <<phase, leader, currentEpoch, log, applied, link, peerLast, cut, leadVars, learnVars, epochAcks>>

\* A follower accepts a newer epoch, and one that it has accepted before without another vote for it.
FollowerLeaderInfo(f, l) ==
    LET epoch == EpochOf(Head(net[l][f]).zxid)
        told == IF epoch > acceptedEpoch[f] THEN currentEpoch[f] ELSE NoEpoch
    IN
    /\ Follows(f, l) /\ phase[f] = "DISCOVERY"
    /\ Pending(l, f, "LEADERINFO")
    /\ IF epoch >= acceptedEpoch[f]
       THEN /\ acceptedEpoch' = [acceptedEpoch EXCEPT ![f] = epoch]
            /\ phase' = [phase EXCEPT ![f] = "SYNCHRONIZATION"]
            /\ net' = Sent(Taken(l, f), f, l, <<AckEpoch(told, applied[f])>>)
            /\ UNCHANGED <<leader, log, applied, link, peerLast, leadVars, learnVars>>
       ELSE /\ BackToElection(Leaving(f), {}, LogsBeforeLeaving(Leaving(f), {}))
            /\ UNCHANGED acceptedEpoch
    /\ UNCHANGED <<currentEpoch, cut, discoveryVars>>

LeaderAckEpoch(l, f) ==
    LET m == Head(net[f][l])
        better == m.epoch > currentEpoch[l] \/ (m.epoch = currentEpoch[l] /\ m.zxid > applied[l])
        accepted == IF m.epoch = NoEpoch THEN epochAcks[l] ELSE epochAcks[l] \cup {f}
    IN
    /\ Leads(l) /\ Follows(f, l) /\ link[f] = "info"
    /\ Pending(f, l, "ACKEPOCH")
    /\ IF phase[l] = "DISCOVERY" /\ better
       THEN /\ BackToElection(Leaving(f), {}, LogsBeforeLeaving(Leaving(f), {}))
            /\ UNCHANGED <<currentEpoch, epochAcks, infos, newEpoch>>
       ELSE /\ link' = [link EXCEPT ![f] = "ready"]
            /\ peerLast' = [peerLast EXCEPT ![f] = m.zxid]
            /\ net' = Taken(f, l)
            /\ IF phase[l] # "DISCOVERY"
               THEN UNCHANGED <<phase, currentEpoch, acks, discoveryVars>>
               ELSE IF IsQuorum(accepted \cup {l})
               THEN /\ phase' = [phase EXCEPT ![l] = "SYNCHRONIZATION"]
                    /\ currentEpoch' = [currentEpoch EXCEPT ![l] = acceptedEpoch[l]]
                    /\ acks' = [acks EXCEPT ![l] = {l}]
                    /\ infos' = [infos EXCEPT ![l] = {}]
                    /\ newEpoch' = [newEpoch EXCEPT ![l] = 0]
                    /\ epochAcks' = [epochAcks EXCEPT ![l] = {}]
               ELSE /\ epochAcks' = [epochAcks EXCEPT ![l] = accepted]
                    /\ UNCHANGED <<phase, currentEpoch, acks, infos, newEpoch>>
            /\ UNCHANGED <<leader, log, applied, votes, learnVars>>
    /\ UNCHANGED <<acceptedEpoch, cut>>

Init ==
    /\ InitServers
    /\ InitLinks
    /\ InitRetreat
    /\ infos = [s \in Server |-> {}]
    /\ newEpoch = [s \in Server |-> 0]
    /\ epochAcks = [s \in Server |-> {}]
=============================================================================
