------------------------------- MODULE Lease --------------------------------
(* A server lends a lock for a while. Every lease has a number, greater than all before, which goes with whatever its     *)
(* holder does; a lease that takes too long is taken away, and its holder learns of that when it gives it back.          *)
(* Messages travel in any order, and none is lost.                                                                       *)
EXTENDS Naturals, Sequences

CONSTANTS Client, \* who wants the lock
          Nobody, \* the holder of a lock that is free
          MaxAsk  \* clients ask for the lock so many times

VARIABLES holder,   \* who has the lock, as the server knows
          lease,    \* the number of the last lease
          waiting,  \* the clients that wait for the lock, in this order
          asking,   \* asking[c]: c has asked for the lock, and has no answer
          owned,    \* owned[c]: the number of the lease that c has, as c knows; 0 is none
          requests, \* requests[c]: a request of c is on its way
          grants,   \* grants[c]: the leases that are on their way to c
          releases, \* releases[c]: the leases that c has given back, on their way
          asked     \* how many times the lock was asked for

vars == <<holder, lease, waiting, asking, owned, requests, grants, releases, asked>>
server == <<holder, lease, waiting>>
clients == <<asking, owned>>

Init ==
    /\ holder = Nobody
    /\ lease = 0
    /\ waiting = <<>>
    /\ asking = [c \in Client |-> FALSE]
    /\ owned = [c \in Client |-> 0]
    /\ requests = [c \in Client |-> FALSE]
    /\ grants = [c \in Client |-> {}]
    /\ releases = [c \in Client |-> {}]
    /\ asked = 0

-----------------------------------------------------------------------------
(* Clients *)

Ask(c) ==
    /\ ~asking[c]
    /\ owned[c] = 0
    /\ asked < MaxAsk
    /\ asked' = asked + 1
    /\ asking' = [asking EXCEPT ![c] = TRUE]
    /\ requests' = [requests EXCEPT ![c] = TRUE]
    /\ UNCHANGED <<server, owned, grants, releases>>

ReceiveGrant(c, number) ==
    /\ number \in grants[c]
    /\ grants' = [grants EXCEPT ![c] = @ \ {number}]
    /\ asking' = [asking EXCEPT ![c] = FALSE]
    /\ owned' = [owned EXCEPT ![c] = number]
    /\ UNCHANGED <<server, requests, releases, asked>>

GiveBack(c) ==
    /\ owned[c] /= 0
    /\ owned' = [owned EXCEPT ![c] = 0]
    /\ releases' = [releases EXCEPT ![c] = @ \union {owned[c]}]
    /\ UNCHANGED <<server, asking, requests, grants, asked>>

-----------------------------------------------------------------------------
(* The server *)

Grant(c) ==
    /\ holder' = c
    /\ lease' = lease + 1
    /\ grants' = [grants EXCEPT ![c] = @ \union {lease + 1}]

\* The lock is free: whoever waits first gets it.
PassOn ==
    IF waiting = <<>>
    THEN /\ holder' = Nobody
         /\ UNCHANGED <<lease, waiting, grants>>
    ELSE /\ Grant(Head(waiting))
         /\ waiting' = Tail(waiting)

ReceiveRequest(c) ==
    /\ requests[c]
    /\ requests' = [requests EXCEPT ![c] = FALSE]
    /\ IF holder = Nobody
       THEN Grant(c) /\ UNCHANGED waiting
       ELSE waiting' = Append(waiting, c) /\ UNCHANGED <<holder, lease, grants>>
    /\ UNCHANGED <<clients, releases, asked>>

\* One that was taken away before changes nothing.
ReceiveRelease(c, number) ==
    /\ number \in releases[c]
    /\ releases' = [releases EXCEPT ![c] = @ \ {number}]
    /\ IF number = lease /\ holder = c THEN PassOn ELSE UNCHANGED <<server, grants>>
    /\ UNCHANGED <<clients, requests, asked>>

\* The holder has had the lock for too long.
Expire ==
    /\ holder /= Nobody
    /\ PassOn
    /\ UNCHANGED <<clients, requests, releases, asked>>

-----------------------------------------------------------------------------
Next ==
    \/ \E c \in Client : Ask(c)
    \/ \E c \in Client, number \in 1 .. MaxAsk : ReceiveGrant(c, number)
    \/ \E c \in Client : GiveBack(c)
    \/ \E c \in Client : ReceiveRequest(c)
    \/ \E c \in Client, number \in 1 .. MaxAsk : ReceiveRelease(c, number)
    \/ Expire

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* Nobody but its holder has the newest lease.
Exclusion == \A c \in Client : owned[c] = lease /\ lease > 0 /\ holder /= Nobody => holder = c

\* Each lease has one holder.
OneHolder == \A c, other \in Client : owned[c] /= 0 /\ owned[c] = owned[other] => c = other

\* Whoever waits has asked.
Waits == \A place \in DOMAIN waiting : asking[waiting[place]]
=============================================================================
