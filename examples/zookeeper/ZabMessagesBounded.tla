------------------------- MODULE ZabMessagesBounded -------------------------
(* ZabMessages within bounds, to be checked: what actions choose from is what could be right. *)
EXTENDS ZabMessages

CONSTANTS MaxEpoch, MaxCounter, MaxLinks, MaxMessages, MaxOnTheWay, Leaders, Followers, Answering, Voting,
          Observers,  \* servers that may observe
          Changes     \* configurations that may be proposed: sets of voters

Epochs == 0 .. MaxEpoch
Zxids == {0} \cup {First(epoch) + counter : epoch \in 1 .. MaxEpoch, counter \in 0 .. MaxCounter}
Links == 1 .. MaxLinks
Numbers == 1 .. MaxMessages
Transactions == {7}
NoTransactions == {}

\* Servers begin empty.
FromNothing == Init

\* Or in epoch 1, in which the first server has led: its second transaction has reached nobody, and the first all. It has
\* crashed since, and knows of nothing that is committed; the others know of the first transaction.
Written(counters) ==
    [EmptyLog EXCEPT !.entries = [k \in 1 .. counters |-> [zxid |-> First(1) + k, session |-> 7, cxid |-> 7, operation |-> 7]]]
AfterOne ==
    LET first == CHOOSE i \in Server : i \notin Leaders
        Length(i) == IF i = first THEN 2 ELSE 1
    IN  /\ messages = {}
        /\ accepted = [i \in Server |-> 1]
        /\ current = [i \in Server |-> 1]
        /\ offered = [i \in Server |-> [accepted |-> 1, current |-> 1]]
        /\ log = [i \in Server |-> Written(Length(i))]
        /\ before = [i \in Server |-> <<>>]
        /\ durable = [i \in Server |-> First(1) + Length(i)]
        /\ commit = [i \in Server |-> First(1) + (IF i = first THEN 0 ELSE 1)]
        /\ mark = [i \in Server |-> 0]
        /\ heard = [i \in Server |-> {}]
        /\ \E voters \in Voters : members = [i \in Server |-> Agreed(voters)]
        /\ up = [i \in Server |-> NoLeader]
        /\ lead = [i \in Server |-> NoLead]
        /\ down = [i \in Server |-> Nothing]
        /\ told = [i \in Server |-> Nothing]

\* Or the first server leads epoch 1, which all others follow or observe, with one transaction that all have.
Serving ==
    LET first == CHOOSE i \in Server : i \notin Leaders
        others == Server \ {first}
        zxid == First(1) + 1
    IN  /\ messages = {}
        /\ accepted = [i \in Server |-> 1]
        /\ current = [i \in Server |-> 1]
        /\ offered = [i \in Server |-> [accepted |-> 1, current |-> 1]]
        /\ log = [i \in Server |-> Written(1)]
        /\ before = [i \in Server |-> <<>>]
        /\ durable = [i \in Server |-> IF i \in Observers THEN 0 ELSE zxid]
        /\ commit = [i \in Server |-> zxid]
        /\ mark = [i \in Server |-> IF i = first THEN First(1) ELSE 0]
        /\ heard = [i \in Server |-> {}]
        /\ \E voters \in Voters : members = [i \in Server |-> Agreed(voters)]
        /\ up = [i \in Server |->
                   IF i = first THEN NoLeader
                   ELSE [NoLeader EXCEPT !.link = 1, !.to = first, !.stage = "serves", !.epoch = 1, !.at = 0, !.initial = 0,
                                         !.commit = zxid, !.observes = i \in Observers]]
        /\ lead = [i \in Server |->
                     IF i = first THEN [NoLead EXCEPT !.epoch = 1, !.elected = TRUE, !.established = TRUE] ELSE NoLead]
        /\ down = [i \in Server |->
                     IF i # first THEN Nothing
                     ELSE [k \in {<<j, 1>> : j \in others} |->
                            [peer |-> k[1], accepted |-> 0, epoch |-> 1, stage |-> "serves", last |-> 0, current |-> 0,
                             at |-> zxid, committed |-> zxid, acked |-> zxid, got |-> 0, put |-> 0,
                             observes |-> k[1] \in Observers]]]
        /\ told = [i \in Server |-> Nothing]

\* Connections that a server has, and the number that its next message has there.
Up(i) == {<<up[i].to, up[i].link, up[i].put + 1>>}
Down(i) == {<<k[1], k[2], down[i][k].put + 1>> : k \in DOMAIN down[i]}

