---------------------------- MODULE ZabMessages ----------------------------
(* Zab as its messages show it: what a server of ZooKeeper may send, given what it has sent and received. It is made for *)
(* watching servers (`gristmill watch`), and is checked like any other specification (ZabMessagesBounded.cfg).           *)
(*                                                                                                                       *)
(* Every variable but `messages` is a function of the server, and every action is of one server i, which reads and       *)
(* writes its own part, reads one message to it, and sends one. So a server can be judged by its messages alone.         *)
(*                                                                                                                       *)
(* Servers talk over connections, which keep their order: messages have the number of their connection, and their own    *)
(* number on it. A transaction is called by its zxid, epoch * Wrap + counter; no transaction has the counter 0.          *)
(*                                                                                                                       *)
(* It says what is safe, not when an implementation does it. That a server has crashed, or begins or ceases to lead, is   *)
(* not seen by itself: it shows in what it sends next. What a crash may have undone is kept until then: epochs that were *)
(* offered and may or may not be on disk (`offered`), the log before a synchronization that was not finished (`before`), *)
(* transactions at the end of the log that were not acknowledged (after `durable`).                                      *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Server,    \* the servers, and those that may join
          Voters,    \* those that have a vote in the beginning, one of these sets. The others observe, or are yet to join
          Wrap,      \* zxids of an epoch
          Retain,    \* so many committed transactions a server remembers; of those before, only the zxids
          Remember,  \* so many connections of clients are remembered
          Hasty,     \* whether what servers acknowledge before they serve may be forgotten, see SendAck
          Link, Number, Zxid, Epoch, Session, Cxid, Operation, Peer, Members  \* what actions choose from

VARIABLES messages,  \* all that were sent
          accepted,  \* the epoch that a server has promised to follow: no older one from then on
          current,   \* the epoch whose leader it has followed, or whose leader it was
          offered,   \* [accepted, current]: what these may be, if a message was looked at
          log,       \* [from, ends, base, entries]: see below
          before,    \* <<>>, or <<[log, durable]>>: what the disk may still hold instead
          durable,   \* the zxid up to which the log is on disk
          commit,    \* the zxid up to which the log is committed, as far as the server knows
          mark,      \* the first zxid of the epoch that the server has led; it may say this instead of its last transaction
          heard,     \* votes that a server has heard of and might adopt
          members,   \* [was, active, seen, shown]: who has a vote, see below
          up,        \* the server's connection to its leader
          lead,      \* [epoch, elected, established, initial, left]: its own leadership
          down,      \* connections of others that follow it, by <<server, link>>
          told       \* of each connection of a client: the highest zxid that it was told

history == <<log, before, durable, commit, mark>>
epochs == <<accepted, current, offered>>
vars == <<messages, epochs, history, heard, members, up, lead, down, told>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
EpochOf(zxid) == zxid \div Wrap
First(epoch) == epoch * Wrap
Nothing == [none \in {} |-> none]

EmptyLog == [from |-> 0, ends |-> {}, base |-> 0, entries |-> <<>>]
NoLeader == [link |-> -1, to |-> "nobody", stage |-> "none", epoch |-> 0, at |-> 0, initial |-> 0, commit |-> 0,
             acked |-> 0, sure |-> FALSE, got |-> 0, put |-> 0, observes |-> FALSE]
NoLead == [epoch |-> 0, elected |-> FALSE, established |-> FALSE, initial |-> 0, left |-> FALSE]
Agreed(voters) == LET conf == [version |-> 0, voters |-> voters] IN [was |-> conf, active |-> conf, seen |-> conf, shown |-> 0]

Init == \E voters \in Voters :
    /\ messages = {}
    /\ accepted = [i \in Server |-> 0]
    /\ current = [i \in Server |-> 0]
    /\ offered = [i \in Server |-> [accepted |-> 0, current |-> 0]]
    /\ log = [i \in Server |-> EmptyLog]
    /\ before = [i \in Server |-> <<>>]
    /\ durable = [i \in Server |-> 0]
    /\ commit = [i \in Server |-> 0]
    /\ mark = [i \in Server |-> 0]
    /\ heard = [i \in Server |-> {}]
    /\ members = [i \in Server |-> Agreed(voters)]
    /\ up = [i \in Server |-> NoLeader]
    /\ lead = [i \in Server |-> NoLead]
    /\ down = [i \in Server |-> Nothing]
    /\ told = [i \in Server |-> Nothing]

-----------------------------------------------------------------------------
(* Logs: the transactions after `base`, each [zxid, session, cxid, operation]. Up to `base` they are forgotten, but as    *)
(* zxids have no gaps in an epoch, its last one tells which there were: `ends` has them for the epochs before that of    *)
(* `base`. What was before `from` is not known: it came as a snapshot.                                                   *)

Last(l) == IF l.entries = <<>> THEN l.base ELSE l.entries[Len(l.entries)].zxid

\* The place of a transaction among the entries, 0 if it is not there.
Place(l, zxid) ==
    LET last == Last(l)
        guess == Len(l.entries) - (last - zxid)
        found == {k \in DOMAIN l.entries : l.entries[k].zxid = zxid}
    IN  IF zxid <= l.base \/ zxid > last THEN 0
        ELSE IF guess >= 1 /\ l.entries[guess].zxid = zxid THEN guess
        ELSE IF found = {} THEN 0 ELSE CHOOSE k \in found : TRUE

\* Whether the log goes through this point.
Has(l, zxid) ==
    IF zxid > l.base THEN Place(l, zxid) # 0
    ELSE \/ zxid = 0 \/ zxid = l.base \/ zxid < l.from
         \/ zxid % Wrap # 0 /\ \E end \in l.ends \cup {l.base} : EpochOf(end) = EpochOf(zxid) /\ zxid <= end

\* Whether a transaction is the next one after a point.
Follows(l, at, zxid) ==
    LET k == Place(l, zxid)
    IN  /\ at < zxid
        /\ IF k = 0 THEN /\ zxid <= l.base /\ Has(l, zxid)
                         /\ zxid = at + 1 \/ EpochOf(at) < EpochOf(zxid)
           ELSE at >= (IF k = 1 THEN l.base ELSE l.entries[k - 1].zxid)

Cut(l, zxid) ==
    IF zxid = Last(l) THEN l
    ELSE IF zxid >= l.base THEN [l EXCEPT !.entries = SelectSeq(@, LAMBDA entry : entry.zxid <= zxid)]
    ELSE [from |-> Min(l.from, zxid), ends |-> {end \in l.ends : end < zxid}, base |-> zxid, entries |-> <<>>]

\* A log whose last transactions were not seen: a leader has them before anybody else, and may have sent them to nobody.
Extended(l, zxid) ==
    [from |-> l.from, base |-> zxid, entries |-> <<>>,
     ends |-> l.ends \cup {end \in {l.base} \cup {l.entries[k].zxid : k \in DOMAIN l.entries} :
                              EpochOf(end) # EpochOf(zxid) /\ ~Has(l, end + 1)}]
Unseen(i, zxid) == mark[i] # 0 /\ EpochOf(zxid) = EpochOf(mark[i]) /\ zxid > Last(log[i])

\* The log of server i, as it is if it ends here.
Ending(l, zxid) == IF zxid > Last(l) THEN Extended(l, zxid) ELSE Cut(l, zxid)
MayEnd(i, zxid) == Unseen(i, zxid) \/ (zxid >= durable[i] /\ zxid <= Last(log[i]) /\ Has(log[i], zxid))

\* What a server forgets follows from what is committed.
Forgotten(l, committed) ==
    LET far == Place(l, committed) - Retain
        Closes(k) == EpochOf(l.entries[k].zxid) # EpochOf(l.entries[k + 1].zxid)
    IN  IF far < Retain THEN l  \* from time to time, as that is all the same
        ELSE [from |-> l.from,
              ends |-> l.ends \cup {l.entries[k].zxid : k \in {n \in 1 .. far - 1 : Closes(n)}}
                              \cup (IF EpochOf(l.base) # EpochOf(l.entries[1].zxid) THEN {l.base} ELSE {}),
              base |-> l.entries[far].zxid,
              entries |-> SubSeq(l.entries, far + 1, Len(l.entries))]

-----------------------------------------------------------------------------
(* Members. Who has a vote is told by transactions; a configuration is called by the zxid of its own, or by that of an   *)
(* epoch, whose leader repeats it (`version`). One is `active`, since its transaction is committed; the last one that    *)
(* was `seen` may be newer, and then a quorum of each is needed. A message that makes it active may be lost in a crash:  *)
(* `was` is the active one of before, until an acknowledgement of what came later (after `shown`) tells that it is not.  *)

Majority(servers, conf) == 2 * Cardinality(servers \cap conf.voters) > Cardinality(conf.voters)
Pending(i) == members[i].seen.version > members[i].active.version
Configurations(i) == {members[i].was, members[i].active, members[i].seen}

\* To begin an epoch, and to lead it.
MayBegin(i, servers) == \E conf \in Configurations(i) : Majority(servers, conf)
MayLead(i, servers) ==
    /\ Majority(servers, members[i].active) \/ Majority(servers, members[i].was)
    /\ Pending(i) => Majority(servers, members[i].seen)

\* To commit a transaction: behind a new configuration, and with it, that one counts, too.
IsQuorum(i, zxid, servers) ==
    /\ Majority(servers, members[i].active)
    /\ Pending(i) /\ zxid >= members[i].seen.version => Majority(servers, members[i].seen)

Activated(own, end) == IF own.seen = own.active THEN own
                       ELSE [was |-> own.active, active |-> own.seen, seen |-> own.seen, shown |-> end]
Shown(own) == IF own.was = own.active THEN own ELSE [own EXCEPT !.was = own.active]
IsConfiguration(i, zxid) == zxid \in {members[i].active.version, members[i].seen.version}

-----------------------------------------------------------------------------
(* Messages *)

Sends(m) == messages' = messages \cup {m}

\* The next message on the connection to the leader.
FromLeader(i, m, kind) ==
    /\ m.to = i /\ m.kind = kind
    /\ m.from = up[i].to /\ m.link = up[i].link /\ m.number = up[i].got + 1

ToLeader(i, j, link, number) == j = up[i].to /\ link = up[i].link /\ number = up[i].put + 1

\* The next message of a follower, on a connection that server i knows.
FromFollower(i, m, kind) ==
    /\ m.to = i /\ m.kind = kind
    /\ <<m.from, m.link>> \in DOMAIN down[i] /\ m.number = down[i][<<m.from, m.link>>].got + 1

ToFollower(i, j, link, number) == <<j, link>> \in DOMAIN down[i] /\ number = down[i][<<j, link>>].put + 1

\* Whoever has accepted another epoch does not lead any more.
Leads(i, j, link) == lead[i].epoch = accepted[i] /\ down[i][<<j, link>>].epoch = lead[i].epoch

\* What it had sent before may still come, where a connection was held up.
HasLed(i, j, link) == LET epoch == down[i][<<j, link>>].epoch IN 0 < epoch /\ epoch < accepted[i]

\* Up to where a server may take the log to be committed. To a leader that is what a quorum has acknowledged; its own
\* acknowledgement is not seen: it is there if there is no quorum without it (`Reveals`).
Stored(i, zxid) ==
    LET Acknowledged(d) == d.epoch = lead[i].epoch /\ d.acked >= zxid
    IN  {down[i][k].peer : k \in {other \in DOMAIN down[i] : Acknowledged(down[i][other])}}
Known(i) ==
    LET zxids == {down[i][k].acked : k \in {other \in DOMAIN down[i] : down[i][other].epoch = lead[i].epoch}}
        stored == {zxid \in zxids : zxid > commit[i] /\ IsQuorum(i, zxid, {i} \cup Stored(i, zxid))}
    IN  IF ~lead[i].established \/ lead[i].epoch # accepted[i] \/ stored = {} THEN commit[i]
        ELSE CHOOSE zxid \in stored : \A other \in stored : other <= zxid

\* Somebody is told that it is committed.
Reveals(i, zxid) ==
    LET new == zxid > Max(commit[i], mark[i])
    IN  /\ commit' = [commit EXCEPT ![i] = IF new THEN zxid ELSE @]
        /\ durable' = [durable EXCEPT ![i] = IF new /\ ~IsQuorum(i, zxid, Stored(i, zxid)) THEN Max(@, zxid) ELSE @]
        /\ log' = [log EXCEPT ![i] = IF new THEN Forgotten(@, zxid) ELSE @]

\* So is the configuration that it makes: who is told of it, or of anything behind it, is told by who has activated it.
Activates(i, zxid) ==
    members' = [members EXCEPT ![i] = IF lead[i].established /\ Pending(i) /\ zxid >= @.seen.version
                                      THEN Shown(Activated(@, zxid)) ELSE @]

IsSynchronized(stage) == stage \in {"syncing", "proposed", "follows", "serves"}

-----------------------------------------------------------------------------
(* Election: who leads is not what safety rests on. But a server praises no history that it does not have, and votes for  *)
(* nobody else without having heard so, nor for one whose history is older than its own. Whoever does not look for a     *)
(* leader tells its vote as it is then, which may be that of the election before: ZooKeeper sets its state before that.  *)
(* Who observes has no vote, says so by voting for nobody, and is told the vote of before, too. Votes tell which         *)
(* configuration is active, so that others have it, too; version 0 is what somebody was started with.                    *)

\* Who was not followed from its beginning may have heard anything: a vote waits until its receiver can be reached.
Anything == [leader |-> "anybody", zxid |-> 0, epoch |-> 0]

Nobody == "-9223372036854775808"
MayVote(i, voters) == voters = {} \/ i \in voters \/ \E conf \in Configurations(i) : i \in conf.voters
MayObserve(i, j) == \E conf \in Configurations(i) : j \notin conf.voters

\* What somebody was started with tells which of the sets it was that had a vote in the beginning.
Began(i, version, voters) ==
    version = 0 /\ voters \in Voters /\ members[i].active.version = 0 => voters = members[i].active.voters

SendVote(i, j, state, leader, zxid, epoch, version, voters) ==
    /\ j # i
    /\ version > 0 => voters \in {members[i].active.voters, members[i].was.voters}  \* this configuration is active
    /\ Began(i, version, voters)
    /\ members' = [members EXCEPT ![i] = IF version = 0 THEN @ ELSE IF voters = @.active.voters THEN Shown(@)
                                         ELSE [@ EXCEPT !.active = @.was]]
    /\ \/ /\ state = "LOOKING" /\ leader = i
          /\ MayVote(i, voters)  \* it has a vote
          /\ zxid <= Max(Last(log[i]), mark[i]) \/ Unseen(i, zxid)
          /\ epoch <= offered[i].current
       \/ state = "LOOKING" /\ leader = Nobody /\ MayObserve(i, i)
       \/ state = "LOOKING" /\ [leader |-> leader, zxid |-> zxid, epoch |-> epoch] \in heard[i]
       \/ state = "LOOKING" /\ leader # i /\ Anything \in heard[i]
       \/ state \in {"LEADING", "FOLLOWING", "OBSERVING"} \/ MayObserve(i, j)
    /\ Sends([kind |-> "NOTIFICATION", from |-> i, to |-> j, state |-> state, leader |-> leader, zxid |-> zxid,
              epoch |-> epoch, version |-> version, voters |-> voters])
    /\ UNCHANGED <<epochs, history, heard, up, lead, down, told>>

HandleVote(i, m) ==
    LET IsBetter == m.epoch > current[i] \/ (m.epoch = current[i] /\ m.zxid >= durable[i])
        newest == [version |-> m.version, voters |-> m.voters]
        newer == m.version > members[i].active.version /\ m.voters # {}
    IN  /\ m.to = i /\ m.kind = "NOTIFICATION"
        /\ newer \/ (m.leader # Nobody /\ (IsBetter \/ up[i].observes))
        /\ heard' = [heard EXCEPT ![i] = IF m.leader = Nobody THEN @
                                         ELSE @ \cup {[leader |-> m.leader, zxid |-> m.zxid, epoch |-> m.epoch]}]
        /\ members' = [members EXCEPT ![i] =
                            IF newer THEN [was |-> @.active, active |-> newest, shown |-> Last(log[i]),
                                           seen |-> IF @.seen.version > m.version THEN @.seen ELSE newest] ELSE @]
        /\ UNCHANGED <<messages, epochs, history, up, lead, down, told>>

-----------------------------------------------------------------------------
(* Discovery, by the follower *)

Joins(i, j, link, epoch, observes) ==
    /\ j # i /\ link > up[i].link
    /\ epoch \in {accepted[i], offered[i].accepted}
    /\ accepted' = [accepted EXCEPT ![i] = epoch]
    /\ offered' = [offered EXCEPT ![i].accepted = epoch]
    /\ up' = [up EXCEPT ![i] = [NoLeader EXCEPT !.link = link, !.to = j, !.stage = "info", !.put = 1, !.observes = observes]]
    /\ lead' = [lead EXCEPT ![i] = NoLead]
    /\ UNCHANGED <<current, log, before, commit, mark, heard, members, down, told>>

SendFollowerInfo(i, j, link, epoch) ==
    /\ Joins(i, j, link, epoch, FALSE)
    /\ Sends([kind |-> "FOLLOWERINFO", from |-> i, to |-> j, link |-> link, number |-> 1, epoch |-> epoch])
    /\ UNCHANGED durable

\* Who observes acknowledges nothing, so nothing rests on what it has on disk.
SendObserverInfo(i, j, link, epoch) ==
    /\ Joins(i, j, link, epoch, TRUE)
    /\ MayObserve(i, i)  \* it has no vote
    /\ durable' = [durable EXCEPT ![i] = 0]
    /\ Sends([kind |-> "OBSERVERINFO", from |-> i, to |-> j, link |-> link, number |-> 1, epoch |-> epoch])

HandleLeaderInfo(i, m) ==
    /\ FromLeader(i, m, "LEADERINFO")
    /\ up[i].stage = "info"
    /\ m.epoch >= accepted[i]
    /\ offered' = [offered EXCEPT ![i].accepted = m.epoch]
    /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.stage = "offered", !.epoch = m.epoch, !.got = @ + 1]]
    /\ UNCHANGED <<messages, accepted, current, history, heard, members, lead, down, told>>

