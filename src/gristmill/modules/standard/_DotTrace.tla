---- MODULE _DotTrace ----
\* Writes the counterexample to a file as a graph in the DOT language.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Sequences
LOCAL INSTANCE IOUtils
LOCAL INSTANCE GraphViz
LOCAL INSTANCE Functions

CONSTANT _DotTraceFile

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.state # {}
    /\ "console" \in DOMAIN CounterExample => CounterExample["console"] # FALSE

\* A state is labelled with the values of its variables, an edge with the name of its action.
LOCAL Text ==
    LET graph == [node |-> CounterExample.state,
                  edge |-> {<<a[1], a[3], a[2]>> : a \in CounterExample.action}]
        line(value, below) == ToString(value) \o "\n" \o below
    IN DotDiGraph(graph, LAMBDA n : FoldFunctionOnSet(line, "", n[2], DOMAIN n[2]), LAMBDA e : e[3].name)

\* TRUE once the counterexample, if any, is written.
_DotTrace ==
    Wanted =>
        LET overwrite == <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>
            how == [format |-> "TXT", charset |-> "UTF-8", openOptions |-> overwrite]
        IN /\ Serialize(Text, _DotTraceFile, how).exitValue = 0
           /\ PrintT("CounterExample written: " \o _DotTraceFile)
====
