-------------------------------- MODULE Lock --------------------------------
(* The ticket lock of the paper (Listing 1): a server, and a client that asks it. *)
EXTENDS Integers
CONSTANTS Server, Client, Ticket
VARIABLES messages, highest, current, held
vars == <<messages, highest, current, held>>

Init ==
    /\ messages = {}
    /\ highest = [s \in Server |-> 1]
    /\ current = [s \in Server |-> 1]
    /\ held = [s \in Server |-> FALSE]

Sends(m) == messages' = messages \cup {m}
Answers(m, reply) == messages' = (messages \ {m}) \cup {reply}
Reply(s, m, kind, ticket) == [kind |-> kind, from |-> s, to |-> m.from, ticket |-> ticket]

Assign(s, m) ==
    /\ m.to = s /\ m.kind = "Assign"
    /\ highest' = [highest EXCEPT ![s] = @ + 1]
    /\ Answers(m, Reply(s, m, "Assigned", highest[s]))
    /\ UNCHANGED <<current, held>>

Acquire(s, m) ==
    /\ m.to = s /\ m.kind = "Acquire"
    /\ current[s] = m.ticket  \* it is the turn of this ticket
    /\ held' = [held EXCEPT ![s] = TRUE]
    /\ Answers(m, Reply(s, m, "Acquired", m.ticket))
    /\ UNCHANGED <<highest, current>>

Release(s, m) ==
    /\ m.to = s /\ m.kind = "Release"
    /\ m.ticket = current[s]
    /\ current' = [current EXCEPT ![s] = @ + 1]
    /\ held' = [held EXCEPT ![s] = FALSE]
    /\ Answers(m, Reply(s, m, "Released", m.ticket))
    /\ UNCHANGED highest

\* Whoever asks. A number tells requests apart that are alike.
Ask(s, to, kind, ticket, number) ==
    /\ s \in Client
    /\ Sends([kind |-> kind, from |-> s, to |-> to, ticket |-> ticket, number |-> number])
    /\ UNCHANGED <<highest, current, held>>

Next ==
    \/ \E s \in Server, m \in messages : Assign(s, m)
    \/ \E s \in Server, m \in messages : Acquire(s, m)
    \/ \E s \in Server, m \in messages : Release(s, m)
    \/ \E s \in Server, to \in Server, kind \in {"Assign", "Acquire", "Release"}, ticket \in Ticket, number \in Ticket :
            Ask(s, to, kind, ticket, number)
Spec == Init /\ [][Next]_vars
=============================================================================