\* An epoch is promised once, to one leader: -1 says that it was promised before. The last transaction is as the disk has
\* it: of what was not acknowledged, some may be lost; a synchronization that was not finished may have had no effect.
SendAckEpoch(i, j, link, number, zxid, epoch) ==
    /\ ToLeader(i, j, link, number)
    /\ up[i].stage = "offered" /\ up[i].epoch >= accepted[i]
    /\ IF up[i].epoch > accepted[i] THEN epoch \in {current[i], offered[i].current} ELSE epoch = -1
    /\ accepted' = [accepted EXCEPT ![i] = up[i].epoch]
    /\ current' = [current EXCEPT ![i] = IF epoch = -1 THEN @ ELSE epoch]
    /\ offered' = [offered EXCEPT ![i].current = IF epoch = -1 THEN @ ELSE epoch]
    /\ \/ /\ zxid = mark[i] /\ zxid >= Last(log[i])
          /\ UNCHANGED history
       \/ /\ MayEnd(i, zxid)
          /\ log' = [log EXCEPT ![i] = Ending(@, zxid)]
          /\ mark' = [mark EXCEPT ![i] = 0]
          /\ durable' = [durable EXCEPT ![i] = IF up[i].observes THEN 0 ELSE zxid]
          /\ commit' = [commit EXCEPT ![i] = Min(@, zxid)]
          /\ before' = [before EXCEPT ![i] = <<>>]
       \/ \E k \in DOMAIN before[i] :
          /\ zxid >= before[i][k].durable /\ zxid <= Last(before[i][k].log) /\ Has(before[i][k].log, zxid)
          /\ log' = [log EXCEPT ![i] = Cut(before[i][k].log, zxid)]
          /\ mark' = [mark EXCEPT ![i] = 0]
          /\ durable' = [durable EXCEPT ![i] = IF up[i].observes THEN 0 ELSE zxid]
          /\ commit' = [commit EXCEPT ![i] = Min(@, zxid)]
          /\ before' = [before EXCEPT ![i] = <<>>]
    /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.stage = "acknowledges", !.at = zxid, !.put = @ + 1]]
    /\ Sends([kind |-> "ACKEPOCH", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid,
              epoch |-> epoch])
    /\ UNCHANGED <<heard, members, lead, down, told>>

