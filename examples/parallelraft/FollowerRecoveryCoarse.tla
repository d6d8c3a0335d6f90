----------------------- MODULE FollowerRecoveryCoarse ------------------------
(* FollowerRecovery in one step: a server that is behind takes the log of the leader of a later term, which was served at
   some time while it led: what it started with, and some of what it has proposed since. *)
EXTENDS ParallelRaftBase

Recover(s) ==
    \E later \in term[s] + 1 .. epoch :
        \E last \in start[later] .. Last(reign[later]) :
            /\ leader[later] /= Nobody
            /\ epoch > later \/ phase = "Serving"
            /\ term' = [term EXCEPT ![s] = later]
            /\ status' = [status EXCEPT ![s] = "Follower"]
            /\ log' = [log EXCEPT ![s] = [slot \in Slot |-> IF slot <= last THEN reign[later][slot] ELSE Empty]]
            /\ UNCHANGED <<coordinator, sent, reigns>>
=============================================================================
