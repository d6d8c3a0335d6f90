---- MODULE _TLCTESpec ----
\* Writes the counterexample to a file as a specification that has it as its only behaviour.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Sequences
LOCAL INSTANCE IOUtils
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSetsExt

CONSTANT _TLCTraceFile

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.state # {}
    /\ "console" \in DOMAIN CounterExample => CounterExample["console"] # FALSE

\* The name of the module in the file.
LOCAL ModuleName == ReplaceFirstSubSeq("", ".tla", _TLCTraceFile)

\* The strings Item(x), x in S, with separators.
LOCAL Joined(Item(_), separator, S) ==
    FoldSet(LAMBDA x, text : text \o (IF text = "" THEN "" ELSE separator) \o Item(x), "", S)

\* The modules that define the actions taken.
LOCAL Origins == {a[2].location.module : a \in CounterExample.action}

LOCAL Opening ==
    "---- MODULE " \o ModuleName \o " ----\n"
    \o (IF Origins = {} THEN "" ELSE "EXTENDS " \o Joined(LAMBDA m : m, ", ", Origins)) \o "\n\n"

LOCAL Variables == UNION {DOMAIN pair[2] : pair \in CounterExample.state}

LOCAL Tuple == "<<" \o Joined(LAMBDA v : v, ", ", Variables) \o ">>"

\* Every variable, with the mark of its state, has its value at the position i of the trace.
LOCAL At(mark, i) ==
    Joined(LAMBDA v : "/\\ " \o v \o mark \o " = Trace[" \o i \o "]." \o v, "\n", Variables) \o "\n"

LOCAL Text ==
    Opening
    \o "LOCAL INSTANCE TLC\n\nTrace ==\n\t" \o ToString(ToTrace(CounterExample)) \o "\n\n"
    \o "_init ==\n" \o At("", "1") \o "\n"
    \o "_next ==\n\\E i, j \\in DOMAIN Trace :\n/\\ i = TLCGet(\"level\")\n/\\ j = i + 1\n"
    \o At("", "i") \o At("'", "j") \o "\n"
    \o "_terminating ==\n\tUNCHANGED " \o Tuple \o "\n\n"
    \o "_spec ==\n\t_init /\\ [][_next \\/ _terminating]_" \o Tuple \o "\n\n===="

\* TRUE once the counterexample, if any, is written.
_TLCTrace ==
    Wanted =>
        LET overwrite == <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>
            how == [format |-> "TXT", charset |-> "UTF-8", openOptions |-> overwrite]
        IN /\ Serialize(Text, _TLCTraceFile, how).exitValue = 0
           /\ PrintT("CounterExample written: " \o _TLCTraceFile)
====