-----------------------------------------------------------------------------
(* Synchronization, by the follower: it takes what it is sent *)

Synchronizes(i, m, new, at) ==
    /\ up[i].stage = "acknowledges"
    /\ log' = [log EXCEPT ![i] = new]
    /\ before' = [before EXCEPT ![i] = <<[log |-> log[i], durable |-> durable[i]]>>]
    /\ durable' = [durable EXCEPT ![i] = Min(@, Last(new))]
    /\ commit' = [commit EXCEPT ![i] = Min(@, at)]
    /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.stage = "syncing", !.at = at, !.got = @ + 1]]
    /\ UNCHANGED <<messages, epochs, mark, heard, members, lead, down, told>>

HandleDiff(i, m) == FromLeader(i, m, "DIFF") /\ Synchronizes(i, m, log[i], up[i].at)
HandleTrunc(i, m) == FromLeader(i, m, "TRUNC") /\ Synchronizes(i, m, Cut(log[i], Min(m.zxid, Last(log[i]))), m.zxid)
HandleSnap(i, m) ==
    FromLeader(i, m, "SNAP")
    /\ Synchronizes(i, m, [from |-> m.zxid, ends |-> {}, base |-> m.zxid, entries |-> <<>>], m.zxid)

EntryOf(m, operation) == [zxid |-> m.zxid, session |-> m.session, cxid |-> m.cxid, operation |-> operation]
Takes(i, l, entry) ==
    IF IsSynchronized(up[i].stage) /\ entry.zxid > Last(l) THEN [l EXCEPT !.entries = Append(@, entry)] ELSE l

