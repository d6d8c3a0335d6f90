-------------------------- MODULE RaftMessagesJoint --------------------------
(* RaftMessagesBounded with several members that change at once, by a joint configuration. It begins when s1 leads. Only *)
(* votes and entries are sent, as a snapshot does not tell of joint configurations here.                                 *)
EXTENDS RaftMessagesBounded

CONSTANTS Targets,     \* sets of servers that are to have a vote
          Campaigners  \* those that want to lead

There == UNION Founders

\* The members, and what a leader may append: entries of clients, and changes of several members.
SomeEntries ==
    {[term |-> newer, data |-> data, asks |-> data, change |-> "none", member |-> Nobody] :
        newer \in Terms \ {0}, data \in Data}
    \cup {[term |-> newer, data |-> 1, asks |-> 0, change |-> "enter", member |-> target] :
        newer \in Terms \ {0}, target \in Targets}
    \cup {[term |-> newer, data |-> 1, asks |-> 0, change |-> "leave", member |-> Nobody] : newer \in Terms \ {0}}

InitLeading ==
    LET entries(i) == IF i \in There THEN <<First(1)>> ELSE <<>>
        known(i) == Len(entries(i))
    IN  /\ messages = {}
        /\ term = [i \in Server |-> known(i)]
        /\ vote = [i \in Server |-> IF i \in There THEN "s1" ELSE Nobody]
        /\ role = [i \in Server |-> IF i = "s1" THEN "Leader" ELSE "Follower"]
        /\ votes = [i \in Server |-> {}]
        /\ log = [i \in Server |-> [base |-> 0, baseTerm |-> 0, entries |-> entries(i),
                                    confs |-> <<Conf(0, IF i \in There THEN There ELSE {})>>]]
        /\ commit = [i \in Server |-> known(i)]
        /\ durable = [i \in Server |-> known(i)]
        /\ match = [i \in Server |-> [j \in Server |-> IF i = "s1" THEN known(j) ELSE 0]]
        /\ told = [i \in Server |-> 0]
        /\ reads = [i \in Server |-> <<>>]
        /\ sent = [i \in Server |-> 0]
        /\ round = [i \in Server |-> [number |-> 0, tokens |-> <<>>]]
        /\ writes = [i \in Server |-> {}]
        /\ gets = [i \in Server |-> {}]

NextJoint ==
    \/ \E i \in Campaigners : Campaign(i)
    \/ \E i \in Server : SendsSomething(i, {0})
    \/ \E i \in Server, m \in messages :
        HandleVote(i, m) \/ HandleVoteResp(i, m) \/ HandleAppend(i, m) \/ HandleAppendResp(i, m)

\* Answers that say no matter for progress only; nothing is sent that everybody knows from the beginning.
Brief ==
    \A m \in messages :
        /\ m.kind = "MsgVoteResp" => m.granted
        /\ m.kind = "MsgApp" => m.prev >= 1 /\ (m.entries # <<>> \/ m.commit > 1)
        /\ m.kind = "MsgAppResp" => ~m.reject
=============================================================================
