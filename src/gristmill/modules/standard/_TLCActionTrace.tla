---- MODULE _TLCActionTrace ----
\* Writes the counterexample to a file as a module whose action constraint repeats its actions.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Sequences
LOCAL INSTANCE IOUtils
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE FiniteSetsExt

CONSTANT _TLCTraceFile

\* There is a counterexample, and the user wants to see it.
LOCAL Wanted ==
    /\ CounterExample.action # {}
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

\* How the action is called, with the values of its parameters.
LOCAL Call(action) ==
    LET values == [i \in DOMAIN action.parameters |-> ToString(action.context[action.parameters[i]])]
        append(text, v) == IF text = "" THEN v ELSE text \o ", " \o v
    IN IF "parameters" \in DOMAIN action
       THEN action.name \o "(" \o FoldLeft(append, "", values) \o ")"
       ELSE action.name

LOCAL Step(a) == "\\/ " \o ToString(a[1][1]) \o " = _idx /\\ " \o Call(a[2])

LOCAL Text ==
    Opening
    \o "_length == " \o ToString(Cardinality(CounterExample.action)) \o "\n\n"
    \o "_next(_idx) ==\n" \o Joined(Step, "\n", CounterExample.action) \o "\n\n"
    \o "_actionConstraint ==\n_next(LET T == INSTANCE TLC IN T!TLCGet(\"level\"))\n\n===="

\* TRUE once the counterexample, if any, is written.
_TLCTrace ==
    Wanted =>
        LET overwrite == <<"WRITE", "CREATE", "TRUNCATE_EXISTING">>
            how == [format |-> "TXT", charset |-> "UTF-8", openOptions |-> overwrite]
        IN /\ Serialize(Text, _TLCTraceFile, how).exitValue = 0
           /\ PrintT("CounterExample written: " \o _TLCTraceFile)
====