Proposed(i, m, kind, operation) ==
    /\ FromLeader(i, m, kind)
    /\ log' = [log EXCEPT ![i] = Takes(i, @, EntryOf(m, operation))]
    /\ up' = [up EXCEPT ![i].got = @ + 1]
    /\ UNCHANGED <<messages, epochs, before, durable, commit, mark, heard, lead, down, told>>

HandleProposal(i, m) == Proposed(i, m, "PROPOSAL", m.operation) /\ UNCHANGED members

\* The transaction that tells of another configuration: a proposal like others, but that one has been seen then.
Reconfigure == 16
HandleReconfig(i, m) ==
    /\ Proposed(i, m, "RECONFIG", Reconfigure)
    /\ members' = [members EXCEPT ![i].seen = [version |-> m.version, voters |-> m.voters]]

\* What is committed during a synchronization counts at its end.
Commits(i, m, kind, l) ==
    LET counts == up[i].stage = "serves" /\ m.zxid <= Last(l)
        known == Max(commit[i], m.zxid)
    IN  /\ FromLeader(i, m, kind)
        /\ commit' = [commit EXCEPT ![i] = IF counts THEN known ELSE @]
        /\ log' = [log EXCEPT ![i] = IF counts THEN Forgotten(l, known) ELSE l]
        /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.got = @ + 1, !.commit = Max(@, Min(m.zxid, Last(l)))]]
        /\ UNCHANGED <<messages, epochs, before, durable, mark, heard, lead, down, told>>

HandleCommit(i, m) == Commits(i, m, "COMMIT", log[i]) /\ UNCHANGED members

HandleCommitAndActivate(i, m) ==
    /\ Commits(i, m, "COMMITANDACTIVATE", log[i])
    /\ members' = [members EXCEPT ![i] = IF m.zxid = @.seen.version THEN Activated(@, Last(log[i])) ELSE @]

\* Who observes gets a transaction when it is committed.
HandleInform(i, m) == Commits(i, m, "INFORM", Takes(i, log[i], EntryOf(m, m.operation))) /\ UNCHANGED members

HandleInformAndActivate(i, m) ==
    /\ Commits(i, m, "INFORMANDACTIVATE", Takes(i, log[i], EntryOf(m, Reconfigure)))
    /\ members' = [members EXCEPT ![i] =
                        Activated([@ EXCEPT !.seen = [version |-> m.version, voters |-> m.voters]], m.zxid)]

HandleNewLeader(i, m) ==
    /\ FromLeader(i, m, "NEWLEADER")
    /\ up[i].stage = "syncing" /\ m.epoch = up[i].epoch
    /\ offered' = [offered EXCEPT ![i].current = m.epoch]
    /\ members' = [members EXCEPT ![i].seen = IF m.version = 0 THEN @ ELSE [version |-> m.version, voters |-> m.voters]]
    /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.stage = "proposed", !.initial = Last(log[i]), !.got = @ + 1]]
    /\ UNCHANGED <<messages, accepted, current, history, heard, lead, down, told>>

\* Who acknowledges a transaction has it on disk, and who acknowledges NEWLEADER all that came before. In haste, only what
\* came as a snapshot is there (ZOOKEEPER-4646). And what it has acknowledged before it serves may be gone if it comes to
\* look for a leader before that: what it says of its log then is what it has in memory. That it serves, it says by acknowledging NEWLEADER once more.
SendAck(i, j, link, number, zxid) ==
    /\ ToLeader(i, j, link, number)
    /\ up[i].stage \in {"proposed", "follows", "serves"}
    /\ \/ /\ zxid = First(up[i].epoch)
          /\ current' = [current EXCEPT ![i] = up[i].epoch]
          /\ durable' = [durable EXCEPT ![i] = IF up[i].observes THEN 0
                             ELSE IF up[i].stage = "serves" THEN Max(@, Max(up[i].acked, Min(up[i].at, up[i].initial)))
                             ELSE Max(@, IF Hasty THEN Min(up[i].at, up[i].initial) ELSE up[i].initial)]
          /\ before' = [before EXCEPT ![i] = <<>>]
          /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.stage = IF @ = "proposed" THEN "follows" ELSE @,
                                               !.sure = up[i].stage = "serves", !.put = @ + 1]]
          /\ UNCHANGED members
       \/ /\ zxid # First(up[i].epoch)
          /\ ~up[i].observes  \* who observes acknowledges no transaction
          /\ zxid > up[i].at /\ Has(log[i], zxid)
          /\ durable' = [durable EXCEPT ![i] = IF Hasty /\ ~up[i].sure THEN @ ELSE Max(@, zxid)]
          /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.acked = Max(@, zxid), !.put = @ + 1]]
          /\ members' = [members EXCEPT ![i] = IF zxid > @.shown THEN Shown(@) ELSE @]
          /\ UNCHANGED <<current, before>>
    /\ Sends([kind |-> "ACK", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid])
    /\ UNCHANGED <<accepted, offered, log, commit, mark, heard, lead, down, told>>

\* A server may be told so before it has acknowledged NEWLEADER: when it has acknowledged a transaction that came with it.
HandleUptodate(i, m) ==
    LET known == Max(commit[i], Max(up[i].at, up[i].commit))
    IN  /\ FromLeader(i, m, "UPTODATE")
        /\ up[i].stage \in {"proposed", "follows"}
        /\ commit' = [commit EXCEPT ![i] = known]
        /\ log' = [log EXCEPT ![i] = Forgotten(@, known)]
        /\ up' = [up EXCEPT ![i] = [@ EXCEPT !.stage = "serves", !.got = @ + 1]]
        /\ members' = [members EXCEPT ![i] = Activated(@, Last(log[i]))]
        /\ UNCHANGED <<messages, epochs, before, durable, mark, heard, lead, down, told>>