BoundedNext ==
    \E i \in Server :
        \/ \E j \in Leaders, epoch \in {accepted[i], offered[i].accepted} :
              \/ i \in Followers /\ SendFollowerInfo(i, j, Max(0, up[i].link) + 1, epoch)
              \/ i \in Observers /\ SendObserverInfo(i, j, Max(0, up[i].link) + 1, epoch)
        \/ \E c \in Up(i), zxid \in Zxids, epoch \in {-1, current[i], offered[i].current} :
              SendAckEpoch(i, c[1], c[2], c[3], zxid, epoch)
        \/ \E c \in Up(i), zxid \in Zxids : SendAck(i, c[1], c[2], c[3], zxid)
        \/ \E c \in Down(i), epoch \in {lead[i].epoch, accepted[i] + 1} : SendLeaderInfo(i, c[1], c[2], c[3], epoch)
        \/ \E c \in Down(i), zxid \in Zxids :
              \/ SendDiff(i, c[1], c[2], c[3], zxid)
              \/ SendTrunc(i, c[1], c[2], c[3], zxid)
              \/ SendSnap(i, c[1], c[2], c[3], zxid)
              \/ SendCommit(i, c[1], c[2], c[3], zxid)
              \/ \E session \in Transactions : \/ SendProposal(i, c[1], c[2], c[3], zxid, session, session, session)
                                             \/ SendInform(i, c[1], c[2], c[3], zxid, session, session, session)
              \/ \E voters \in Changes :
                    \/ SendReconfig(i, c[1], c[2], c[3], zxid, 7, 7, zxid, voters)
                    \/ \E leader \in voters : SendInformAndActivate(i, c[1], c[2], c[3], zxid, 7, 7, zxid, voters, leader)
              \/ \E leader \in UNION Changes : SendCommitAndActivate(i, c[1], c[2], c[3], zxid, leader)
        \/ \E c \in Down(i), conf \in Configurations(i) :
              SendNewLeader(i, c[1], c[2], c[3], lead[i].epoch, conf.version, conf.voters)
        \/ \E c \in Down(i) : SendUptodate(i, c[1], c[2], c[3])
        \/ \E zxid \in Zxids : Answering /\ SendReply(i, "client", 0, 7, 7, zxid, TRUE)
        \/ \E j \in Server, leader \in Server, zxid \in Zxids, epoch \in Epochs :
              Voting /\ SendVote(i, j, "LOOKING", leader, zxid, epoch, members[i].active.version, members[i].active.voters)
        \/ \E m \in messages :
              \/ HandleVote(i, m) \/ HandleLeaderInfo(i, m) \/ HandleDiff(i, m) \/ HandleTrunc(i, m) \/ HandleSnap(i, m)
              \/ HandleProposal(i, m) \/ HandleCommit(i, m) \/ HandleNewLeader(i, m) \/ HandleUptodate(i, m)
              \/ HandleFollowerInfo(i, m) \/ HandleAckEpoch(i, m) \/ HandleAck(i, m) \/ HandleObserverInfo(i, m)
              \/ HandleInform(i, m) \/ HandleReconfig(i, m) \/ HandleCommitAndActivate(i, m)
              \/ HandleInformAndActivate(i, m)

\* Messages between a server and its leader that have not arrived. Acknowledgements and commits are not repeated.
OnTheWay(i) ==
    LET key == <<i, up[i].link>>
        leader == up[i].to
    IN  IF up[i].stage = "none" THEN 0
        ELSE IF key \notin DOMAIN down[leader] THEN up[i].put
        ELSE (up[i].put - down[leader][key].got) + (down[leader][key].put - up[i].got)
RECURSIVE Sum(_)
Sum(servers) == IF servers = {} THEN 0 ELSE LET i == CHOOSE j \in servers : TRUE IN OnTheWay(i) + Sum(servers \ {i})
IsRepeated(one, other) ==
    one.kind \in {"ACK", "COMMIT", "COMMITANDACTIVATE", "INFORM", "RECONFIG"} /\ one # other /\ [one EXCEPT !.number = 0] = [other EXCEPT !.number = 0]

Bounds ==
    /\ Cardinality(messages) <= MaxMessages
    /\ Sum(Server) <= MaxOnTheWay
    /\ \A i \in Server : /\ up[i].link <= MaxLinks /\ accepted[i] <= MaxEpoch
                         /\ First(EpochOf(Last(log[i]))) + MaxCounter >= Last(log[i])
    /\ \A m \in messages : \A other \in messages : m.kind = other.kind => ~IsRepeated(m, other)

\* Servers join one after the other. So behaviours are found that take many messages.
OneByOne == Cardinality({i \in Server : up[i].stage \notin {"none", "serves"}}) <= 1
=============================================================================
