-------------------------- MODULE ElectionBaseline --------------------------
(***************************************************************************)
(* Fast leader election. A server that looks for a leader votes, at first  *)
(* for itself, tells all others, and changes to any better vote of its     *)
(* round that it hears of; a quorum of equal votes decides. Servers that   *)
(* have a leader answer those that look for one.                           *)
(*                                                                         *)
(* A vote is one number: the candidate's epoch, its last zxid, its id, in  *)
(* the order in which votes compare: 1 021 3 is server 3 with epoch 1 and  *)
(* transaction 21. Of the notifications from one server to another only    *)
(* the newest one counts, as in the implementation: a mailbox, no queue.   *)
(***************************************************************************)
EXTENDS Links

CONSTANT MaxRound

VARIABLES
    round,            \* The logical clock: how many elections a server has taken part in.
    vote,             \* Its vote, and after the election, the one that won.
    heard,            \* While it looks: the votes of this round, by server. Else all NoVote.
    settled,          \* While it looks: what servers say that have a leader.
    mail,             \* mail[i][j]: the newest notification of i that j has not read.
    infos,            \* Of a leader: see Discovery, which starts when an election is over.
    newEpoch,
    epochAcks

electionVars == <<round, vote, heard, settled, mail>>
discoveryVars == <<infos, newEpoch, epochAcks>>

VoteFor(s) == 10000 * currentEpoch[s] + 10 * applied[s] + s
CandidateOf(ballot) == ballot % 10

Looks(s) == phase[s] = "ELECTION" /\ heard[s] # NoVotes
Notification(s, voted, clock, looking) ==
    <<[vote |-> voted, round |-> clock, looking |-> looking, leads |-> Leads(s)]>>

\* Everyone that s can reach is told of its vote.
Told(boxes, s, voted, clock) ==
    [boxes EXCEPT ![s] = [t \in Server |->
        IF t # s /\ Reachable(s, t) THEN Notification(s, voted, clock, TRUE) ELSE @[t]]]

StartLooking(s) ==
    /\ phase[s] = "ELECTION"
    /\ heard[s] = NoVotes
    /\ round[s] < MaxRound
    /\ round' = [round EXCEPT ![s] = @ + 1]
    /\ vote' = [vote EXCEPT ![s] = VoteFor(s)]
    /\ heard' = [heard EXCEPT ![s] = [NoVotes EXCEPT ![s] = VoteFor(s)]]
    /\ settled' = [settled EXCEPT ![s] = NoVotes]
    /\ mail' = Told(mail, s, VoteFor(s), round[s] + 1)
    /\ UNCHANGED <<serverVars, linkVars, discoveryVars>>

(***************************************************************************)
(* A notification of a server that looks for a leader, read by one that    *)
(* does. A newer round is joined with a clean slate; an older one gets an  *)
(* answer. Unread mail is thrown away while a server does not look, unless *)
(* its sender looks.                                                       *)
(***************************************************************************)
HearLooking(from, to, m) ==
    LET newer == m.round > round[to]
        mine == IF newer THEN VoteFor(to) ELSE vote[to]
        chosen == Max(mine, m.vote)
        votes0 == IF newer THEN NoVotes ELSE heard[to]
        empty == [mail EXCEPT ![from][to] = NoMail]
    IN
    IF m.round < round[to]
    THEN /\ mail' = [empty EXCEPT ![to][from] =
                        IF Reachable(from, to) THEN Notification(to, vote[to], round[to], TRUE) ELSE @]
         /\ UNCHANGED <<round, vote, heard, settled>>
    ELSE /\ round' = [round EXCEPT ![to] = m.round]
         /\ vote' = [vote EXCEPT ![to] = chosen]
         /\ heard' = [heard EXCEPT ![to] = [votes0 EXCEPT ![from] = m.vote, ![to] = chosen]]
         /\ mail' = IF newer \/ chosen # mine THEN Told(empty, to, chosen, m.round) ELSE empty
         /\ UNCHANGED settled

\* One that has a leader tells of it. The word of the leader itself counts as that of nobody else.
HearSettled(from, to, m) ==
    /\ settled' = [settled EXCEPT ![to][from] = IF m.leads \/ CandidateOf(m.vote) # from THEN m.vote ELSE @]
    /\ mail' = [mail EXCEPT ![from][to] = NoMail]
    /\ UNCHANGED <<round, vote, heard>>

Answer(from, to) ==
    /\ mail' = [mail EXCEPT
                    ![from][to] = NoMail,
                    ![to][from] = IF Reachable(from, to) THEN Notification(to, vote[to], round[to], FALSE) ELSE @]
    /\ UNCHANGED <<round, vote, heard, settled>>

ReadNotification(from, to) ==
    /\ mail[from][to] # NoMail
    /\ Looks(to) \/ phase[to] \notin {"DOWN", "ELECTION"}
    /\ LET m == mail[from][to][1]
       IN CASE Looks(to) /\ m.looking -> HearLooking(from, to, m)
            [] Looks(to) /\ ~m.looking -> HearSettled(from, to, m)
            [] ~Looks(to) /\ m.looking -> Answer(from, to)
            [] OTHER -> /\ mail' = [mail EXCEPT ![from][to] = NoMail]
                        /\ UNCHANGED <<round, vote, heard, settled>>
    /\ UNCHANGED <<serverVars, linkVars, discoveryVars>>

\* Server s has a leader and turns to Discovery. A leader starts with an empty file of handshakes.
Decide(s, l) ==
    /\ phase' = [phase EXCEPT ![s] = "DISCOVERY"]
    /\ leader' = [leader EXCEPT ![s] = l]
    /\ heard' = [heard EXCEPT ![s] = NoVotes]
    /\ settled' = [settled EXCEPT ![s] = NoVotes]
    /\ infos' = [infos EXCEPT ![s] = {}]
    /\ newEpoch' = [newEpoch EXCEPT ![s] = IF s = l THEN acceptedEpoch[s] + 1 ELSE 0]
    /\ epochAcks' = [epochAcks EXCEPT ![s] = {}]
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, log, applied, linkVars, round, mail>>

FinishElection(s) ==
    /\ Looks(s)
    /\ IsQuorum({t \in Server : heard[s][t] = vote[s]})
    /\ Decide(s, CandidateOf(vote[s]))
    /\ UNCHANGED vote

\* A quorum is for a leader, the leader among them says that it leads; those that have it count, of whatever round.
FollowSettled(s) ==
    /\ Looks(s)
    /\ \E ballot \in {settled[s][t] : t \in Server} \ {NoVote} :
        LET l == CandidateOf(ballot)
        IN
        /\ l # s /\ settled[s][l] = ballot
        /\ IsQuorum({t \in Server : ballot \in {settled[s][t], heard[s][t]}})
        /\ vote' = [vote EXCEPT ![s] = ballot]
        /\ Decide(s, l)

\* A follower whose leader does not lead, and a leader whom nobody follows, try again.
GiveUp(s) ==
    /\ phase[s] = "DISCOVERY" /\ link[s] = "off"
    /\ round[s] < MaxRound
    /\ \/ ~Leads(s) /\ leader[leader[s]] # leader[s]
       \/ Leads(s) /\ Linked(s) = {s}
    /\ phase' = [phase EXCEPT ![s] = "ELECTION"]
    /\ leader' = [leader EXCEPT ![s] = Nobody]
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, log, applied, linkVars, electionVars, discoveryVars>>

Init ==
    /\ InitServers
    /\ InitLinks
    /\ round = [s \in Server |-> 1]
    /\ vote = [s \in Server |-> FirstVote]
    /\ heard = [s \in Server |-> NoVotes]
    /\ settled = [s \in Server |-> NoVotes]
    /\ mail = [i \in Server |-> [j \in Server |-> NoMail]]
    /\ infos = [s \in Server |-> {}]
    /\ newEpoch = [s \in Server |-> 0]
    /\ epochAcks = [s \in Server |-> {}]
=============================================================================
