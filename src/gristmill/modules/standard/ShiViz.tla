---- MODULE ShiViz ----
\* Who acted, and the vector clocks, in an error trace of processes with program counters pc.
LOCAL INSTANCE Integers
LOCAL INSTANCE Json
LOCAL INSTANCE TLC
INSTANCE Toolbox

\* The process whose pc changed last, up to each state of the trace.
LOCAL Hosts ==
    LET host[i \in DOMAIN _TETrace] ==
            IF i = 1 THEN "--"
            ELSE LET before == _TETrace[i - 1].pc
                     after == _TETrace[i].pc
                 IN IF before = after THEN host[i - 1]
                    ELSE CHOOSE p \in DOMAIN before : before[p] # after[p]
    IN TLCEval(host)

\* The number of times each process was the host, up to each state of the trace.
LOCAL Clocks ==
    LET clock[i \in DOMAIN _TETrace] ==
            [p \in DOMAIN _TETrace[i].pc |->
                IF i = 1 THEN 0 ELSE clock[i - 1][p] + (IF p = Hosts[i] THEN 1 ELSE 0)]
    IN TLCEval(clock)

\* The process that led to the current state.
Host == Hosts[_TEPosition]

\* The vector clock of the current state as JSON.
Clock == ToJsonObject(Clocks[_TEPosition])
====
