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
VotedEpoch(ballot) == ballot \div 10000
SameLeader(a, b) == CandidateOf(a) = CandidateOf(b) /\ VotedEpoch(a) = VotedEpoch(b)

\* What a server that has a leader says it voted for. When it begins to serve, it moves its vote to the new epoch.
VoteTold(s) == IF phase[s] = "BROADCAST" THEN 10000 * currentEpoch[s] + (vote[s] % 10000) ELSE vote[s]

Looks(s) == phase[s] = "ELECTION" /\ heard[s] # NoVotes
Notification(s, voted, clock, looking) ==
    <<[vote |-> voted, round |-> clock, looking |-> looking, leads |-> Leads(s)]>>

\* Everyone is told of the vote of s; those that it cannot reach, when it can.
Told(boxes, s, voted, clock) ==
    [boxes EXCEPT ![s] = [t \in Server |-> IF t # s THEN Notification(s, voted, clock, TRUE) ELSE @[t]]]

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
(* A server that has a quorum for its vote waits a moment before it        *)
(* finishes. What it hears then it throws away, unless it is a better vote.*)
(***************************************************************************)
HasQuorum(s) == IsQuorum({t \in Server : heard[s][t] = vote[s]})
IsTooLate(to, m) == HasQuorum(to) /\ m.vote <= vote[to]

\* Server s has a leader and turns to Discovery. A leader starts with an empty file of handshakes.
Decide(s, l) ==
    /\ phase' = [phase EXCEPT ![s] = "DISCOVERY"]
    /\ leader' = [leader EXCEPT ![s] = l]
    /\ heard' = [heard EXCEPT ![s] = NoVotes]
    /\ settled' = [settled EXCEPT ![s] = NoVotes]
    /\ infos' = [infos EXCEPT ![s] = {}]
    /\ newEpoch' = [newEpoch EXCEPT ![s] = IF s = l THEN acceptedEpoch[s] + 1 ELSE 0]
    /\ epochAcks' = [epochAcks EXCEPT ![s] = {}]

Undecided == UNCHANGED <<phase, leader, discoveryVars>>

FinishElection(s) ==
    /\ Looks(s)
    /\ HasQuorum(s)
    /\ Decide(s, CandidateOf(vote[s]))
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, log, applied, linkVars, round, vote, mail>>

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
    /\ IF m.round < round[to]
       THEN /\ mail' = [empty EXCEPT ![to][from] = Notification(to, vote[to], round[to], TRUE)]
            /\ UNCHANGED <<round, vote, heard, settled>>
       ELSE IF IsTooLate(to, m)
       THEN mail' = empty /\ UNCHANGED <<round, vote, heard, settled>>
       ELSE /\ round' = [round EXCEPT ![to] = m.round]
            /\ vote' = [vote EXCEPT ![to] = chosen]
            /\ heard' = [heard EXCEPT ![to] = [votes0 EXCEPT ![from] = m.vote, ![to] = chosen]]
            /\ mail' = IF newer \/ chosen # mine THEN Told(empty, to, chosen, m.round) ELSE empty
            /\ UNCHANGED settled
    /\ Undecided

(***************************************************************************)
(* One that has a leader tells of it. The reader follows as soon as a      *)
(* quorum of those that have a leader have the same, or a quorum of its    *)
(* round is for it, and it has heard that the leader leads; and it leads   *)
(* itself if that is what they say of it in its round. Votes of different  *)
(* epochs are not the same; but in a round, of those that have a leader    *)
(* only the leader counts (their votes are kept without a version, and are *)
(* taken for those of an old release).                                     *)
(***************************************************************************)
HearSettled(from, to, m) ==
    LET l == CandidateOf(m.vote)
        sameRound == m.round = round[to]
        votes1 == IF sameRound THEN [heard[to] EXCEPT ![from] = m.vote] ELSE heard[to]
        leaders == [settled[to] EXCEPT ![from] = m.vote]
        HasLeader(t) == votes1[t] = leaders[t] /\ votes1[t] # NoVote
        Says(t, ballot) == ballot = m.vote \/ (HasLeader(t) /\ CandidateOf(ballot) = l)
        inRound ==
            /\ sameRound
            /\ IsQuorum({t \in Server : Says(t, votes1[t])})
            /\ l # to => HasLeader(l) /\ CandidateOf(leaders[l]) = l
        outOfRound ==
            /\ IsQuorum({t \in Server : SameLeader(leaders[t], m.vote)})
            /\ IF l = to THEN sameRound ELSE CandidateOf(leaders[l]) = l
    IN
    /\ IF IsTooLate(to, m)
       THEN Undecided /\ UNCHANGED <<round, vote, heard, settled>>
       ELSE IF inRound \/ outOfRound
       THEN /\ Decide(to, l)
            /\ round' = [round EXCEPT ![to] = m.round]
            /\ vote' = [vote EXCEPT ![to] = m.vote]
       ELSE /\ heard' = [heard EXCEPT ![to] = votes1]
            /\ settled' = [settled EXCEPT ![to] = leaders]
            /\ Undecided /\ UNCHANGED <<round, vote>>
    /\ mail' = [mail EXCEPT ![from][to] = NoMail]

Answer(from, to) ==
    /\ mail' = [mail EXCEPT ![from][to] = NoMail, ![to][from] = Notification(to, VoteTold(to), round[to], FALSE)]
    /\ Undecided /\ UNCHANGED <<round, vote, heard, settled>>

ReadNotification(from, to) ==
    /\ mail[from][to] # NoMail
    /\ Reachable(from, to)
    /\ Looks(to) \/ phase[to] \notin {"DOWN", "ELECTION"}
    /\ LET m == mail[from][to][1]
       IN CASE Looks(to) /\ m.looking -> HearLooking(from, to, m)
            [] Looks(to) /\ ~m.looking -> HearSettled(from, to, m)
            [] ~Looks(to) /\ m.looking -> Answer(from, to)
            [] OTHER -> /\ mail' = [mail EXCEPT ![from][to] = NoMail]
                        /\ Undecided /\ UNCHANGED <<round, vote, heard, settled>>
    /\ UNCHANGED <<acceptedEpoch, currentEpoch, log, applied, linkVars>>

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
