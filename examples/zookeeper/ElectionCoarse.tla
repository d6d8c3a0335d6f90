--------------------------- MODULE ElectionCoarse ---------------------------
(***************************************************************************)
(* Election and Discovery, coarse: one step from looking for a leader to   *)
(* the start of Synchronization. What votes and handshakes were exchanged  *)
(* is gone; who leads, in which epoch, and what the leader knows of each   *)
(* follower is what Synchronization needs.                                 *)
(***************************************************************************)
EXTENDS Retreat

\* The server with the newest epoch wins, then the longest log, then the highest number.
BetterCandidate(a, b) ==
    \/ currentEpoch[a] > currentEpoch[b]
    \/ /\ currentEpoch[a] = currentEpoch[b]
       /\ \/ applied[a] > applied[b]
          \/ applied[a] = applied[b] /\ a > b

\* Quorum `team`, all of which look for a leader, elects l and agrees on a new epoch.
ElectionAndDiscovery(l, team) ==
    LET epoch == Maximum({acceptedEpoch[s] : s \in team}) + 1
        followers == team \ {l}
    IN
    /\ l \in team
    /\ epoch <= MaxEpoch
    /\ \A s \in team : phase[s] = "ELECTION"
    /\ \A f \in followers : Reachable(l, f) /\ BetterCandidate(l, f)
    /\ phase' = [s \in Server |-> IF s \in team THEN "SYNCHRONIZATION" ELSE phase[s]]
    /\ leader' = [s \in Server |-> IF s \in team THEN l ELSE leader[s]]
    /\ acceptedEpoch' = [s \in Server |-> IF s \in team THEN epoch ELSE acceptedEpoch[s]]
    /\ currentEpoch' = [currentEpoch EXCEPT ![l] = epoch]
    /\ link' = [s \in Server |-> IF s \in followers THEN "ready" ELSE link[s]]
    /\ peerLast' = [s \in Server |-> IF s \in followers THEN applied[s] ELSE peerLast[s]]
    /\ acks' = [acks EXCEPT ![l] = {l}]
    /\ UNCHANGED <<log, applied, net, cut, votes, learnVars>>

\* A server that comes later finds the leader that the others have.
Join(f, l) ==
    /\ phase[f] = "ELECTION"
    /\ Leads(l)
    /\ phase[l] \in Established
    /\ Reachable(l, f)
    /\ acceptedEpoch[f] <= acceptedEpoch[l]
    /\ phase' = [phase EXCEPT ![f] = "SYNCHRONIZATION"]
    /\ leader' = [leader EXCEPT ![f] = l]
    /\ acceptedEpoch' = [acceptedEpoch EXCEPT ![f] = acceptedEpoch[l]]
    /\ link' = [link EXCEPT ![f] = "ready"]
    /\ peerLast' = [peerLast EXCEPT ![f] = applied[f]]
    /\ UNCHANGED <<currentEpoch, log, applied, net, cut, leadVars, learnVars>>

Init ==
    /\ InitServers
    /\ InitLinks
    /\ InitRetreat
=============================================================================
