------------------------------- MODULE Common -------------------------------
(***************************************************************************)
(* What all grains of the ZooKeeper family share: the bounds, transaction  *)
(* identifiers, logs, quorums and messages.                                *)
(*                                                                         *)
(* A transaction is its zxid. As in ZooKeeper, the zxid holds the epoch    *)
(* and a counter in one number, so that comparing two of them is `<`. We   *)
(* write it in decimal: 23 is the third transaction of epoch 2, and 20 is  *)
(* no transaction but stands for the start of epoch 2.                     *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Server,           \* Numbers from 1: elections compare them.
    MaxEpoch,         \* Bounds. Each is a guard of the action it limits.
    MaxTransactions,
    MaxCrashes,
    MaxPartitions,
    Masked4394,       \* TRUE: nobody steps into the failure of ZOOKEEPER-4394.
    MaskedStaleMemory \* TRUE: whoever goes back to election knows its whole log.

Nobody == 0
NoZxid == -1
StartOfTime == 0      \* The zxid of a server that has logged nothing.

NoVote == 0           \* In the baseline of Election, before anyone has voted.
NoVotes == [s \in Server |-> NoVote]
NoMail == <<>>

Zxid(epoch, counter) == 10 * epoch + counter
EpochOf(zxid) == zxid \div 10
CounterOf(zxid) == zxid % 10

IsQuorum(servers) == 2 * Cardinality(servers) > Cardinality(Server)
Quorums == {servers \in SUBSET Server : IsQuorum(servers)}

Max(a, b) == IF a >= b THEN a ELSE b
Maximum(numbers) == CHOOSE n \in numbers : \A m \in numbers : n >= m

Last(zxids) == IF zxids = <<>> THEN StartOfTime ELSE zxids[Len(zxids)]
Members(zxids) == {zxids[k] : k \in 1..Len(zxids)}
UpTo(zxids, bound) == SelectSeq(zxids, LAMBDA z : z <= bound)
After(zxids, bound) == SelectSeq(zxids, LAMBDA z : z > bound)
IsPrefix(some, all) == Len(some) <= Len(all) /\ \A k \in 1..Len(some) : some[k] = all[k]

(***************************************************************************)
(* Messages between a leader and a follower. Most are a kind and a zxid.   *)
(* FOLLOWERINFO and LEADERINFO speak of the zxid that starts an epoch.     *)
(***************************************************************************)
Message(kind, zxid) == [kind |-> kind, zxid |-> zxid]
AckEpoch(epoch, zxid) == [kind |-> "ACKEPOCH", zxid |-> zxid, epoch |-> epoch]
Snapshot(history) == [kind |-> "SNAP", zxid |-> Last(history), log |-> history]
Each(kind, zxids) == [k \in 1..Len(zxids) |-> Message(kind, zxids[k])]

\* Of a transaction that the leader has committed, a lagging follower is told twice.
Pairs(zxids) == [k \in 1..(2 * Len(zxids)) |->
                    Message(IF k % 2 = 1 THEN "PROPOSAL" ELSE "COMMIT", zxids[(k + 1) \div 2])]
=============================================================================
