------------------------------ MODULE Election ------------------------------
(* How the servers of a Raft cluster elect a leader, and six ways to make    *)
(* the model of it smaller, each to be switched on or off.                   *)
EXTENDS Naturals, FiniteSets, Bags, TLC

CONSTANTS Servers,
          MaxTerm,      \* how far terms are looked at
          Copies,       \* 1: messages on their way are a set; more: as many of each are told apart
          Spread,       \* how far terms of servers may lie apart; MaxTerm is no limit
          Normalise,    \* "no"; or at MaxTerm lower all terms and "clear" the messages, or "keep" them
          Batch,        \* TRUE: send to everybody at once, and once; FALSE: one by one, heartbeats again and again
          Prune,        \* TRUE: a message overtakes those of older terms to the same server
          VoteTwice     \* TRUE: servers forget whom they voted for; a mistake

None == "none"

VARIABLES role, term,
          vote,         \* whom each server votes for in its term
          granted,      \* the votes that each candidate has
          sent,         \* to whom each has sent its request, or as a leader its heartbeat, in its term
          messages      \* on their way, each with how many there are of it

vars == <<role, term, vote, granted, sent, messages>>

Init == /\ role = [s \in Servers |-> "follower"]
        /\ term = [s \in Servers |-> 0]
        /\ vote = [s \in Servers |-> None]
        /\ granted = [s \in Servers |-> {}]
        /\ sent = [s \in Servers |-> {}]
        /\ messages = EmptyBag

-----------------------------------------------------------------------------
(* Messages                                                                  *)

Message(type, from, to, t) == [type |-> type, from |-> from, to |-> to, term |-> t]
OnTheirWay == DOMAIN messages

Overtaken(old, new) == Prune /\ old.to = new.to /\ old.term < new.term
Without(bag, gone) == [m \in DOMAIN bag \ gone |-> bag[m]]
OneMore(bag, m) == IF m \notin DOMAIN bag THEN 1 ELSE IF Copies = 1 THEN 1 ELSE bag[m] + 1

With(bag, new) == LET rest == Without(bag, {m \in DOMAIN bag : \E n \in new : Overtaken(m, n)})
                  IN [m \in DOMAIN rest \cup new |-> IF m \in new THEN OneMore(rest, m) ELSE rest[m]]

OneLess(bag, m) == IF bag[m] = 1 THEN Without(bag, {m}) ELSE [bag EXCEPT ![m] = @ - 1]

Reply(m, type, t) == messages' = With(OneLess(messages, m), {Message(type, m.to, m.from, t)})
Ignore(m) == messages' = OneLess(messages, m)

-----------------------------------------------------------------------------
(* What servers do                                                           *)

Terms == {term[s] : s \in Servers}
Highest == CHOOSE t \in Terms : \A u \in Terms : t >= u
Lowest == CHOOSE t \in Terms : \A u \in Terms : t <= u

MayAdvance(s) == term[s] = Highest => term[s] - Lowest < Spread

(* A term that is as high as we look lowers all of them, so that there is an *)
(* end of states. What is on its way must not be left as it is.              *)
Lowered(terms) == LET low == CHOOSE t \in {terms[s] : s \in Servers} : \A s \in Servers : t <= terms[s]
                  IN [s \in Servers |-> terms[s] - low]

Advance(s) == LET raised == [term EXCEPT ![s] = @ + 1]
                  lower == Normalise # "no" /\ raised[s] = MaxTerm
              IN /\ term' = IF lower THEN Lowered(raised) ELSE raised
                 /\ messages' = IF lower /\ Normalise = "clear" THEN EmptyBag ELSE messages

Timeout(s) == /\ role[s] # "leader" /\ MayAdvance(s)
              /\ Advance(s)
              /\ role' = [role EXCEPT ![s] = "candidate"]
              /\ vote' = [vote EXCEPT ![s] = s]
              /\ granted' = [granted EXCEPT ![s] = {s}]
              /\ sent' = [sent EXCEPT ![s] = {}]

Send(s, type, to) == messages' = With(messages, {Message(type, s, r, term[s]) : r \in to})

(* To whom a message may go next: to everybody, or to one.                   *)
Portions(s) == LET rest == Servers \ ({s} \cup sent[s])
               IN IF rest = {} THEN {} ELSE IF Batch THEN {rest} ELSE {{r} : r \in rest}

AskForVotes(s) == /\ role[s] = "candidate"
                  /\ \E to \in Portions(s) : /\ Send(s, "request", to)
                                             /\ sent' = [sent EXCEPT ![s] = @ \cup to]
                  /\ UNCHANGED <<role, term, vote, granted>>

