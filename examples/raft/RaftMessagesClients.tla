------------------------- MODULE RaftMessagesClients -------------------------
(* RaftMessagesBounded with clients, who ask something once each: whoever reads is not told less than anybody knew when  *)
(* he asked, and what was said to be written is not lost. It begins when s1 leads. Nobody restarts.                      *)
EXTENDS RaftMessagesBounded

CONSTANTS Writes, Reads,  \* numbers of what is asked
          Asked,          \* the servers that are asked
          Campaigners,    \* those that want to lead
          Beats, Numbers  \* tokens of heartbeats, and numbers of entries: reads are confirmed by one or the other

VARIABLE floor  \* of reads: the highest index that any server knew to be committed when it was asked; -1 before

AllVars == <<vars, floor>>
Highest == CHOOSE index \in {commit[i] : i \in Server} : \A i \in Server : commit[i] <= index
SomeId == Writes \cup Reads

There == UNION Founders
InitLeading ==
    /\ messages = {}
    /\ term = [i \in Server |-> IF i \in There THEN 1 ELSE 0]
    /\ vote = [i \in Server |-> IF i \in There THEN "s1" ELSE Nobody]
    /\ role = [i \in Server |-> IF i = "s1" THEN "Leader" ELSE "Follower"]
    /\ votes = [i \in Server |-> {}]
    /\ log = [i \in Server |-> [base |-> 0, baseTerm |-> 0, entries |-> IF i \in There THEN <<First(1)>> ELSE <<>>,
                                confs |-> <<Conf(0, IF i \in There THEN There ELSE {})>>]]
    /\ commit = [i \in Server |-> IF i \in There THEN 1 ELSE 0]
    /\ durable = [i \in Server |-> IF i \in There THEN 1 ELSE 0]
    /\ match = [i \in Server |-> [j \in Server |-> IF i = "s1" /\ j \in There THEN 1 ELSE 0]]
    /\ told = [i \in Server |-> 0]
    /\ reads = [i \in Server |-> <<>>]
    /\ sent = [i \in Server |-> 0]
    /\ round = [i \in Server |-> [number |-> 0, tokens |-> <<>>]]
    /\ writes = [i \in Server |-> {}]
    /\ gets = [i \in Server |-> {}]
    /\ floor = [id \in Reads |-> -1]

IsAsked(id) == \E m \in messages : m.kind \in {"ClientWrite", "ClientRead"} /\ m.id = id

AskWrite(i, id) ==
    /\ ~IsAsked(id)
    /\ Sends({[kind |-> "ClientWrite", from |-> Client, to |-> i, id |-> id, asks |-> id]})
    /\ UNCHANGED <<election, storage, leading, round, asked, floor>>

AskRead(i, id) ==
    /\ ~IsAsked(id)
    /\ Sends({[kind |-> "ClientRead", from |-> Client, to |-> i, id |-> id]})
    /\ floor' = [floor EXCEPT ![id] = Highest]
    /\ UNCHANGED <<election, storage, leading, round, asked>>

Steps ==
    \/ \E i \in Campaigners : Campaign(i)
    \/ \E i \in Server : SendsSomething(i, {0} \cup Numbers)
    \/ \E i \in Server, j \in Server, token \in Beats : SendHeartbeat(i, j, 0, token)
    \/ \E i \in Server, m \in messages :
        \/ HandleVote(i, m) \/ HandleVoteResp(i, m) \/ HandleAppend(i, m) \/ HandleAppendResp(i, m)
        \/ HandleHeartbeat(i, m) \/ HandleHeartbeatResp(i, m) \/ HandleClientWrite(i, m) \/ HandleClientRead(i, m)
        \/ HandleReadIndex(i, m) \/ HandleReadIndexResp(i, m)
    \/ \E i \in Asked, j \in Server, token \in Beats : role[i] # "Leader" /\ ForwardRead(i, j, i, token)
    \/ \E i \in Server, j \in Asked, token \in Beats : AnswerRead(i, j, token, commit[i])
    \/ \E i \in Server, id \in Id : AnswerWrite(i, id) \/ AnswerGet(i, id)

NextAsked ==
    \/ Steps /\ UNCHANGED floor
    \/ \E i \in Asked, id \in Writes : AskWrite(i, id)
    \/ \E i \in Asked, id \in Reads : AskRead(i, id)

\* Answers that say no, and what was sent before, matter for progress only.
Brief ==
    \A m \in messages :
        /\ m.kind = "MsgVoteResp" => m.granted
        /\ m.kind = "MsgApp" => m.prev = 1 /\ m.commit # 0
        /\ m.kind = "MsgAppResp" => ~m.reject

-----------------------------------------------------------------------------
Linearizable == \A m \in messages : m.kind = "ClientReadResp" => commit[m.from] >= floor[m.id]

WritesSurvive ==
    \A m \in messages : m.kind = "ClientWriteResp" =>
        \A i \in Server : Leads(i) /\ (\A j \in Server : term[j] <= term[i]) =>
            \E k \in DOMAIN log[i].entries : log[i].entries[k].asks = m.id
=============================================================================
