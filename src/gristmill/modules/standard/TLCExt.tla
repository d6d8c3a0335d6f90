---- MODULE TLCExt ----
\* Further services of a model checker.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

\* a = b; the tool prints both when they differ.
AssertEq(a, b) ==
    IF a = b THEN TRUE
    ELSE PrintT("Assertion failed") /\ PrintT(a) /\ PrintT(b) /\ FALSE

\* Evaluating exp fails with the message err; TRUE also when it does not fail.
AssertError(err, exp) ==
    LET failed == CHOOSE b \in BOOLEAN : TRUE
        message == CHOOSE m \in STRING : TRUE
    IN failed => Assert(message = err, message)

\* The value of the register key, or defaultVal when it was never set.
TLCGetOrDefault(key, defaultVal) == CHOOSE v : TRUE

\* The value of the register key before it is set to Op of that value and val.
TLCGetAndSet(key, Op(_, _), val, defaultVal) ==
    LET old == TLCGetOrDefault(key, defaultVal)
    IN IF TLCSet(key, Op(old, val)) THEN old ELSE Any

\* The sequence of states, as records, up to the current one.
Trace == CHOOSE t : TRUE

\* The graph of the violating behaviour: a record of its states and its actions.
CounterExample == CHOOSE c : TRUE

\* The states of the counterexample CE as a sequence.
ToTrace(CE) == CHOOSE t : TRUE

\* The model value whose name is str.
TLCModelValue(str) == CHOOSE v : str = ToString(v)

\* TRUE; the tool evaluates expression only once the state is in the trace.
TLCDefer(expression) == TRUE

\* val; a place for a debugger to stop.
TLCNoOp(val) == val

\* Whether to follow a step that satisfies exp or else what the user answers.
PickSuccessor(exp) == IF exp THEN TRUE ELSE CHOOSE b \in BOOLEAN : TRUE

\* expression; the tool remembers its value for equal values of closure.
TLCCache(expression, closure) == expression

\* The fingerprint of the value of var.
TLCFP(var) == CHOOSE i \in Int : TRUE

\* The value of the definition of that name.
TLCEvalDefinition(definitionName) == CHOOSE v : TRUE
====
