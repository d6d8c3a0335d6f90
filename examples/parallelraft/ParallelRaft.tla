---------------------------- MODULE ParallelRaft -----------------------------
(* ParallelRaft with a coordinator, message by message.

   Two modules. LeaderRecovery: the coordinator has servers promise to take part in a new term, finds out which logs are
   the most recent, has those of a majority sent, and appoints a leader with what they contain; the leader brings a
   majority up to date and serves clients, slot by slot, in any order. FollowerRecovery: a server that missed this is told
   to fetch the leader's log. The coordinator's orders and its questions whether they are carried out are messages, too.

   Messages are never taken out of `net`: they may arrive late, in any order, more than once, or not at all. Bounds are
   guards (StartRecovery, Propose). Answers that say "not yet" are not sent, nor are those that come too late to matter. *)
EXTENDS ParallelRaftBase

VARIABLES net,       \* the set of all messages sent
          chosen,    \* chosen[slot]: commands that a leader has committed there (at most one, if all is well)
          recovered  \* recovered[s]: the term in which the coordinator last heard that s has been recovered

vars == <<servers, coordinator, sent, reigns, net, chosen, recovered>>

Init ==
    /\ InitShared
    /\ net = {}
    /\ chosen = [slot \in Slot |-> {}]
    /\ recovered = [s \in Server |-> 0]

Send(message) == net' = net \union {message}

-----------------------------------------------------------------------------
(* LeaderRecovery: a leader is found *)

\* The coordinator believes, rightly or wrongly, that there is no leader.
StartRecovery ==
    /\ epoch < MaxTerm
    /\ epoch' = epoch + 1
    /\ phase' = "Recovering"
    /\ Send([type |-> "SurveyRequest", term |-> epoch + 1])
    /\ UNCHANGED <<servers, sent, reigns, chosen, recovered>>

AnswerSurvey(s) ==
    \E m \in net :
        /\ m.type = "SurveyRequest"
        /\ m.term > term[s]
        /\ term' = [term EXCEPT ![s] = m.term]
        /\ status' = [status EXCEPT ![s] = "Follower"]
        /\ Send([type |-> "SurveyAnswer", from |-> s, term |-> m.term,
                 lastTerm |-> LastTerm(log[s]), filled |-> Cardinality(Filled(log[s]))])
        /\ UNCHANGED <<log, coordinator, sent, reigns, chosen, recovered>>

\* First round: lengths only. The freshest of a majority will lead, once all of them have sent their logs.
RequestLogs ==
    /\ phase = "Recovering"
    /\ ~\E m \in net : m.type = "LogRequest" /\ m.term = epoch
    /\ \E group \in Majority :
        LET Answer(s) == CHOOSE m \in net : m.type = "SurveyAnswer" /\ m.term = epoch /\ m.from = s
            Fresher(m, other) == \/ m.lastTerm > other.lastTerm
                                 \/ m.lastTerm = other.lastTerm /\ m.filled >= other.filled
        IN  /\ \A s \in group : \E m \in net : m.type = "SurveyAnswer" /\ m.term = epoch /\ m.from = s
            /\ \E next \in group :
                /\ \A other \in group : Fresher(Answer(next), Answer(other))
                /\ Send([type |-> "LogRequest", term |-> epoch, group |-> group, leader |-> next])
    /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

\* Second round.
SendLog(s) ==
    \E m \in net :
        /\ m.type = "LogRequest"
        /\ s \in m.group
        /\ m.term = term[s]
        /\ m.term = epoch
        /\ Send([type |-> "LogAnswer", from |-> s, term |-> term[s], log |-> log[s]])
        /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

