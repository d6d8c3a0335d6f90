----------------------------- MODULE Scheduler ------------------------------
(* Tasks take turns on a few processors of their own accord, and share one   *)
(* lock. Whoever finds it taken waits; it is handed on in the order of       *)
(* requests, and whoever gets it runs at once, in place of the one before.   *)
EXTENDS Naturals, Sequences, SequencesExt

CONSTANTS Tasks,
          Processors,   \* how many
          Mistake       \* "none", or "anyone unlocks": that of the book's listing

ASSUME Processors \in Nat \ {0} /\ Mistake \in {"none", "anyone unlocks"}

Nobody == "nobody"
CPU == 1..Processors

VARIABLES running,  \* what each processor runs
          ready,    \* those that wait for a processor, first come first served
          waiting,  \* those that wait for the lock, likewise
          owner     \* who has the lock

vars == <<running, ready, waiting, owner>>

Init == /\ running = [c \in CPU |-> Nobody]
        /\ ready = SetToSeq(Tasks)
        /\ waiting = <<>>
        /\ owner = Nobody

Idle(c) == running[c] = Nobody

Dispatch(c) == /\ Idle(c) /\ ready # <<>>
               /\ running' = [running EXCEPT ![c] = Head(ready)]
               /\ ready' = Tail(ready)
               /\ UNCHANGED <<waiting, owner>>

(* Who has the lock goes on until it is given back.                          *)
Yield(c) == /\ ~Idle(c) /\ owner # running[c]
            /\ ready' = Append(ready, running[c])
            /\ running' = [running EXCEPT ![c] = Nobody]
            /\ UNCHANGED <<waiting, owner>>

Acquire(c) == /\ ~Idle(c) /\ owner = Nobody
              /\ owner' = running[c]
              /\ UNCHANGED <<running, ready, waiting>>

Wait(c) == /\ ~Idle(c) /\ owner \notin {Nobody, running[c]}
           /\ waiting' = Append(waiting, running[c])
           /\ running' = [running EXCEPT ![c] = Nobody]
           /\ UNCHANGED <<ready, owner>>

HandOver(c) == /\ ~Idle(c) /\ owner = running[c] /\ waiting # <<>>
               /\ owner' = Head(waiting)
               /\ running' = [running EXCEPT ![c] = Head(waiting)]
               /\ waiting' = Tail(waiting)
               /\ ready' = Append(ready, running[c])

Release(c) == /\ ~Idle(c) /\ waiting = <<>>
              /\ Mistake = "none" => owner = running[c]
              /\ owner' = Nobody
              /\ UNCHANGED <<running, ready, waiting>>

Unlock(c) == HandOver(c) \/ Release(c)

Next == \E c \in CPU : Dispatch(c) \/ Yield(c) \/ Acquire(c) \/ Wait(c) \/ Unlock(c)

(* Something always happens, but a task may keep the lock for ever ...       *)
Unfair == Init /\ [][Next]_vars /\ WF_vars(Next)

(* ... unless each of them gives it back some time.                          *)
Spec == Unfair /\ \A t \in Tasks, c \in CPU : WF_vars(owner = t /\ Unlock(c))

-----------------------------------------------------------------------------
Blocked(t) == \E i \in DOMAIN waiting : waiting[i] = t

TypeOK == /\ running \in [CPU -> Tasks \cup {Nobody}]
          /\ ready \in Seq(Tasks) /\ waiting \in Seq(Tasks)
          /\ owner \in Tasks \cup {Nobody}

RunningIsNotBlocked == \A t \in Tasks, c \in CPU : running[c] = t => ~Blocked(t)

(* No task is lost, and none is in two places.                               *)
Places(t) == Len(SelectSeq(ready \o waiting, LAMBDA u : u = t)) + Len(SelectSeq(running, LAMBDA u : u = t))
InOnePlace == \A t \in Tasks : Places(t) = 1

OwnerRuns == owner # Nobody => \E c \in CPU : running[c] = owner

(* Only the owner gives the lock back.                                       *)
OwnLockOnly == [][\A c \in CPU : Unlock(c) => running[c] = owner]_vars

GetsTheLock == \A t \in Tasks : Blocked(t) ~> owner = t
=============================================================================
