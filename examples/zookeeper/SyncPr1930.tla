----------------------------- MODULE SyncPr1930 -----------------------------
(***************************************************************************)
(* Synchronization as pull request 1930 of ZooKeeper has it: a commit that *)
(* comes between NEWLEADER and UPTODATE is kept, whether or not its        *)
(* proposal is with the logging thread already (ZOOKEEPER-4394). Logging   *)
(* stays with that thread.                                                 *)
(***************************************************************************)
EXTENDS SyncThreads

SyncCommitAfterNewLeader(f, l) ==
    /\ InSync(f, l)
    /\ Pending(l, f, "COMMIT")
    /\ pending[f] = <<>>
    /\ committing' = [committing EXCEPT ![f] = Append(@, Head(net[l][f]).zxid)]
    /\ net' = Taken(l, f)
    /\ UNCHANGED <<serverVars, link, peerLast, cut, leadVars, stage, pending, historyVars, threadVars>>
=============================================================================
