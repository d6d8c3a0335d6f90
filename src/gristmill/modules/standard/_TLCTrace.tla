---- MODULE _TLCTrace ----
\* Writes the counterexample to a file in the tool's own format.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Sequences

CONSTANTS _TLCTraceFile, _TLCTraceInputFile

\* TRUE; the tool writes val to the file.
LOCAL _TLCTraceSerialize(val, absoluteFilename) == TRUE

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.state # {}
    /\ "console" \in DOMAIN CounterExample => CounterExample["console"] # FALSE

LOCAL Variables == UNION {DOMAIN pair[2] : pair \in CounterExample.state}

\* TRUE once the counterexample, if any, is written.
_TLCTrace ==
    Wanted =>
        /\ _TLCTraceSerialize([counterexample |-> CounterExample, vars |-> Variables], _TLCTraceFile)
        /\ PrintT("CounterExample written: " \o _TLCTraceFile)
====
