------------------------------ MODULE TwoPhase ------------------------------
(* Two-phase commit. A coordinator asks resource managers to prepare; when   *)
(* all have, it commits, and before that it may abort at any time. Messages  *)
(* are never lost, so the network is the set of all messages ever sent.      *)
CONSTANT RM                     \* the resource managers

VARIABLES
  phase,                        \* of each resource manager
  coordinator,                  \* what the coordinator has decided
  ready,                        \* from whom it has heard "prepared"
  network

vars == <<phase, coordinator, ready, network>>

Message == [kind : {"prepared"}, from : RM] \cup [kind : {"commit", "abort"}]

TypeOK == /\ phase \in [RM -> {"working", "prepared", "committed", "aborted"}]
          /\ coordinator \in {"undecided", "committed", "aborted"}
          /\ ready \subseteq RM
          /\ network \subseteq Message

Init == /\ phase = [r \in RM |-> "working"]
        /\ coordinator = "undecided"
        /\ ready = {}
        /\ network = {}

Send(m) == network' = network \cup {m}

(* ------------------------------ coordinator ------------------------------ *)

HearPrepared(r) == /\ coordinator = "undecided"
                   /\ [kind |-> "prepared", from |-> r] \in network
                   /\ ready' = ready \cup {r}
                   /\ UNCHANGED <<phase, coordinator, network>>

Commit == /\ coordinator = "undecided"
          /\ ready = RM
          /\ coordinator' = "committed"
          /\ Send([kind |-> "commit"])
          /\ UNCHANGED <<phase, ready>>

Abort == /\ coordinator = "undecided"
         /\ coordinator' = "aborted"
         /\ Send([kind |-> "abort"])
         /\ UNCHANGED <<phase, ready>>

(* ---------------------------- resource managers -------------------------- *)

Prepare(r) == /\ phase[r] = "working"
              /\ phase' = [phase EXCEPT ![r] = "prepared"]
              /\ Send([kind |-> "prepared", from |-> r])
              /\ UNCHANGED <<coordinator, ready>>

GiveUp(r) == /\ phase[r] = "working"
             /\ phase' = [phase EXCEPT ![r] = "aborted"]
             /\ UNCHANGED <<coordinator, ready, network>>

HearCommit(r) == /\ [kind |-> "commit"] \in network
                 /\ phase' = [phase EXCEPT ![r] = "committed"]
                 /\ UNCHANGED <<coordinator, ready, network>>

HearAbort(r) == /\ [kind |-> "abort"] \in network
                /\ phase' = [phase EXCEPT ![r] = "aborted"]
                /\ UNCHANGED <<coordinator, ready, network>>

Next == \/ Commit \/ Abort
        \/ \E r \in RM : \/ HearPrepared(r) \/ Prepare(r) \/ GiveUp(r)
                         \/ HearCommit(r) \/ HearAbort(r)

Spec == Init /\ [][Next]_vars

(* Nobody aborts what another has committed.                                *)
Consistent == \A a, b \in RM : ~ (phase[a] = "aborted" /\ phase[b] = "committed")
=============================================================================
