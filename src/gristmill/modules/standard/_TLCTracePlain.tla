---- MODULE _TLCTracePlain ----
\* Writes the counterexample to a file as a module that defines the sequence of its states.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Sequences
LOCAL INSTANCE IOUtils
LOCAL INSTANCE SequencesExt

CONSTANT _TLCTraceFile

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.state # {}
    /\ "console" \in DOMAIN CounterExample => CounterExample["console"] # FALSE

\* The name of the module in the file.
LOCAL ModuleName == ReplaceFirstSubSeq("", ".tla", _TLCTraceFile)

LOCAL Text ==
    "---- MODULE " \o ModuleName \o " ----\nLOCAL INSTANCE TLC\n\nTrace ==\n\t"
    \o ToString(ToTrace(CounterExample)) \o "\n\n===="

\* TRUE once the counterexample, if any, is written.
_TLCTrace ==
    Wanted =>
        LET overwrite == <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>
            how == [format |-> "TXT", charset |-> "UTF-8", openOptions |-> overwrite]
        IN /\ Serialize(Text, _TLCTraceFile, how).exitValue = 0
           /\ PrintT("CounterExample written: " \o _TLCTraceFile)
====