AppointLeader ==
    /\ phase = "Recovering"
    /\ \E request \in net :
        LET Answer(s) == CHOOSE m \in net : m.type = "LogAnswer" /\ m.term = epoch /\ m.from = s
        IN  /\ request.type = "LogRequest"
            /\ request.term = epoch
            /\ \A s \in request.group : \E m \in net : m.type = "LogAnswer" /\ m.term = epoch /\ m.from = s
            /\ LET merged == Merged(epoch, [s \in request.group |-> Answer(s).log])
               IN  /\ Send([type |-> "LeadRequest", term |-> epoch, to |-> request.leader, log |-> merged])
                   /\ reign' = [reign EXCEPT ![epoch] = merged]
                   /\ start' = [start EXCEPT ![epoch] = Last(merged)]
            /\ leader' = [leader EXCEPT ![epoch] = request.leader]
    /\ phase' = "Appointed"
    /\ UNCHANGED <<servers, epoch, sent, chosen, recovered>>

TakeLead(s) ==
    \E m \in net :
        /\ m.type = "LeadRequest"
        /\ m.to = s
        /\ m.term = term[s]
        /\ status[s] = "Follower"
        /\ status' = [status EXCEPT ![s] = "Syncing"]
        /\ log' = [log EXCEPT ![s] = m.log]
        /\ UNCHANGED <<term, coordinator, sent, reigns, net, chosen, recovered>>

\* Who has acknowledged the slot to the leader of the term of s.
Acknowledged(s, slot) ==
    {other \in Server : \E m \in net : /\ m.type = "AppendAnswer"
                                       /\ m.term = term[s]
                                       /\ m.slot = slot
                                       /\ m.from = other}

AskProgress ==
    /\ phase = "Appointed"
    /\ Send([type |-> "ProgressRequest", term |-> epoch])
    /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

ReportProgress(s) ==
    \E m \in net :
        /\ m.type = "ProgressRequest"
        /\ m.term = term[s]
        /\ m.term = epoch
        /\ status[s] = "Syncing"
        /\ \E group \in Majority : \A slot \in Filled(log[s]) : group \subseteq Acknowledged(s, slot) \union {s}
        /\ Send([type |-> "ProgressAnswer", term |-> term[s]])
        /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

ConfirmLeader ==
    \E m \in net :
        /\ m.type = "ProgressAnswer"
        /\ m.term = epoch
        /\ phase = "Appointed"
        /\ phase' = "Serving"
        /\ Send([type |-> "ServeRequest", term |-> epoch])
        /\ UNCHANGED <<servers, epoch, sent, reigns, chosen, recovered>>

Serve(s) ==
    \E m \in net :
        /\ m.type = "ServeRequest"
        /\ m.term = term[s]
        /\ status[s] = "Syncing"
        /\ status' = [status EXCEPT ![s] = "Leader"]
        /\ UNCHANGED <<term, log, coordinator, sent, reigns, net, chosen, recovered>>

-----------------------------------------------------------------------------
(* LeaderRecovery: replication *)

Propose(s) ==
    /\ status[s] = "Leader"
    /\ sent < MaxCommand
    /\ sent' = sent + 1
    /\ log' = [log EXCEPT ![s][Last(log[s]) + 1] = [term |-> term[s], command |-> sent + 1]]
    /\ reign' = [reign EXCEPT ![term[s]] = log'[s]]
    /\ UNCHANGED <<term, status, coordinator, leader, start, net, chosen, recovered>>

SendEntry(s) ==
    \E slot \in Filled(log[s]) :
        /\ status[s] /= "Follower"
        /\ Send([type |-> "AppendRequest", term |-> term[s], slot |-> slot, command |-> log[s][slot].command])
        /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

\* Whatever is in the slots before.
AcceptEntry(s) ==
    \E m \in net :
        /\ m.type = "AppendRequest"
        /\ m.term = term[s]
        /\ status[s] = "Follower"
        /\ log' = [log EXCEPT ![s][m.slot] = [term |-> m.term, command |-> m.command]]
        /\ Send([type |-> "AppendAnswer", from |-> s, term |-> term[s], slot |-> m.slot])
        /\ UNCHANGED <<term, status, coordinator, sent, reigns, chosen, recovered>>

Commit(s) ==
    \E slot \in Filled(log[s]) :
        /\ status[s] = "Leader"
        /\ Acknowledged(s, slot) \union {s} \in Majority
        /\ chosen' = [chosen EXCEPT ![slot] = @ \union {log[s][slot].command}]
        /\ UNCHANGED <<servers, coordinator, sent, reigns, net, recovered>>

