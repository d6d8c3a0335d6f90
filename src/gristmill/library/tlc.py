"""The modules TLC and TLCExt: output, registers, assertions, and what a model checker knows about itself."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from itertools import permutations
from operator import itemgetter
from typing import Final

from gristmill.library.arguments import integer, listed, sequence, string, truth, wrong
from gristmill.library.declaration import ALIKE, CALLBACK, DOUBTFUL, EMITTED, OPERATORS, UNNAMED, Form, Operator
from gristmill.library.effects import NONE, Effect
from gristmill.library.expected_errors import is_expected
from gristmill.library.run import Run
from gristmill.values import (
    ANY,
    TRUE,
    EvaluationError,
    Fn,
    ModelValue,
    Value,
    current,
    evaluated,
    make_function,
    make_record,
    merge,
    normalize,
    ordered,
    pretty,
    show,
    single,
)

Operator("TLC", ":>", effects=NONE, equivariance=ALIKE, c="gm_single", cheap=True, form=Form.SINGLE)(single)
Operator("TLC", "@@", effects=NONE, equivariance=ALIKE, c="gm_merge", cheap=True, form=Form.MERGE)(merge)


@Operator("TLC", "Any", effects=NONE, equivariance=ALIKE, c=CALLBACK, cheap=True)
def any_() -> Value:
    return ANY


@Operator(
    "TLC",
    "Print",
    effects=Effect.PRINTS,
    equivariance=ALIKE,
    c=CALLBACK,
    context=True,
    only_shown=(0,),
    form=Form.PRINT,
)
def print_(context: Run, out: Value, value: Value) -> Value:
    context.output(f"{pretty(evaluated(out))}  {pretty(evaluated(value))}")
    return value


@Operator(UNNAMED, "Trap", effects=NONE, equivariance=DOUBTFUL, c=EMITTED, strict=(), form=Form.TRAP)
def trap() -> Value:
    raise AssertionError("native code alone has traps")


TRAP: Final[Operator] = OPERATORS[UNNAMED, "Trap"]  # in place of an operator with effects, see native/plan/traps.py


@Operator(
    "TLC",
    "PrintT",
    effects=Effect.PRINTS,
    equivariance=ALIKE,
    c=CALLBACK,
    boolean=True,
    context=True,
    only_shown=(0,),
    form=Form.PRINT_TRUE,
)
def print_true(context: Run, out: Value) -> bool:
    context.output(pretty(evaluated(out)))
    return True


@Operator(
    "TLC",
    "Assert",
    effects=NONE,
    equivariance=ALIKE,
    c=EMITTED,
    boolean=True,
    form=Form.ASSERT,
    strict=(0,),
    only_shown=(1,),
)
def assert_(condition: Value, message: Value) -> bool:
    if condition is not TRUE:
        raise EvaluationError("assert", "the assertion is false: {message}", message=message)
    return True


@Operator("TLC", "JavaTime", effects=Effect.READS_CLOCK, equivariance=DOUBTFUL, c=CALLBACK)
def java_time() -> Value:
    return int(time.time()) & 0x7FFFFFFF


@Operator("TLC", "ToString", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK, form=Form.SHOW)
def to_string(value: Value) -> Value:
    return _new_string(show(evaluated(value)))


def _new_string(text: str) -> str:
    current().register(text)
    return text


@Operator("TLC", "TLCEval", effects=NONE, equivariance=ALIKE, c=EMITTED, form=Form.EVALUATE, strict=(0,), keeps=True)
def tlc_eval(value: Value) -> Value:
    return normalize(value)


@Operator("TLC", "Permutations", effects=NONE, equivariance=ALIKE, c="gm_permutations")
def permutations_of(collection: Value) -> Value:
    elements = ordered(listed(collection, "Permutations"))
    return frozenset(make_function(zip(elements, values, strict=True)) for values in permutations(elements))


@Operator("TLC", "SortSeq", effects=NONE, equivariance=ALIKE, c="gm_sort_seq")
def sort_seq(items: Value, precedes: Callable[[Value, Value], Value]) -> Value:
    """By insertion from the left, as TLC does it: what `precedes` is asked, and in which order, can be observed."""
    result: list[Value] = []
    for item in sequence(items, "SortSeq"):
        at = len(result)
        while at and truth(precedes(item, result[at - 1])):
            at -= 1
        result.insert(at, item)
    return tuple(result)


# --- registers -------------------------------------------------------------------------------------------------------


def _register(key: Value) -> bool:
    return (type(key) is int and key >= 0) or (type(key) is str and key.startswith("s:"))


_FIXED: Final = ("config", "spec", "revision", "-D")


def is_fixed_statistic(name: str) -> bool:
    """Whether what TLCGet is asked for stays the same during a run."""
    return name.startswith(_FIXED)


@Operator(
    "TLC",
    "TLCGet",
    effects=Effect.READS_REGISTERS | Effect.ASKS_SEARCH,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    context=True,
    form=Form.STATISTIC,
)
def tlc_get(context: Run, key: Value) -> Value:
    if _register(key):
        try:
            return context.registers[key]
        except KeyError:
            raise EvaluationError("register-not-set", "TLCGet({key}): nothing has been stored there", key=key) from None
    name = string(key, "TLCGet")
    if name == "all":
        return _all_registers(context, int)
    if name == "all:named":
        return _all_registers(context, str)
    if name == "-Dtlc2.tool.impl.Tool.cdot":
        return "true"  # what TLC must be told to do, we do
    if name.startswith("-D"):
        return name  # so TLC, when a Java property is not set
    return context.statistic(name)


@Operator(
    "TLC",
    "TLCGet'",
    effects=Effect.READS_REGISTERS | Effect.ASKS_SEARCH,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    context=True,
    form=Form.NEXT_STATISTIC,
)
def tlc_get_next(context: Run, key: Value) -> Value:
    """`TLCGet("level")'` is the level of the next state; whatever else there is to get does not depend on the state."""
    value = tlc_get(context, key)
    return integer(value, "TLCGet") + 1 if key == "level" else value


def _all_registers(context: Run, kind: type) -> Value:
    """Of each register the values of all workers, of which there is one."""
    return make_function((key, (value,)) for key, value in context.registers.items() if type(key) is kind)


@Operator(
    "TLC",
    "TLCSet",
    effects=Effect.SETS_REGISTERS | Effect.STEERS_SEARCH,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    boolean=True,
    context=True,
)
def tlc_set(context: Run, key: Value, value: Value) -> bool:
    if _register(key):
        context.registers[key] = normalize(value)
    elif type(key) is str and key in ("exit", "pause"):
        context.request(key, value)
    else:
        wrong("TLCSet", 'a natural number, a name that begins with "s:", or "exit"', key)
    return True


@Operator("TLCExt", "TLCGetOrDefault", effects=Effect.READS_REGISTERS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def tlc_get_or_default(context: Run, key: Value, default: Value) -> Value:
    return context.registers.get(key, default) if _register(key) else default


@Operator(
    "TLCExt",
    "TLCGetAndSet",
    effects=Effect.READS_REGISTERS | Effect.SETS_REGISTERS | Effect.STEERS_SEARCH,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    context=True,
)
def tlc_get_and_set(
    context: Run, key: Value, operator: Callable[[Value, Value], Value], value: Value, default: Value
) -> Value:
    old = tlc_get_or_default(context, key, default)
    tlc_set(context, key, operator(old, value))
    return old


# --- TLCExt ----------------------------------------------------------------------------------------------------------


@Operator(
    "TLCExt",
    "AssertError",
    effects=Effect.CATCHES_ERRORS,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    boolean=True,
    lazy=(1,),
    strict=(0,),
)
def assert_error(message: Value, expression: Callable[[], Value]) -> bool:
    """Whether evaluating fails, and as it is expected to."""
    expected = string(message, "AssertError")
    try:
        expression()
    except EvaluationError as error:
        return is_expected(error, expected)
    return False


@Operator("TLCExt", "Trace", effects=Effect.ASKS_SEARCH, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def trace(context: Run) -> Value:
    names = context.variable_names
    return tuple(make_record(dict(zip(names, state, strict=True))) for state in context.trace())


@Operator("TLCExt", "CounterExample", effects=Effect.ASKS_SEARCH, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def counterexample(context: Run) -> Value:
    return context.counterexample()


@Operator("TLCExt", "ToTrace", effects=NONE, equivariance=DOUBTFUL, c=CALLBACK)
def to_trace(found: Value) -> Value:
    """The states of a counterexample, whose nodes are pairs of a number and a state."""
    if type(found) is not Fn or "state" not in found:
        wrong("ToTrace", "a counterexample", found)
    numbered = [_numbered(each) for each in listed(found["state"], "ToTrace")]
    return tuple(state for _, state in sorted(numbered, key=itemgetter(0)))


def _numbered(node: Value) -> tuple[int, Value]:
    if type(node) is not tuple or len(node) != 2:
        wrong("ToTrace", "a counterexample, whose states are pairs of a number and a record", node)
    return integer(node[0], "ToTrace"), node[1]


@Operator("TLCExt", "TLCModelValue", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK)
def model_value(name: Value) -> Value:
    return ModelValue(_new_string(string(name, "TLCModelValue")))


@Operator(
    "TLCExt",
    "TLCDefer",
    effects=Effect.WARNS,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    boolean=True,
    context=True,
    lazy=(0,),
    strict=(),
)
def defer(context: Run, expression: Callable[[], Value]) -> bool:
    """Meant for output once a simulation has chosen a state; what is left out here is only that output."""
    context.warn_once("not-deferred", "what TLCDefer is given is not evaluated, here or later", None)
    return True


@Operator("TLCExt", "TLCNoOp", effects=NONE, equivariance=ALIKE, c="gm_no_operation")
def no_operation(value: Value) -> Value:
    return value


@Operator(
    "TLCExt",
    "TLCCache",
    effects=NONE,
    equivariance=DOUBTFUL,  # what is kept was found for one of the permuted values
    c=CALLBACK,
    lazy=(1,),
    form=Form.CACHE,
    strict=(),
    keeps=True,
)
def cache(value: Value, closure: Callable[[], Value]) -> Value:
    return value


@Operator("TLCExt", "TLCFP", effects=NONE, equivariance=DOUBTFUL, c=CALLBACK)
def fingerprint(value: Value) -> Value:
    """Not TLC's number, but as good: equal for equal values, and a 32-bit integer."""
    return zlib.crc32(show(normalize(value)).encode()) - (1 << 31)


@Operator(
    "TLCExt",
    "PickSuccessor",
    effects=Effect.ASKS_A_PERSON,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    boolean=True,
    lazy=(0,),
    strict=(),
)
def pick_successor(expression: Callable[[], Value]) -> bool:
    if not truth(expression()):
        raise EvaluationError("interactive", "PickSuccessor asks a person, and there is none to ask")
    return True


@Operator(
    "TLCExt", "TLCEvalDefinition", effects=Effect.EVALUATES_BY_NAME, equivariance=DOUBTFUL, c=CALLBACK, context=True
)
def evaluate_definition(context: Run, name: Value) -> Value:
    return context.definition(string(name, "TLCEvalDefinition"))
