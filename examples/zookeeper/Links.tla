------------------------------- MODULE Links --------------------------------
(***************************************************************************)
(* Connections. Between a leader and each of its followers there is one    *)
(* TCP connection: two FIFO channels, and at the leader a handler, whose   *)
(* progress is filed here under the follower (which has one leader).       *)
(***************************************************************************)
EXTENDS Servers

VARIABLES
    net,              \* net[i][j]: the messages on their way from i to j.
    link,             \* Of a follower: how far the leader's handler for it is.
                      \*   "off"      there is no connection
                      \*   "info"     connected, in Discovery
                      \*   "ready"    to be synchronized
                      \*   "syncing"  gets proposals; has not acknowledged NEWLEADER
                      \*   "acked"    has; gets UPTODATE as soon as the leader is established
    peerLast,         \* Of a follower that is "ready": its last zxid, as it told the leader.
    cut               \* Pairs of servers that cannot reach each other.

linkVars == <<net, link, peerLast, cut>>

Reachable(i, j) == {i, j} \notin cut
Linked(l) == {l} \cup {f \in Team(l) : link[f] # "off"}
Forwarding(l) == {f \in Team(l) : link[f] \in {"syncing", "acked"}}

Pending(i, j, kind) == net[i][j] # <<>> /\ Head(net[i][j]).kind = kind

\* Values of net' after a step: `from` has sent to one or several, `to` has taken a message out.
Sent(channels, from, to, messages) == [channels EXCEPT ![from][to] = @ \o messages]
SentToAll(channels, from, receivers, message) ==
    [channels EXCEPT ![from] = [s \in Server |-> IF s \in receivers THEN Append(@[s], message) ELSE @[s]]]
Taken(from, to) == [net EXCEPT ![from][to] = Tail(@)]

InitLinks ==
    /\ net = [i \in Server |-> [j \in Server |-> <<>>]]
    /\ link = [s \in Server |-> IF s = FirstLeader THEN "off" ELSE "acked"]
    /\ peerLast = [s \in Server |-> NoZxid]
    /\ cut = {}
=============================================================================