-----------------------------------------------------------------------------
(* Discovery, by the leader *)

\* Of an earlier connection of the same server, the last one is remembered.
Joined(i, m, observes) ==
    LET key == <<m.from, m.link>>
        latest == {k \in DOMAIN down[i] : k[1] # m.from \/ \A other \in DOMAIN down[i] : other[1] = m.from => other[2] <= k[2]}
    IN  /\ m.to = i
        /\ \A k \in DOMAIN down[i] : k[1] = m.from => k[2] < m.link
        /\ down' = [down EXCEPT ![i] = [k \in latest \cup {key} |->
                        IF k # key THEN down[i][k]
                        ELSE [peer |-> m.from, accepted |-> m.epoch, epoch |-> 0, stage |-> "info", last |-> 0,
                              current |-> -1, at |-> 0, committed |-> 0, acked |-> 0, got |-> 1, put |-> 0,
                              observes |-> observes]]]
        /\ UNCHANGED <<messages, epochs, history, heard, members, up, lead, told>>

HandleFollowerInfo(i, m) == m.kind = "FOLLOWERINFO" /\ Joined(i, m, FALSE)
HandleObserverInfo(i, m) == m.kind = "OBSERVERINFO" /\ Joined(i, m, TRUE)

\* A new epoch is newer than all that a quorum has accepted.
SendLeaderInfo(i, j, link, number, epoch) ==
    LET key == <<j, link>>
        Waits(k) == down[i][k].stage = "info" /\ down[i][k].accepted < epoch
        joined == {i} \cup {down[i][k].peer : k \in {other \in DOMAIN down[i] : Waits(other)}}
    IN  /\ ToFollower(i, j, link, number)
        /\ down[i][key].stage = "info"
        /\ \/ /\ epoch = lead[i].epoch /\ epoch = accepted[i]
              /\ UNCHANGED <<accepted, offered, lead, up>>
           \/ /\ epoch > accepted[i] /\ MayBegin(i, joined)
              /\ accepted' = [accepted EXCEPT ![i] = epoch]
              /\ offered' = [offered EXCEPT ![i].accepted = epoch]
              /\ lead' = [lead EXCEPT ![i] = [NoLead EXCEPT !.epoch = epoch]]
              /\ up' = [up EXCEPT ![i] = [NoLeader EXCEPT !.link = up[i].link]]
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] = [@ EXCEPT !.stage = "offered", !.epoch = epoch, !.put = @ + 1]]]
        /\ Sends([kind |-> "LEADERINFO", from |-> i, to |-> j, link |-> link, number |-> number, epoch |-> epoch])
        /\ UNCHANGED <<current, history, heard, members, told>>

HandleAckEpoch(i, m) ==
    LET key == <<m.from, m.link>>
    IN  /\ FromFollower(i, m, "ACKEPOCH")
        /\ down[i][key].stage = "offered"
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] =
                        [@ EXCEPT !.stage = "acknowledged", !.last = m.zxid, !.current = m.epoch, !.got = @ + 1]]]
        /\ UNCHANGED <<messages, epochs, history, heard, members, up, lead, told>>

-----------------------------------------------------------------------------
(* Synchronization, by the leader *)

\* Those who have promised the epoch, and whose history is not newer than that of the leader.
Promised(i, epoch, last) ==
    LET IsOlder(d) == d.current < epoch \/ (d.current = epoch /\ d.last <= last)
        Counts(d) == d.epoch = lead[i].epoch /\ d.stage \notin {"info", "offered"} /\ d.current # -1 /\ IsOlder(d)
    IN  {i} \cup {down[i][k].peer : k \in {other \in DOMAIN down[i] : Counts(down[i][other])}}

\* What a leader begins with is decided when a quorum has promised its epoch: at the end of its log, what it has not
\* acknowledged as a follower may be lost.
BeginsWith(i, last, epoch) ==
    \/ /\ lead[i].elected
       /\ last = Last(log[i]) /\ epoch = current[i]
    \/ /\ ~lead[i].elected
       /\ MayEnd(i, last)
       /\ epoch \in {current[i], offered[i].current}
       /\ MayBegin(i, Promised(i, epoch, Max(last, mark[i])))

\* Whether a follower that has come to this point has nothing that the leader has not. The first zxid of an epoch is one
\* that a leader, or who had a snapshot, was at before there was any transaction.
Reaches(i, l, zxid) ==
    /\ IF lead[i].established THEN zxid <= Max(Known(i), mark[i]) ELSE zxid <= Max(Last(l), mark[i])
    /\ IF zxid % Wrap = 0 THEN EpochOf(zxid) <= Max(current[i], EpochOf(mark[i])) ELSE Has(l, zxid)

Synchronize(i, j, link, number, last, epoch, at) ==
    LET key == <<j, link>>
    IN  /\ ToFollower(i, j, link, number)
        /\ Leads(i, j, link)
        /\ down[i][key].stage = "acknowledged"
        /\ BeginsWith(i, last, epoch)
        /\ Reaches(i, Ending(log[i], last), at)
        /\ log' = [log EXCEPT ![i] = Ending(@, last)]
        /\ commit' = [commit EXCEPT ![i] = IF lead[i].elected THEN @ ELSE Min(@, last)]
        /\ durable' = [durable EXCEPT ![i] = IF lead[i].elected THEN @ ELSE last]
        /\ before' = [before EXCEPT ![i] = <<>>]
        /\ current' = [current EXCEPT ![i] = epoch]
        /\ offered' = [offered EXCEPT ![i].current = IF lead[i].elected THEN @ ELSE lead[i].epoch]
        /\ lead' = [lead EXCEPT ![i].elected = TRUE]
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] =
                        [@ EXCEPT !.stage = "syncing", !.at = at, !.committed = at, !.put = @ + 1]]]
        /\ UNCHANGED <<accepted, mark, heard, members, up, told>>

\* Nothing is taken away: all that the follower has, the leader has.
SendDiff(i, j, link, number, zxid) ==
    \E last \in {zxid, Last(log[i])}, epoch \in {current[i], offered[i].current} :
        /\ Synchronize(i, j, link, number, last, epoch, down[i][<<j, link>>].last)
        /\ zxid <= Max(last, mark[i])
        /\ Sends([kind |-> "DIFF", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid])

SendTrunc(i, j, link, number, zxid) ==
    \E last \in {zxid, Last(log[i])}, epoch \in {current[i], offered[i].current} :
        /\ Synchronize(i, j, link, number, last, epoch, zxid)
        /\ zxid <= down[i][<<j, link>>].last
        /\ Sends([kind |-> "TRUNC", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid])

SendSnap(i, j, link, number, zxid) ==
    \E last \in {zxid, Last(log[i])}, epoch \in {current[i], offered[i].current} :
        /\ Synchronize(i, j, link, number, last, epoch, zxid)
        /\ Sends([kind |-> "SNAP", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid])

