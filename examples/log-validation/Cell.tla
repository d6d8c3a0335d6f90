-------------------------------- MODULE Cell --------------------------------
(* A cell that several nodes keep together: one value, with a stamp that says how new it is.

   One node leads an epoch. It is elected by a majority, whose cells are no newer than its own. It writes, and what a
   majority has stored is done: the client is told so, and no later leader may know less. Messages travel on links from
   node to node, in order; a new connection begins empty, so that what was still on the link is lost. A node that is
   started again knows its epoch and its cell, which are on its disk, and nothing else; what it had sent may arrive. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Node,
          Value

VARIABLES epoch,   \* epoch[n]: the latest that n has heard of
          role,    \* role[n]: "follower", "candidate" or "leader"
          votes,   \* votes[n]: who has voted for n in its epoch
          cell,    \* cell[n]: what n has stored, and its stamp
          acks,    \* acks[n]: who has stored what leader n wrote last
          link,    \* link[a][b]: messages from a to b
          done     \* the latest cell of which a client was told that it is stored

vars == <<epoch, role, votes, cell, acks, link, done>>

Nothing == [epoch |-> 0, version |-> 0, value |-> 0]

IsMajority(group) == 2 * Cardinality(group) > Cardinality(Node)

Newer(a, b) == \/ a.epoch > b.epoch
               \/ a.epoch = b.epoch /\ a.version > b.version

Init ==
    /\ epoch = [n \in Node |-> 0]
    /\ role = [n \in Node |-> "follower"]
    /\ votes = [n \in Node |-> {}]
    /\ cell = [n \in Node |-> Nothing]
    /\ acks = [n \in Node |-> {}]
    /\ link = [a \in Node |-> [b \in Node |-> <<>>]]
    /\ done = Nothing

\* From one node to all others.
Broadcast(n, message) ==
    link' = [link EXCEPT ![n] = [b \in Node |-> IF b = n THEN <<>> ELSE Append(link[n][b], message)]]

\* Take the message from `other` and answer it.
Answer(n, other, message) ==
    link' = [link EXCEPT ![other][n] = Tail(@), ![n][other] = Append(@, message)]

Take(n, other) == link' = [link EXCEPT ![other][n] = Tail(@)]

Has(n, other, type) == link[other][n] # <<>> /\ Head(link[other][n]).type = type

-----------------------------------------------------------------------------
(* Elections *)

\* No leader was heard of for a while.
Campaign(n) ==
    /\ role[n] # "leader"
    /\ epoch' = [epoch EXCEPT ![n] = @ + 1]
    /\ role' = [role EXCEPT ![n] = "candidate"]
    /\ votes' = [votes EXCEPT ![n] = {n}]
    /\ acks' = [acks EXCEPT ![n] = {}]
    /\ Broadcast(n, [type |-> "ask", epoch |-> epoch[n] + 1, cell |-> cell[n]])
    /\ UNCHANGED <<cell, done>>

MayGrant(n, m) == m.epoch > epoch[n] /\ ~Newer(cell[n], m.cell)

Grant(n, other) ==
    /\ Has(n, other, "ask")
    /\ LET m == Head(link[other][n])
       IN  /\ MayGrant(n, m)
           /\ epoch' = [epoch EXCEPT ![n] = m.epoch]
           /\ role' = [role EXCEPT ![n] = "follower"]
           /\ Answer(n, other, [type |-> "vote", epoch |-> m.epoch])
    /\ UNCHANGED <<votes, cell, acks, done>>

IsVote(n, m) == role[n] = "candidate" /\ m.epoch = epoch[n]

CountVote(n, other) ==
    /\ Has(n, other, "vote")
    /\ IsVote(n, Head(link[other][n]))
    /\ votes' = [votes EXCEPT ![n] = @ \union {other}]
    /\ role' = IF IsMajority(votes'[n]) THEN [role EXCEPT ![n] = "leader"] ELSE role
    /\ Take(n, other)
    /\ UNCHANGED <<epoch, cell, acks, done>>

