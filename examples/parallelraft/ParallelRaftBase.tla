-------------------------- MODULE ParallelRaftBase ---------------------------
(* Constants and operators of the family, and the variables that all grains of all modules share. *)
EXTENDS Naturals, FiniteSets

CONSTANTS Server,    \* who takes part
          Nobody,    \* the leader of a term that has none
          MaxTerm,   \* how often the coordinator has a leader recovered
          MaxCommand \* how many commands clients send

VARIABLES term,   \* term[s]: the newest term that s has promised to take part in
          status, \* status[s]: "Follower", "Syncing" (a leader that brings followers up to date) or "Leader"
          log,    \* log[s][slot]: an entry [term, command]. Slots are filled in any order
          epoch,  \* the coordinator's term
          phase,  \* what the coordinator is at: "Idle", "Recovering", "Appointed", "Serving"
          sent,   \* how many commands clients have sent
          leader, \* leader[t]: whom the coordinator has appointed in term t
          reign,  \* reign[t]: the log of the leader of term t, as it was when it last led
          start   \* start[t]: how many slots that log had when the leader was appointed

servers == <<term, status, log>>
coordinator == <<epoch, phase>>
reigns == <<leader, reign, start>>

Term == 0 .. MaxTerm
Slot == 1 .. MaxCommand
Majority == {group \in SUBSET Server : 2 * Cardinality(group) > Cardinality(Server)}

\* An entry's term is the one in which the server accepted it: a new leader proposes what it has found in its own term.
\* Slots that were never filled are in term 0. Command 0 does nothing; it fills holes.
Empty == [term |-> 0, command |-> 0]
EmptyLog == [slot \in Slot |-> Empty]
Filled(entries) == {slot \in Slot : entries[slot].term > 0}
Last(entries) == IF Filled(entries) = {} THEN 0
                 ELSE CHOOSE slot \in Filled(entries) : \A other \in Filled(entries) : slot >= other
LastTerm(entries) == CHOOSE top \in Term :
    /\ \A slot \in Slot : entries[slot].term <= top
    /\ top = 0 \/ \E slot \in Slot : entries[slot].term = top

\* The log that a leader of term t starts with, from logs of a majority. Of each slot, the entry that was accepted last;
\* if none of them has one, nothing can have been committed there.
Merged(t, logs) ==
    LET filled == UNION {Filled(logs[s]) : s \in DOMAIN logs}
        Newest(slot) == CHOOSE entry \in {logs[s][slot] : s \in DOMAIN logs} :
                            \A s \in DOMAIN logs : entry.term >= logs[s][slot].term
    IN  [slot \in Slot |-> IF \E later \in filled : later >= slot
                           THEN [term |-> t, command |-> Newest(slot).command]
                           ELSE Empty]

InitShared ==
    /\ term = [s \in Server |-> 0]
    /\ status = [s \in Server |-> "Follower"]
    /\ log = [s \in Server |-> EmptyLog]
    /\ epoch = 0
    /\ phase = "Idle"
    /\ sent = 0
    /\ leader = [t \in Term |-> Nobody]
    /\ reign = [t \in Term |-> EmptyLog]
    /\ start = [t \in Term |-> 0]

\* Entries that were accepted in one term in the same slot are the same.
EntryAgreement ==
    \A s, other \in Server : \A slot \in Slot :
        log[s][slot].term = log[other][slot].term => log[s][slot].command = log[other][slot].command

OneLeader ==
    \A s, other \in Server :
        /\ status[s] /= "Follower"
        /\ status[other] /= "Follower"
        /\ term[s] = term[other]
        => s = other
=============================================================================