\* What must be sent before NEWLEADER: all that the leader began with.
Initial(i) == IF lead[i].established THEN lead[i].initial ELSE Last(log[i])

\* It tells of the last configuration that it has seen.
SendNewLeader(i, j, link, number, epoch, version, voters) ==
    LET key == <<j, link>>
    IN  /\ ToFollower(i, j, link, number)
        /\ Leads(i, j, link)
        /\ down[i][key].stage = "syncing"
        /\ epoch = lead[i].epoch
        /\ down[i][key].at >= Initial(i)
        /\ version > 0 => voters \in {conf.voters : conf \in Configurations(i)}  \* there is such a configuration
        /\ members' = [members EXCEPT ![i].seen = IF version = 0 THEN @ ELSE [version |-> version, voters |-> voters]]
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] = [@ EXCEPT !.stage = "proposed", !.put = @ + 1]]]
        /\ Sends([kind |-> "NEWLEADER", from |-> i, to |-> j, link |-> link, number |-> number, epoch |-> epoch,
                  version |-> version, voters |-> voters])
        /\ UNCHANGED <<epochs, history, heard, up, lead, told>>

\* A quorum that has acknowledged NEWLEADER makes its leader one that others are served by. To who comes later any
\* acknowledgement will do, as it cannot have come to that without NEWLEADER.
SendUptodate(i, j, link, number) ==
    LET key == <<j, link>>
    IN  /\ ToFollower(i, j, link, number)
        /\ Leads(i, j, link)
        /\ lead[i].established
        /\ down[i][key].stage = "follows"
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] = [@ EXCEPT !.stage = "serves", !.put = @ + 1]]]
        /\ Sends([kind |-> "UPTODATE", from |-> i, to |-> j, link |-> link, number |-> number])
        /\ UNCHANGED <<epochs, history, heard, members, up, lead, told>>

-----------------------------------------------------------------------------
(* Broadcast, by the leader *)

\* The next transaction that the follower does not have, or a new one, with the next zxid. After a snapshot some may come
\* that it has in it. Who observes gets only what is committed, and that as proposals only before NEWLEADER.
Propose(i, j, link, number, zxid, entry) ==
    LET key == <<j, link>>
        d == down[i][key]
        l == log[i]
        at == d.at
        k == Place(l, zxid)
        next == Max(Last(l), First(lead[i].epoch)) + 1
    IN  /\ ToFollower(i, j, link, number)
        /\ Leads(i, j, link) \/ (HasLed(i, j, link) /\ EpochOf(zxid) <= d.epoch)
        /\ IsSynchronized(d.stage)
        /\ d.observes => d.stage = "syncing" /\ zxid <= Max(Known(i), Initial(i))  \* who observes gets what is committed
        /\ \/ /\ zxid > Last(l) /\ zxid = next
              /\ Leads(i, j, link)
              /\ lead[i].established
              /\ at >= Last(l)
              /\ log' = [log EXCEPT ![i].entries = Append(@, entry)]
           \/ /\ zxid <= Last(l)
              /\ k # 0 => l.entries[k] = entry
              /\ (zxid <= at /\ Has(l, zxid)) \/ Follows(l, at, zxid)
              /\ UNCHANGED log
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] = [@ EXCEPT !.at = Max(@, zxid), !.put = @ + 1]]]
        /\ UNCHANGED <<epochs, before, durable, commit, mark, heard, up, lead, told>>

Entry(zxid, session, cxid, operation) == [zxid |-> zxid, session |-> session, cxid |-> cxid, operation |-> operation]

SendProposal(i, j, link, number, zxid, session, cxid, operation) ==
    /\ Propose(i, j, link, number, zxid, Entry(zxid, session, cxid, operation))
    /\ Sends([kind |-> "PROPOSAL", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid,
              session |-> session, cxid |-> cxid, operation |-> operation])
    /\ UNCHANGED members

\* A new configuration is proposed when the last one is committed. One that was proposed stays as it is.
Configures(i, zxid, version, voters) ==
    LET own == members[i]
    IN  /\ version = zxid
        /\ \A conf \in Configurations(i) : conf.version = version => conf.voters = voters  \* it is the one that was proposed
        /\ IF zxid <= Last(log[i]) THEN UNCHANGED members
           ELSE /\ own.seen.version <= Max(own.active.version, Known(i))  \* the last one is committed
                /\ members' = [members EXCEPT ![i] = [Shown(Activated(@, zxid)) EXCEPT
                                    !.seen = [version |-> version, voters |-> voters]]]

SendReconfig(i, j, link, number, zxid, session, cxid, version, voters) ==
    /\ Propose(i, j, link, number, zxid, Entry(zxid, session, cxid, Reconfigure))
    /\ Configures(i, zxid, version, voters)
    /\ Sends([kind |-> "RECONFIG", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid,
              session |-> session, cxid |-> cxid, version |-> version, voters |-> voters])

HandleAck(i, m) ==
    LET key == <<m.from, m.link>>
        d == down[i][key]
        confirms == m.zxid = First(d.epoch)
        links == [down[i] EXCEPT ![key] =
                     [@ EXCEPT !.got = @ + 1,
                               !.stage = IF @ = "proposed" /\ (confirms \/ lead[i].established) THEN "follows" ELSE @,
                               !.acked = IF ~confirms /\ m.zxid <= d.at THEN Max(@, m.zxid) ELSE @]]
        Follow(k) == links[k].epoch = lead[i].epoch /\ links[k].stage \in {"follows", "serves"}
        following == {i} \cup {links[k].peer : k \in {other \in DOMAIN links : Follow(other)}}
        begins == /\ confirms /\ ~lead[i].established
                  /\ lead[i].elected /\ lead[i].epoch = accepted[i] /\ MayLead(i, following)
        last == Last(log[i])
    IN  /\ FromFollower(i, m, "ACK")
        /\ down' = [down EXCEPT ![i] = links]
        /\ lead' = [lead EXCEPT ![i] = IF begins THEN [@ EXCEPT !.established = TRUE, !.initial = last] ELSE @]
        /\ mark' = [mark EXCEPT ![i] = IF begins THEN First(lead[i].epoch) ELSE @]
        /\ current' = [current EXCEPT ![i] = IF begins THEN lead[i].epoch ELSE @]
        /\ commit' = [commit EXCEPT ![i] = IF begins THEN Max(@, last) ELSE @]
        /\ members' = [members EXCEPT ![i] = IF begins THEN Shown(Activated(@, last)) ELSE @]
        /\ UNCHANGED <<messages, accepted, offered, log, before, durable, heard, up, told>>

