"""The modules TLC and TLCExt: output, registers, assertions, and what a model checker knows about itself."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from itertools import permutations
from operator import itemgetter

from gristmill.evaluate.context import Context
from gristmill.evaluate.primitives.arguments import integer, listed, sequence, string, truth, wrong
from gristmill.evaluate.primitives.expected_errors import is_expected
from gristmill.evaluate.primitives.registry import primitive
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

primitive("TLC!:>", cheap=True)(single)
primitive("TLC!@@", cheap=True)(merge)


@primitive("TLC!Any", cheap=True)
def any_() -> Value:
    return ANY


@primitive("TLC!Print", context=True, effects="once")
def print_(context: Context, out: Value, value: Value) -> Value:
    context.output(f"{pretty(evaluated(out))}  {pretty(evaluated(value))}")
    return value


@primitive("TLC!PrintT", context=True, effects="once", boolean=True)
def print_true(context: Context, out: Value) -> bool:
    context.output(pretty(evaluated(out)))
    return True


@primitive("TLC!Assert", boolean=True)
def assert_(condition: Value, message: Value) -> bool:
    if condition is not TRUE:
        raise EvaluationError("assert", "the assertion is false: {message}", message=message)
    return True


@primitive("TLC!JavaTime", effects="always")
def java_time() -> Value:
    return int(time.time()) & 0x7FFFFFFF


@primitive("TLC!ToString")
def to_string(value: Value) -> Value:
    return _new_string(show(evaluated(value)))


def _new_string(text: str) -> str:
    current().register(text)
    return text


@primitive("TLC!TLCEval")
def tlc_eval(value: Value) -> Value:
    return normalize(value)


@primitive("TLC!Permutations")
def permutations_of(collection: Value) -> Value:
    elements = ordered(listed(collection, "Permutations"))
    return frozenset(make_function(zip(elements, values, strict=True)) for values in permutations(elements))


@primitive("TLC!SortSeq")
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


@primitive("TLC!TLCGet", context=True, effects="always")
def tlc_get(context: Context, key: Value) -> Value:
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


@primitive("TLC!TLCGet'", context=True, effects="always")
def tlc_get_next(context: Context, key: Value) -> Value:
    """`TLCGet("level")'` is the level of the next state; whatever else there is to get does not depend on the state."""
    value = tlc_get(context, key)
    return integer(value, "TLCGet") + 1 if key == "level" else value


def _all_registers(context: Context, kind: type) -> Value:
    """Of each register the values of all workers, of which there is one."""
    return make_function((key, (value,)) for key, value in context.registers.items() if type(key) is kind)


@primitive("TLC!TLCSet", context=True, effects="always", boolean=True)
def tlc_set(context: Context, key: Value, value: Value) -> bool:
    if _register(key):
        context.registers[key] = normalize(value)
    elif type(key) is str and key in ("exit", "pause"):
        context.request(key, value)
    else:
        wrong("TLCSet", 'a natural number, a name that begins with "s:", or "exit"', key)
    return True


@primitive("TLCExt!TLCGetOrDefault", context=True, effects="always")
def tlc_get_or_default(context: Context, key: Value, default: Value) -> Value:
    return context.registers.get(key, default) if _register(key) else default


@primitive("TLCExt!TLCGetAndSet", context=True, effects="always")
def tlc_get_and_set(
    context: Context, key: Value, operator: Callable[[Value, Value], Value], value: Value, default: Value
) -> Value:
    old = tlc_get_or_default(context, key, default)
    tlc_set(context, key, operator(old, value))
    return old


# --- TLCExt ----------------------------------------------------------------------------------------------------------


@primitive("TLCExt!AssertError", lazy=(1,), boolean=True, effects="once")
def assert_error(message: Value, expression: Callable[[], Value]) -> bool:
    """Whether evaluating fails, and as it is expected to."""
    expected = string(message, "AssertError")
    try:
        expression()
    except EvaluationError as error:
        return is_expected(error, expected)
    return False


@primitive("TLCExt!Trace", context=True, effects="always")
def trace(context: Context) -> Value:
    names = context.variable_names
    return tuple(make_record(dict(zip(names, state, strict=True))) for state in context.trace())


@primitive("TLCExt!CounterExample", context=True, effects="always")
def counterexample(context: Context) -> Value:
    return context.counterexample()


@primitive("TLCExt!ToTrace")
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


@primitive("TLCExt!TLCModelValue")
def model_value(name: Value) -> Value:
    return ModelValue(_new_string(string(name, "TLCModelValue")))


@primitive("TLCExt!TLCDefer", context=True, lazy=(0,), boolean=True, effects="always")
def defer(context: Context, expression: Callable[[], Value]) -> bool:
    """Meant for output once a simulation has chosen a state; what is left out here is only that output."""
    context.warn_once("not-deferred", "what TLCDefer is given is not evaluated, here or later", None)
    return True


@primitive("TLCExt!TLCNoOp")
def no_operation(value: Value) -> Value:
    return value


@primitive("TLCExt!TLCCache", lazy=(1,))
def cache(value: Value, closure: Callable[[], Value]) -> Value:
    return value


@primitive("TLCExt!TLCFP")
def fingerprint(value: Value) -> Value:
    """Not TLC's number, but as good: equal for equal values, and a 32-bit integer."""
    return zlib.crc32(show(normalize(value)).encode()) - (1 << 31)


@primitive("TLCExt!PickSuccessor", lazy=(0,), boolean=True, effects="always")
def pick_successor(expression: Callable[[], Value]) -> bool:
    if not truth(expression()):
        raise EvaluationError("interactive", "PickSuccessor asks a person, and there is none to ask")
    return True


@primitive("TLCExt!TLCEvalDefinition", context=True, effects="always")
def evaluate_definition(context: Context, name: Value) -> Value:
    return context.definition(string(name, "TLCEvalDefinition"))
