---- MODULE _JsonTrace ----
\* Writes the counterexample to a file as JSON, for the tool's option to dump a trace.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Json
LOCAL INSTANCE Sequences

CONSTANTS _JsonTraceFile, _JsonTraceInputFile

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.state # {}
    /\ "console" \in DOMAIN CounterExample => CounterExample["console"] # FALSE

LOCAL Variables == UNION {DOMAIN pair[2] : pair \in CounterExample.state}

\* TRUE once the counterexample, if any, is written.
_JsonTrace ==
    Wanted =>
        /\ JsonSerialize(_JsonTraceFile, [counterexample |-> CounterExample, vars |-> Variables])
        /\ PrintT("CounterExample written: " \o _JsonTraceFile)
====