BecomeLeader(s) == /\ role[s] = "candidate"
                   /\ 2 * Cardinality(granted[s]) > Cardinality(Servers)
                   /\ role' = [role EXCEPT ![s] = "leader"]
                   /\ sent' = [sent EXCEPT ![s] = {}]
                   /\ UNCHANGED <<term, vote, granted, messages>>

Heartbeat(s) == /\ role[s] = "leader"
                /\ \E to \in Portions(s) : /\ Send(s, "heartbeat", to)
                                           /\ sent' = IF Batch THEN [sent EXCEPT ![s] = @ \cup to] ELSE sent
                /\ UNCHANGED <<role, term, vote, granted>>

(* A server that hears of a newer term goes on in it as a follower.          *)
Follow(s, t, whom) == /\ role' = [role EXCEPT ![s] = "follower"]
                      /\ term' = [term EXCEPT ![s] = t]
                      /\ vote' = [vote EXCEPT ![s] = whom]
                      /\ granted' = [granted EXCEPT ![s] = {}]
                      /\ sent' = [sent EXCEPT ![s] = {}]

MayVoteFor(s, whom) == vote[s] \in {None, whom} \/ VoteTwice

TakeRequest(m) ==
    LET s == m.to
    IN /\ m.type = "request"
       /\ \/ /\ m.term > term[s]
             /\ Follow(s, m.term, m.from)
             /\ Reply(m, "vote", m.term)
          \/ /\ m.term = term[s] /\ MayVoteFor(s, m.from)
             /\ vote' = [vote EXCEPT ![s] = m.from]
             /\ Reply(m, "vote", m.term)
             /\ UNCHANGED <<role, term, granted, sent>>
          \/ /\ m.term = term[s] /\ ~MayVoteFor(s, m.from)
             /\ Ignore(m)
             /\ UNCHANGED <<role, term, vote, granted, sent>>
          \/ /\ m.term < term[s]
             /\ Reply(m, "newer term", term[s])
             /\ UNCHANGED <<role, term, vote, granted, sent>>

TakeVote(m) ==
    LET s == m.to
    IN /\ m.type = "vote"
       /\ IF m.term = term[s] /\ role[s] = "candidate"
          THEN granted' = [granted EXCEPT ![s] = @ \cup {m.from}]
          ELSE UNCHANGED granted
       /\ Ignore(m)
       /\ UNCHANGED <<role, term, vote, sent>>

TakeHeartbeat(m) ==
    LET s == m.to
    IN /\ m.type = "heartbeat"
       /\ IF m.term < term[s]
          THEN Reply(m, "newer term", term[s]) /\ UNCHANGED <<role, term, vote, granted, sent>>
          ELSE Follow(s, m.term, m.from) /\ Ignore(m)

TakeNewerTerm(m) ==
    LET s == m.to
    IN /\ m.type = "newer term"
       /\ IF m.term > term[s] THEN Follow(s, m.term, None) ELSE UNCHANGED <<role, term, vote, granted, sent>>
       /\ Ignore(m)

Receive(m) == TakeRequest(m) \/ TakeVote(m) \/ TakeHeartbeat(m) \/ TakeNewerTerm(m)

Alone(s) == Timeout(s) \/ AskForVotes(s) \/ BecomeLeader(s) \/ Heartbeat(s)
ReceiveSome == \E m \in OnTheirWay : Receive(m)

Next == \/ \E s \in Servers : Timeout(s) \/ AskForVotes(s) \/ BecomeLeader(s) \/ Heartbeat(s)
        \/ \E m \in OnTheirWay : TakeRequest(m) \/ TakeVote(m) \/ TakeHeartbeat(m) \/ TakeNewerTerm(m)

Safe == Init /\ [][Next]_vars
Spec == Safe /\ WF_vars(ReceiveSome) /\ \A s \in Servers : WF_vars(Alone(s))

-----------------------------------------------------------------------------
(* For models with an end of their own making.                               *)
Bounded == /\ \A s \in Servers : term[s] <= MaxTerm
           /\ \A m \in OnTheirWay : messages[m] <= Copies
FewMessages == Cardinality(OnTheirWay) <= 1

TypeOK == /\ role \in [Servers -> {"follower", "candidate", "leader"}]
          /\ vote \in [Servers -> Servers \cup {None}]
          /\ granted \in [Servers -> SUBSET Servers]

LeaderUniqueTerm == \A s, r \in Servers : s # r /\ role[s] = "leader" /\ role[r] = "leader" => term[s] # term[r]

(* Nobody stays behind for ever.                                             *)
Converge == \A s \in Servers : term[s] = 0 ~> term[s] = MaxTerm - Spread

Symmetry == Permutations(Servers)
=============================================================================
