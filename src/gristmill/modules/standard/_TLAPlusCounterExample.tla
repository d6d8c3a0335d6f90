---- MODULE _TLAPlusCounterExample ----
\* Writes the counterexample to a file as a module that defines its graph.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Sequences
LOCAL INSTANCE IOUtils
LOCAL INSTANCE SequencesExt

CONSTANT _TLAPlusCounterExampleFile

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.state # {}
    /\ "console" \in DOMAIN CounterExample => CounterExample["console"] # FALSE

\* The name of the module in the file.
LOCAL ModuleName == ReplaceFirstSubSeq("", ".tla", _TLAPlusCounterExampleFile)

LOCAL Text ==
    "---- MODULE " \o ModuleName \o " ----\nLOCAL INSTANCE TLC\n\nCounterExample ==\n\t"
    \o ToString(CounterExample) \o "\n\n===="

\* TRUE once the counterexample, if any, is written.
_TLAPlusCounterExample ==
    Wanted =>
        LET overwrite == <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>
            how == [format |-> "TXT", charset |-> "UTF-8", openOptions |-> overwrite]
        IN /\ Serialize(Text, _TLAPlusCounterExampleFile, how).exitValue = 0
           /\ PrintT("CounterExample written: " \o _TLAPlusCounterExampleFile)
====