-----------------------------------------------------------------------------
(* FollowerRecovery *)

\* The coordinator notices a server that is behind.
OrderRecovery(s) ==
    /\ phase = "Serving"
    /\ term[s] < epoch
    /\ Send([type |-> "RecoverRequest", to |-> s, term |-> epoch])
    /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

FetchLog(s) ==
    \E m \in net :
        /\ m.type = "RecoverRequest"
        /\ m.to = s
        /\ m.term > term[s]
        /\ Send([type |-> "FetchRequest", from |-> s, term |-> m.term])
        /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

LendLog(s) ==
    \E m \in net :
        /\ m.type = "FetchRequest"
        /\ m.term = term[s]
        /\ status[s] = "Leader"
        /\ term[m.from] < m.term
        /\ Send([type |-> "FetchAnswer", to |-> m.from, term |-> term[s], log |-> log[s]])
        /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

InstallLog(s) ==
    \E m \in net :
        /\ m.type = "FetchAnswer"
        /\ m.to = s
        /\ m.term > term[s]
        /\ term' = [term EXCEPT ![s] = m.term]
        /\ status' = [status EXCEPT ![s] = "Follower"]
        /\ log' = [log EXCEPT ![s] = m.log]
        /\ UNCHANGED <<coordinator, sent, reigns, net, chosen, recovered>>

AskFollower(s) ==
    /\ recovered[s] < epoch
    /\ \E m \in net :
        /\ m.type = "RecoverRequest"
        /\ m.to = s
        /\ m.term = epoch
    /\ Send([type |-> "FollowerRequest", to |-> s, term |-> epoch])
    /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

ReportFollower(s) ==
    \E m \in net :
        /\ m.type = "FollowerRequest"
        /\ m.to = s
        /\ m.term = term[s]
        /\ m.term = epoch
        /\ Send([type |-> "FollowerAnswer", from |-> s, term |-> term[s]])
        /\ UNCHANGED <<servers, coordinator, sent, reigns, chosen, recovered>>

NoteRecovered(s) ==
    \E m \in net :
        /\ m.type = "FollowerAnswer"
        /\ m.from = s
        /\ m.term = epoch
        /\ recovered' = [recovered EXCEPT ![s] = epoch]
        /\ UNCHANGED <<servers, coordinator, sent, reigns, net, chosen>>

-----------------------------------------------------------------------------
Next ==
    \* LeaderRecovery
    \/ StartRecovery
    \/ \E s \in Server : AnswerSurvey(s)
    \/ RequestLogs
    \/ \E s \in Server : SendLog(s)
    \/ AppointLeader
    \/ \E s \in Server : TakeLead(s)
    \/ AskProgress
    \/ \E s \in Server : ReportProgress(s)
    \/ ConfirmLeader
    \/ \E s \in Server : Serve(s)
    \/ \E s \in Server : Propose(s)
    \/ \E s \in Server : SendEntry(s)
    \/ \E s \in Server : AcceptEntry(s)
    \/ \E s \in Server : Commit(s)
    \* FollowerRecovery
    \/ \E s \in Server : OrderRecovery(s)
    \/ \E s \in Server : FetchLog(s)
    \/ \E s \in Server : LendLog(s)
    \/ \E s \in Server : InstallLog(s)
    \/ \E s \in Server : AskFollower(s)
    \/ \E s \in Server : ReportFollower(s)
    \/ \E s \in Server : NoteRecovered(s)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Consistency == \A slot \in Slot : Cardinality(chosen[slot]) <= 1

\* The leader of the coordinator's term has all that was committed.
LeaderCompleteness ==
    \A s \in Server :
        status[s] /= "Follower" /\ term[s] = epoch
        => \A slot \in Slot : chosen[slot] \subseteq {log[s][slot].command}

\* Of a server that has been recovered, this is known only when it is true.
RecoveredIsUpToDate == \A s \in Server : term[s] >= recovered[s]
=============================================================================