-----------------------------------------------------------------------------
(* Writing *)

Write(n, value) ==
    /\ role[n] = "leader"
    /\ LET new == [epoch |-> epoch[n], version |-> cell[n].version + 1, value |-> value]
       IN  /\ cell' = [cell EXCEPT ![n] = new]
           /\ Broadcast(n, [type |-> "store", epoch |-> epoch[n], cell |-> new])
    /\ acks' = [acks EXCEPT ![n] = {n}]
    /\ UNCHANGED <<epoch, role, votes, done>>

MayStore(n, m) == m.epoch >= epoch[n]

Store(n, other) ==
    /\ Has(n, other, "store")
    /\ LET m == Head(link[other][n])
       IN  /\ MayStore(n, m)
           /\ epoch' = [epoch EXCEPT ![n] = m.epoch]
           /\ cell' = [cell EXCEPT ![n] = m.cell]
           /\ Answer(n, other, [type |-> "ack", epoch |-> m.epoch, version |-> m.cell.version])
    /\ role' = [role EXCEPT ![n] = "follower"]
    /\ UNCHANGED <<votes, acks, done>>

IsAck(n, m) == role[n] = "leader" /\ m.epoch = epoch[n] /\ m.version = cell[n].version

CountAck(n, other) ==
    /\ Has(n, other, "ack")
    /\ IsAck(n, Head(link[other][n]))
    /\ acks' = [acks EXCEPT ![n] = @ \union {other}]
    /\ done' = IF IsMajority(acks'[n]) THEN cell[n] ELSE done
    /\ Take(n, other)
    /\ UNCHANGED <<epoch, role, votes, cell>>

\* What comes too late, or from a node that knows less, has no effect.
Ignore(n, other) ==
    /\ link[other][n] # <<>>
    /\ LET m == Head(link[other][n])
       IN  \/ m.type = "ask" /\ ~MayGrant(n, m)
           \/ m.type = "vote" /\ ~IsVote(n, m)
           \/ m.type = "store" /\ ~MayStore(n, m)
           \/ m.type = "ack" /\ ~IsAck(n, m)
    /\ Take(n, other)
    /\ UNCHANGED <<epoch, role, votes, cell, acks, done>>

-----------------------------------------------------------------------------
(* Links and nodes fail *)

Connect(n, other) ==
    /\ n # other
    /\ link' = [link EXCEPT ![n][other] = <<>>]
    /\ UNCHANGED <<epoch, role, votes, cell, acks, done>>

Start(n) ==
    /\ role' = [role EXCEPT ![n] = "follower"]
    /\ votes' = [votes EXCEPT ![n] = {}]
    /\ acks' = [acks EXCEPT ![n] = {}]
    /\ link' = [a \in Node |-> [link[a] EXCEPT ![n] = <<>>]]
    /\ UNCHANGED <<epoch, cell, done>>

Next ==
    \/ \E n \in Node : Campaign(n)
    \/ \E n, other \in Node : Grant(n, other)
    \/ \E n, other \in Node : CountVote(n, other)
    \/ \E n \in Node, value \in Value : Write(n, value)
    \/ \E n, other \in Node : Store(n, other)
    \/ \E n, other \in Node : CountAck(n, other)
    \/ \E n, other \in Node : Ignore(n, other)
    \/ \E n, other \in Node : Connect(n, other)
    \/ \E n \in Node : Start(n)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
OneLeader == \A a, b \in Node : role[a] = "leader" /\ role[b] = "leader" /\ epoch[a] = epoch[b] => a = b

\* What a client was told is stored by a majority, or something newer is.
Durable == IsMajority({n \in Node : ~Newer(done, cell[n])})

\* A leader knows what was done in the epochs before its own.
LeaderKnows == \A n \in Node : role[n] = "leader" /\ epoch[n] > done.epoch => ~Newer(done, cell[n])

Small == \A n \in Node : /\ epoch[n] <= 2
                         /\ cell[n].version <= 2
                         /\ \A b \in Node : Len(link[n][b]) <= 2
=============================================================================