\* In the order of the log, after the transaction itself, and not before a quorum has it. What the leader began with it
\* may call committed in a synchronization, as that counts only after UPTODATE. One that has left the lead to another
\* server, by a new configuration, commits nothing behind it.
Commit(i, j, link, number, zxid) ==
    LET key == <<j, link>>
        d == down[i][key]
    IN  /\ ToFollower(i, j, link, number)
        /\ Leads(i, j, link) \/ (HasLed(i, j, link) /\ EpochOf(zxid) <= d.epoch)
        /\ IsSynchronized(d.stage)
        /\ zxid <= d.at
        /\ zxid <= Max(Known(i), Initial(i))
        /\ zxid <= d.committed \/ Follows(log[i], d.committed, zxid)
        /\ lead[i].left => zxid <= members[i].active.version  \* it has not left the lead to another server before
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] = [@ EXCEPT !.committed = Max(@, zxid), !.put = @ + 1]]]
        /\ IF lead[i].established THEN Reveals(i, zxid) ELSE UNCHANGED <<commit, durable, log>>
        /\ Activates(i, zxid)
        /\ UNCHANGED <<epochs, before, mark, heard, up, told>>

SendCommit(i, j, link, number, zxid) ==
    /\ Commit(i, j, link, number, zxid)
    \* a new configuration is activated by who is told of it; in a synchronization NEWLEADER tells of it
    /\ IsConfiguration(i, zxid) => down[i][<<j, link>>].stage = "syncing"
    /\ Sends([kind |-> "COMMIT", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid])
    /\ UNCHANGED lead

\* Who leads from then on has a vote, and if it is another server, it has acknowledged the new configuration.
Designates(i, zxid, confs, leader) ==
    /\ lead[i].established
    /\ \E conf \in confs : conf.version = zxid  \* it is a configuration
    /\ \E conf \in confs : conf.version = zxid /\ leader \in conf.voters  \* who is to lead has a vote
    /\ leader = i \/ leader \in Stored(i, zxid)  \* who is to lead has acknowledged that
    /\ lead' = [lead EXCEPT ![i].left = leader # i]

SendCommitAndActivate(i, j, link, number, zxid, leader) ==
    /\ Commit(i, j, link, number, zxid)
    /\ Designates(i, zxid, Configurations(i), leader)
    /\ Sends([kind |-> "COMMITANDACTIVATE", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid,
              leader |-> leader])

\* Who observes gets the transaction when it is committed. Where nobody else has a vote, nobody has heard of it before.
Inform(i, j, link, number, zxid, entry) ==
    LET key == <<j, link>>
        d == down[i][key]
        l == log[i]
        k == Place(l, zxid)
        unheard == zxid = Max(Last(l), First(lead[i].epoch)) + 1 /\ IsQuorum(i, zxid, {i})
    IN  /\ ToFollower(i, j, link, number)
        /\ Leads(i, j, link)
        /\ lead[i].established
        /\ IsSynchronized(d.stage)
        /\ d.observes  \* only who observes is told so
        /\ lead[i].left => zxid <= members[i].active.version  \* it has not left the lead to another server before
        /\ unheard \/ zxid <= Known(i)  \* a quorum has it
        /\ k # 0 => l.entries[k] = entry  \* it is the transaction that was proposed
        /\ unheard \/ (zxid <= d.at /\ Has(l, zxid)) \/ Follows(l, d.at, zxid)
        /\ down' = [down EXCEPT ![i] = [@ EXCEPT ![key] =
                        [@ EXCEPT !.at = Max(@, zxid), !.committed = Max(@, zxid), !.put = @ + 1]]]
        /\ IF unheard
           THEN /\ log' = [log EXCEPT ![i] = Forgotten([@ EXCEPT !.entries = Append(@, entry)], zxid)]
                /\ commit' = [commit EXCEPT ![i] = zxid]
                /\ durable' = [durable EXCEPT ![i] = zxid]
           ELSE Reveals(i, zxid)
        /\ UNCHANGED <<epochs, before, mark, heard, up, told>>

SendInform(i, j, link, number, zxid, session, cxid, operation) ==
    /\ Inform(i, j, link, number, zxid, Entry(zxid, session, cxid, operation))
    /\ Activates(i, zxid)
    /\ Sends([kind |-> "INFORM", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid,
              session |-> session, cxid |-> cxid, operation |-> operation])
    /\ UNCHANGED lead

SendInformAndActivate(i, j, link, number, zxid, session, cxid, version, voters, leader) ==
    LET conf == [version |-> version, voters |-> voters]
    IN
    /\ Inform(i, j, link, number, zxid, Entry(zxid, session, cxid, Reconfigure))
    /\ Designates(i, zxid, {conf}, leader)
    /\ IF zxid <= Last(log[i])
       THEN conf \in Configurations(i) /\ Activates(i, zxid)  \* it is the one that was proposed
       ELSE /\ Majority({i}, conf)
            /\ members' = [members EXCEPT ![i] = [was |-> conf, active |-> conf, seen |-> conf, shown |-> zxid]]
    /\ Sends([kind |-> "INFORMANDACTIVATE", from |-> i, to |-> j, link |-> link, number |-> number, zxid |-> zxid,
              session |-> session, cxid |-> cxid, version |-> version, voters |-> voters, leader |-> leader])

-----------------------------------------------------------------------------
(* Clients: a server tells them of nothing that is not committed, and never goes back; a write is answered when it is    *)
(* committed. Reads are served by every server, from what it has.                                                        *)

CreateSession == -10
Seen(i, link) == IF link \in DOMAIN told[i] THEN told[i][link] ELSE 0
Tells(i, link, zxid) ==
    LET known == DOMAIN told[i]
        first == CHOOSE oldest \in known : \A other \in known : oldest <= other
        kept == IF Cardinality(known) < Remember \/ link \in known THEN known ELSE known \ {first}
    IN  told' = [told EXCEPT ![i] = [k \in kept \cup {link} |-> IF k = link THEN zxid ELSE @[k]]]
Processed(i) == Max(Known(i), mark[i])

HandleConnect(i, m) ==
    /\ m.to = i /\ m.kind = "Connect"
    /\ Tells(i, m.link, Max(Seen(i, m.link), m.seen))
    /\ UNCHANGED <<messages, epochs, history, heard, members, up, lead, down>>

\* A new session is a transaction. One that comes from another server has seen no more than this one has. 0 refuses it.
SendConnected(i, j, link, session, asked) ==
    LET l == log[i]
        Creates(k) == l.entries[k].session = session /\ l.entries[k].operation = CreateSession
    IN  /\ link \in DOMAIN told[i] \/ Cardinality(DOMAIN told[i]) >= Remember
        /\ session # 0 => Seen(i, link) <= Processed(i)
        /\ session # 0 /\ asked = 0 =>
              /\ \A k \in DOMAIN l.entries : Creates(k) => l.entries[k].zxid <= Known(i)
              /\ l.base > 0 \/ \E k \in DOMAIN l.entries : Creates(k)
        /\ Sends([kind |-> "Connected", from |-> i, to |-> j, link |-> link, session |-> session, asked |-> asked])
        /\ UNCHANGED <<epochs, history, heard, members, up, lead, down, told>>

