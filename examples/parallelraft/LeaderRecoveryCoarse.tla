------------------------ MODULE LeaderRecoveryCoarse -------------------------
(* LeaderRecovery without its messages.

   Three things are left out: that servers answer a survey one by one (until there is a leader, the logs of those that
   have promised do not change: it does not matter when they are looked at), that logs are asked for in two rounds, and
   that the coordinator asks servers how far they are. *)
EXTENDS ParallelRaftBase

CoarseStartRecovery ==
    /\ epoch < MaxTerm
    /\ epoch' = epoch + 1
    /\ phase' = "Recovering"
    /\ UNCHANGED <<servers, sent, reigns>>

\* A survey of an earlier term may arrive late.
Promise(s) ==
    \E newer \in term[s] + 1 .. epoch :
        /\ term' = [term EXCEPT ![s] = newer]
        /\ status' = [status EXCEPT ![s] = "Follower"]
        /\ UNCHANGED <<log, coordinator, sent, reigns>>

AtLeastAsFresh(entries, others) ==
    \/ LastTerm(entries) > LastTerm(others)
    \/ LastTerm(entries) = LastTerm(others) /\ Cardinality(Filled(entries)) >= Cardinality(Filled(others))

Appoint(s) ==
    /\ phase = "Recovering"
    /\ phase' = "Appointed"
    /\ leader' = [leader EXCEPT ![epoch] = s]
    /\ \E group \in Majority :
        LET merged == Merged(epoch, [member \in group |-> log[member]])
        IN  /\ s \in group
            /\ \A member \in group : term[member] = epoch /\ AtLeastAsFresh(log[s], log[member])
            /\ reign' = [reign EXCEPT ![epoch] = merged]
            /\ start' = [start EXCEPT ![epoch] = Last(merged)]
    /\ UNCHANGED <<servers, epoch, sent>>

CoarseTakeLead(s) ==
    /\ leader[term[s]] = s
    /\ status[s] = "Follower"
    /\ status' = [status EXCEPT ![s] = "Syncing"]
    /\ log' = [log EXCEPT ![s] = reign[term[s]]]
    /\ UNCHANGED <<term, coordinator, sent, reigns>>

\* A majority has accepted what s started with. Of those that are in a later term by now, nothing is known.
Synced(s) ==
    /\ status[s] = "Syncing"
    /\ \E group \in Majority :
        \A member \in group : \/ term[member] > term[s]
                              \/ term[member] = term[s] /\ \A slot \in Filled(log[s]) : log[member][slot] = log[s][slot]

CoarseConfirm(s) ==
    /\ phase = "Appointed"
    /\ term[s] = epoch
    /\ Synced(s)
    /\ phase' = "Serving"
    /\ UNCHANGED <<servers, epoch, sent, reigns>>

CoarseServe(s) ==
    /\ Synced(s)
    /\ epoch > term[s] \/ phase = "Serving"
    /\ status' = [status EXCEPT ![s] = "Leader"]
    /\ UNCHANGED <<term, log, coordinator, sent, reigns>>

CoarsePropose(s) ==
    /\ status[s] = "Leader"
    /\ sent < MaxCommand
    /\ sent' = sent + 1
    /\ log' = [log EXCEPT ![s][Last(log[s]) + 1] = [term |-> term[s], command |-> sent + 1]]
    /\ reign' = [reign EXCEPT ![term[s]] = log'[s]]
    /\ UNCHANGED <<term, status, coordinator, leader, start>>

\* From the leader of the term of s, or from one of its messages, when it is in a later term itself.
CopyEntry(s) ==
    \E slot \in Filled(reign[term[s]]) :
        /\ status[s] = "Follower"
        /\ log[s][slot] /= reign[term[s]][slot]
        /\ log' = [log EXCEPT ![s][slot] = reign[term[s]][slot]]
        /\ UNCHANGED <<term, status, coordinator, sent, reigns>>
=============================================================================
