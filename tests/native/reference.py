"""What the runtime is compared with: gristmill.values, and where the runtime may refuse what these answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from gristmill.native.codec import LARGEST
from gristmill.values import (
    EvaluationError,
    Fn,
    ModelValue,
    Value,
    add,
    append,
    apply,
    at_most,
    big_union,
    boolean,
    cardinality,
    check_storable,
    compare,
    concat,
    contains,
    difference,
    divide,
    domain,
    elements,
    enumerate_set,
    equal,
    except_at,
    explicit,
    head,
    intersect,
    interval,
    is_empty,
    is_enumerable,
    is_finite,
    is_lazy,
    is_record,
    is_set,
    kind,
    length,
    less,
    make_set,
    make_tuple,
    merge,
    modulo,
    multiply,
    negate,
    normalize,
    ordered,
    power,
    select,
    single,
    subseq,
    subset_of,
    subtract,
    tabulate,
    tail,
    union,
)
from gristmill.values.lazy import PowerSet

MOST = 5000  # elements that the harness goes through


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _selected(function: Value, argument: Value) -> Value:
    found = select(function, argument)
    return () if found is None else (found,)


def _changed(function: Value, argument: Value, value: Value) -> Value:
    outside: list[Value] = []
    result = except_at(function, argument, value, lambda *_: outside.append(True))
    return (result, boolean(bool(outside)))


def _kept(value: Value) -> Value:
    result = normalize(value)
    check_storable(result)
    return result


def _lazy_apply(collection: Value, argument: Value) -> Value:
    if not is_set(collection) or not contains(collection, normalize(argument)):
        raise EvaluationError("not-in-domain", "")
    return normalize(argument)


def _power_set(base: Value) -> Value:
    if not is_set(base):
        raise EvaluationError("not-a-set", "")  # the evaluator says so when it is used
    return PowerSet(base)


def _truth(question: Callable[..., bool]) -> Callable[..., Value]:
    return lambda *arguments: boolean(question(*arguments))


OPERATIONS: dict[str, Callable[..., Value]] = {
    "same": lambda value: value,
    "pack": _kept,
    "equal": _truth(equal),
    "compare": lambda a, b: _sign(compare(a, b)),
    "contains": _truth(contains),
    "make_tuple": lambda *items: make_tuple(items),
    "make_set": lambda *items: make_set(items),
    "tabulate": lambda collection: tabulate(collection, lambda argument: argument),
    "lazy_apply": _lazy_apply,
    "explicit": explicit,
    "subset_of": _truth(subset_of),
    "union": union,
    "intersect": intersect,
    "difference": difference,
    "big_union": big_union,
    "cardinality": cardinality,
    "is_finite": _truth(is_finite),
    "is_empty": _truth(is_empty),
    "is_enumerable": _truth(is_enumerable),
    "enumerate_set": lambda collection: tuple(islice(enumerate_set(collection), MOST)),
    "elements": lambda collection: tuple(islice(elements(collection), MOST)),
    "power_set": _power_set,
    "interval": interval,
    "apply": apply,
    "field": apply,
    "domain": domain,
    "select": _selected,
    "except_at": _changed,
    "merge": merge,
    "single": single,
    "length": length,
    "append": append,
    "concat": concat,
    "head": head,
    "tail": tail,
    "subseq": subseq,
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "modulo": modulo,
    "power": power,
    "negate": negate,
    "less": _truth(less),
    "at_most": _truth(at_most),
}

# --- where the runtime may refuse ------------------------------------------------------------------------------------


def may_refuse(name: str, arguments: tuple[Value, ...], result: Value) -> bool:
    """The runtime need not answer here; the reference evaluator then does. The list is in runtime/values/value.h."""
    values = [*arguments, result]
    return (
        any(map(_is_too_large, _all_parts(values)))
        or (name in ("length", "concat", "tail", "subseq") and type(arguments[0]) is str)
        or any(map(_is_infinite, _all_parts(values)))
        or any(type(part) is ModelValue and part.type for part in _all_parts(values))
        or len(set(filter(None, map(_family, _all_parts(values))))) > 1
        or any(map(_cannot_be_sorted, _all_parts(values)))
    )


def _all_parts(values: Any) -> Iterator[Value]:
    for value in values:
        yield value
        if type(value) is Fn:
            yield from _all_parts(value)
            yield from _all_parts(value.values())
        elif type(value) in (tuple, frozenset):
            yield from _all_parts(value)
        elif is_lazy(value):
            yield from _all_parts(value._key())
            with suppress(EvaluationError):
                yield from _all_parts(islice(elements(value), MOST))


def _is_too_large(value: Value) -> bool:
    return type(value) is int and not -LARGEST - 1 <= value <= LARGEST


def _is_infinite(value: Value) -> bool:
    try:
        return is_lazy(value) and not is_enumerable(value)
    except EvaluationError:
        return True  # nobody can tell


def _family(value: Value) -> str | None:
    """Functions of two families have no order in the runtime."""
    if type(value) is tuple:
        return "sequence" if value else None
    if type(value) is not Fn:
        return None
    if is_record(value):
        return "record"
    return "on model values" if type(next(iter(value))) is ModelValue else "sequence"


def _cannot_be_sorted(value: Value) -> bool:
    try:
        if is_set(value):
            ordered(explicit(value))
    except EvaluationError:
        return True
    return False


def outcome(compute: Callable[..., Value], *arguments: Value) -> tuple[bool, Value]:
    """Whether there is a value, and it."""
    try:
        return True, compute(*arguments)
    except EvaluationError:
        return False, None


def same(a: Value, b: Value) -> bool:
    """Values, or sets described in the same way."""
    if kind(a) != kind(b):
        return False
    with suppress(EvaluationError):
        a, b = normalize(a), normalize(b)
    return bool(a == b)