SendReply(i, j, link, session, cxid, zxid, writes) ==
    LET l == log[i]
        k == Place(l, zxid)
        Is(n) == l.entries[n].session = session /\ l.entries[n].cxid = cxid
    IN  /\ zxid <= Processed(i)
        /\ zxid >= Seen(i, link)
        /\ writes /\ zxid > l.base => (k # 0 /\ Is(k)) \/ \E n \in DOMAIN l.entries : l.entries[n].zxid <= zxid /\ Is(n)
        /\ Tells(i, link, zxid)
        /\ Reveals(i, zxid)
        /\ Sends([kind |-> "Reply", from |-> i, to |-> j, link |-> link, session |-> session, cxid |-> cxid,
                  zxid |-> zxid, writes |-> writes])
        /\ UNCHANGED <<epochs, before, mark, heard, members, up, lead, down>>

-----------------------------------------------------------------------------
State == {"LOOKING", "FOLLOWING", "LEADING", "OBSERVING"}
AnyClient == {"client"}

Next ==
    \/ \E i \in Server, j \in Server, state \in State, leader \in Peer, zxid \in Zxid, epoch \in Epoch,
          version \in Zxid, voters \in Members : SendVote(i, j, state, leader, zxid, epoch, version, voters)
    \/ \E i \in Server, m \in messages : HandleVote(i, m)
    \/ \E i \in Server, j \in Server, link \in Link, epoch \in Epoch : SendFollowerInfo(i, j, link, epoch)
    \/ \E i \in Server, j \in Server, link \in Link, epoch \in Epoch : SendObserverInfo(i, j, link, epoch)
    \/ \E i \in Server, m \in messages : HandleLeaderInfo(i, m)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid, epoch \in Epoch :
            SendAckEpoch(i, j, link, number, zxid, epoch)
    \/ \E i \in Server, m \in messages : HandleDiff(i, m)
    \/ \E i \in Server, m \in messages : HandleTrunc(i, m)
    \/ \E i \in Server, m \in messages : HandleSnap(i, m)
    \/ \E i \in Server, m \in messages : HandleProposal(i, m)
    \/ \E i \in Server, m \in messages : HandleReconfig(i, m)
    \/ \E i \in Server, m \in messages : HandleCommit(i, m)
    \/ \E i \in Server, m \in messages : HandleCommitAndActivate(i, m)
    \/ \E i \in Server, m \in messages : HandleInform(i, m)
    \/ \E i \in Server, m \in messages : HandleInformAndActivate(i, m)
    \/ \E i \in Server, m \in messages : HandleNewLeader(i, m)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid : SendAck(i, j, link, number, zxid)
    \/ \E i \in Server, m \in messages : HandleUptodate(i, m)
    \/ \E i \in Server, m \in messages : HandleFollowerInfo(i, m)
    \/ \E i \in Server, m \in messages : HandleObserverInfo(i, m)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, epoch \in Epoch :
            SendLeaderInfo(i, j, link, number, epoch)
    \/ \E i \in Server, m \in messages : HandleAckEpoch(i, m)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid : SendDiff(i, j, link, number, zxid)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid : SendTrunc(i, j, link, number, zxid)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid : SendSnap(i, j, link, number, zxid)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, epoch \in Epoch, version \in Zxid,
          voters \in Members : SendNewLeader(i, j, link, number, epoch, version, voters)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number : SendUptodate(i, j, link, number)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid, session \in Session, cxid \in Cxid,
          operation \in Operation : SendProposal(i, j, link, number, zxid, session, cxid, operation)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid, session \in Session, cxid \in Cxid,
          version \in Zxid, voters \in Members : SendReconfig(i, j, link, number, zxid, session, cxid, version, voters)
    \/ \E i \in Server, m \in messages : HandleAck(i, m)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid :
            SendCommit(i, j, link, number, zxid)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid, leader \in Peer :
            SendCommitAndActivate(i, j, link, number, zxid, leader)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid, session \in Session, cxid \in Cxid,
          operation \in Operation : SendInform(i, j, link, number, zxid, session, cxid, operation)
    \/ \E i \in Server, j \in Server, link \in Link, number \in Number, zxid \in Zxid, session \in Session, cxid \in Cxid,
          version \in Zxid, voters \in Members, leader \in Peer :
            SendInformAndActivate(i, j, link, number, zxid, session, cxid, version, voters, leader)
    \/ \E i \in Server, m \in messages : HandleConnect(i, m)
    \/ \E i \in Server, j \in AnyClient, link \in Link, session \in Session, asked \in Session :
            SendConnected(i, j, link, session, asked)
    \/ \E i \in Server, j \in AnyClient, link \in Link, session \in Session, cxid \in Cxid, zxid \in Zxid,
          writes \in BOOLEAN : SendReply(i, j, link, session, cxid, zxid, writes)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* For watching: nothing is bounded. *)

AnyNumber == Nat
AnyEpoch == Int
AnyInteger == Int
AnyPeer == STRING
AnyMembers == SUBSET Server
Everybody == {Server}

-----------------------------------------------------------------------------
(* What must hold *)

Leading(i) == lead[i].established /\ lead[i].epoch = accepted[i]
Newest(i) == Leading(i) /\ \A k \in Server : accepted[k] <= lead[i].epoch
EntryAt(l, zxid) == l.entries[Place(l, zxid)]
ZxidsIn(l) == {l.entries[k].zxid : k \in DOMAIN l.entries}

\* An epoch has one leader.
ElectionSafety ==
    \A i, j \in Server : lead[i].established /\ lead[j].established /\ lead[i].epoch = lead[j].epoch => i = j

\* A zxid is one transaction, and comes after the same ones everywhere.
LogMatching ==
    \A i, j \in Server : \A zxid \in ZxidsIn(log[i]) \cap ZxidsIn(log[j]) :
        /\ EntryAt(log[i], zxid) = EntryAt(log[j], zxid)
        /\ \A earlier \in ZxidsIn(log[i]) : earlier < zxid => Has(log[j], earlier)

\* What one knows to be committed, no other knows otherwise.
Consistency ==
    \A i, j \in Server : \A zxid \in ZxidsIn(log[i]) : zxid <= Min(commit[i], commit[j]) => Has(log[j], zxid)

\* Whoever leads the newest epoch has all that anybody knows to be committed, and all that clients were told.
LeaderCompleteness ==
    \A i, j \in Server : Newest(i) => \A zxid \in ZxidsIn(log[j]) : zxid <= commit[j] => Has(log[i], zxid)
AnswersHold ==
    \A i \in Server : \A m \in messages :
        Newest(i) /\ m.kind = "Reply" /\ m.zxid % Wrap # 0 => Has(log[i], m.zxid)

Shape ==
    \A i \in Server :
        /\ durable[i] <= Last(log[i])
        /\ current[i] <= accepted[i] /\ current[i] <= offered[i].current /\ accepted[i] <= offered[i].accepted
        /\ \A k \in 1 .. Len(log[i].entries) - 1 : log[i].entries[k].zxid < log[i].entries[k + 1].zxid
=============================================================================
