----------------------------- MODULE Retransmit -----------------------------
(* A server sends numbered packets over a network that reorders and loses    *)
(* them. The client asks for those that are missing, and acknowledges what   *)
(* is complete. Numbers begin again at 0 after a while.                      *)
EXTENDS Naturals, FiniteSets

CONSTANTS Numbers,      \* how many numbers there are: 0 .. Numbers - 1
          Window,       \* how many packets may be sent that are not acknowledged
          Losses,       \* how many packets may be missing at the same time
          DropStale     \* whether acknowledgements that are overtaken are thrown away

ASSUME Numbers \in Nat \ {0} /\ Window \in 1..Numbers /\ Losses \in Nat /\ DropStale \in BOOLEAN

Number == 0..Numbers - 1

VARIABLES network,      \* packets and messages on their way
          sent,         \* server: the number of the last packet sent
          acked,        \* server: the last number acknowledged
          complete,     \* client: everything up to this number was handed on
          buffer,       \* client: numbers that came after it
          missing       \* how many packets are lost

vars == <<network, sent, acked, complete, buffer, missing>>

Data(n) == [to |-> "client", number |-> n]
Ack(n) == [to |-> "server", type |-> "ack", number |-> n]
Request(n) == [to |-> "server", type |-> "again", number |-> n]

(* How far it is from one number to another, going up and around.            *)
Distance(a, b) == (b + Numbers - a) % Numbers
Plus(a, k) == (a + k) % Numbers

Init == /\ network = {}
        /\ sent = 0 /\ acked = 0
        /\ complete = 0 /\ buffer = {}
        /\ missing = 0

-----------------------------------------------------------------------------
(* The server                                                                *)

Send == /\ Distance(acked, sent) < Window
        /\ sent' = Plus(sent, 1)
        /\ network' = network \cup {Data(sent')}
        /\ UNCHANGED <<acked, complete, buffer, missing>>

Stale(n) == IF DropStale THEN {Ack(Plus(n, Numbers - k)) : k \in 1..Window} ELSE {}

TakeAck(m) == /\ m.type = "ack"
              /\ acked' = m.number
              /\ network' = network \ ({m} \cup Stale(m.number))
              /\ UNCHANGED <<sent, complete, buffer, missing>>

SendAgain(m) == /\ m.type = "again"
                /\ network' = (network \ {m}) \cup {Data(m.number)}
                /\ missing' = missing - 1
                /\ UNCHANGED <<sent, acked, complete, buffer>>

ServerReceives == \E m \in network : m.to = "server" /\ (TakeAck(m) \/ SendAgain(m))

-----------------------------------------------------------------------------
(* The client                                                                *)

Arrives(n) == /\ Data(n) \in network
              /\ network' = network \ {Data(n)}
              /\ buffer' = buffer \cup {n}
              /\ UNCHANGED <<sent, acked, complete, missing>>

(* How far after the last complete one the numbers of the buffer stand.      *)
Ahead == {Distance(complete, n) : n \in buffer}
Contiguous == Ahead = 1..Cardinality(buffer)

Acknowledge == /\ buffer # {} /\ Contiguous
               /\ complete' = Plus(complete, Cardinality(buffer))
               /\ buffer' = {}
               /\ network' = network \cup {Ack(complete')}
               /\ UNCHANGED <<sent, acked, missing>>

(* A real client waits for a while; here it knows what is still on its way.  *)
Gaps == {n \in Number : /\ n \notin buffer
                        /\ Data(n) \notin network
                        /\ \E d \in Ahead : Distance(complete, n) \in 1..d}

AskAgain == \E n \in Gaps : /\ Request(n) \notin network
                            /\ network' = network \cup {Request(n)}
                            /\ UNCHANGED <<sent, acked, complete, buffer, missing>>

Lose(n) == /\ Data(n) \in network /\ missing < Losses
           /\ network' = network \ {Data(n)}
           /\ missing' = missing + 1
           /\ UNCHANGED <<sent, acked, complete, buffer>>

-----------------------------------------------------------------------------
Next == \/ Send \/ ServerReceives
        \/ Acknowledge \/ AskAgain
        \/ \E n \in Number : Arrives(n) \/ Lose(n)

WeakSpec == /\ Init /\ [][Next]_vars
            /\ WF_vars(Send) /\ WF_vars(ServerReceives) /\ WF_vars(Acknowledge) /\ WF_vars(AskAgain)
            /\ \A n \in Number : WF_vars(Arrives(n))

(* A packet that is sent again and again arrives some time.                  *)
Spec == WeakSpec /\ \A n \in Number : SF_vars(Arrives(n))

TypeOK == /\ sent \in Number /\ acked \in Number /\ complete \in Number
          /\ buffer \subseteq Number /\ missing \in 0..Losses

(* Numbers cannot be mistaken for those of another round.                    *)
InWindow == /\ \A d \in Ahead : d \in 1..Window
            /\ Distance(acked, sent) <= Window
            /\ Distance(acked, complete) <= Distance(acked, sent)

(* However many are lost, each number arrives again and again.               *)
EachArrives == \A n \in Number : buffer = {} ~> n \in buffer
=============================================================================
