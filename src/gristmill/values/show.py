"""Values as text that TLA+ reads back, printed as TLC prints them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from gristmill.values.atoms import Boolean, ModelValue, Value
from gristmill.values.dispatch import case
from gristmill.values.errors import EvaluationError, render_values_with
from gristmill.values.function import Fn
from gristmill.values.lazy import (
    AnySet,
    BigUnion,
    CrossProduct,
    Filter,
    FunctionSet,
    Interval,
    LazyDifference,
    LazyIntersection,
    LazySet,
    LazyUnion,
    NumberSet,
    PowerSet,
    RecordSet,
    SequenceSet,
    StringSet,
)
from gristmill.values.operations.sets import cardinality, counts_quickly, explicit, is_enumerable
from gristmill.values.order import ordered, sort_key

_LISTED_BELOW = 2_000  # elements, of a set of functions, records or tuples
_LISTED_SUBSETS_BELOW = 7  # elements of the base of SUBSET

_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"})
_FIELD = re.compile(r"(?!(?:WF|SF)_)(?=[0-9_]*[A-Za-z])[0-9A-Za-z_]+")


def show(value: Value) -> str:
    """On one line."""
    return _SHOW.get(type(value), repr)(value)


def shows_as_record(function: Fn) -> bool:
    """All arguments can be written as field names."""
    return all(type(key) is str and _FIELD.fullmatch(key) for key in function)


def elements_to_show(collection: frozenset[Value]) -> tuple[Value, ...]:
    """In canonical order; a set that has none must still be printed, most of all in the message that says so."""
    try:
        return ordered(collection)
    except EvaluationError:
        return tuple(sorted(collection, key=sort_key))


_MOST_BITS = 14_000  # of a number that Python writes


def _show_number(value: int) -> str:
    """Python refuses to write very large ones, which takes long."""
    if value.bit_length() <= _MOST_BITS:
        return str(value)
    return f"(a number of about {int(value.bit_length() * 0.30103):,} digits)"


def _show_set(value: frozenset[Value]) -> str:
    return "{" + ", ".join(map(show, elements_to_show(value))) + "}"


def _show_tuple(value: tuple[Value, ...]) -> str:
    return "<<" + ", ".join(map(show, value)) + ">>"


def _show_function(value: Fn) -> str:
    if shows_as_record(value):
        return "[" + ", ".join(f"{name} |-> {show(each)}" for name, each in value.items()) + "]"
    return "(" + " @@ ".join(f"{show(key)} :> {show(each)}" for key, each in value.items()) + ")"


def _show_string(value: str) -> str:
    return f'"{value.translate(_ESCAPES)}"'


# --- lazy sets: their elements if they are few, else what describes them ---------------------------------------------


def _show_interval(value: Interval) -> str:
    return f"{value.lo}..{value.hi}" if value.lo <= value.hi else "{}"


def _show_subsets(value: PowerSet) -> str:
    if counts_quickly(value.base) and cardinality(value.base) < _LISTED_SUBSETS_BELOW:
        return _show_set(explicit(value))
    base = show(value.base)
    return f"SUBSET ({base})" if isinstance(value.base, Interval) else f"SUBSET {base}"


_Lazy = TypeVar("_Lazy", bound=LazySet)


def _listed_if_small(describe: Callable[[_Lazy], str]) -> Callable[[_Lazy], str]:
    def show_lazy(value: _Lazy) -> str:
        if counts_quickly(value) and cardinality(value) < _LISTED_BELOW:
            return _show_set(explicit(value))
        return describe(value)

    return show_lazy


def _listed_if_possible(describe: Callable[[_Lazy], str]) -> Callable[[_Lazy], str]:
    def show_lazy(value: _Lazy) -> str:
        try:
            return _show_set(explicit(value)) if is_enumerable(value) else describe(value)
        except EvaluationError:  # in a predicate, or by the size
            return describe(value)

    return show_lazy


def _describe_records(value: RecordSet) -> str:
    return "[" + ", ".join(f"{name}: {show(values)}" for name, values in value.fields) + "]"


def _describe_filter(value: Filter) -> str:
    return f"{{x \\in {show(value.base)} : {value.text}}}"


_SHOW: dict[type, Callable[[Any], str]] = dict(
    (
        case(int, _show_number),
        case(str, _show_string),
        case(Boolean, repr),
        case(ModelValue, repr),
        case(frozenset, _show_set),
        case(tuple, _show_tuple),
        case(Fn, _show_function),
        case(Interval, _show_interval),
        case(PowerSet, _show_subsets),
        case(FunctionSet, _listed_if_small(lambda value: f"[{show(value.domain)} -> {show(value.range)}]")),
        case(RecordSet, _listed_if_small(_describe_records)),
        case(CrossProduct, _listed_if_small(lambda value: "(" + " \\X ".join(map(show, value.factors)) + ")")),
        case(SequenceSet, lambda value: f"Seq({show(value.base)})"),
        case(Filter, _listed_if_possible(_describe_filter)),
        case(LazyUnion, _listed_if_possible(lambda value: f"{show(value.left)} \\cup {show(value.right)}")),
        case(LazyIntersection, _listed_if_possible(lambda value: f"{show(value.left)} \\cap {show(value.right)}")),
        case(LazyDifference, _listed_if_possible(lambda value: f"{show(value.left)} \\ {show(value.right)}")),
        case(BigUnion, _listed_if_possible(lambda value: f"UNION({show(value.base)})")),
        case(NumberSet, repr),
        case(StringSet, repr),
        case(AnySet, repr),
    )
)

_MOST_PARTS = 5_000  # of a value in a message, of which a few lines are shown


def brief(value: Value) -> str:
    """As `show`, but what would take long to put in order and to write is counted."""
    if not isinstance(value, frozenset | tuple | Fn) or not _is_heavy(value):
        return show(value)
    if type(value) is tuple and len(value) <= _MOST_PARTS:
        return "<<" + ", ".join(map(brief, value)) + ">>"
    what = "a function with" if type(value) is Fn else "a sequence of" if type(value) is tuple else "a set of"
    return f"({what} {len(value):,} elements)"


def _is_heavy(value: Value) -> bool:
    waiting, seen = [value], 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, frozenset | tuple | Fn):
            seen += len(each)
            if seen > _MOST_PARTS:
                return True
            waiting.extend(each.values() if isinstance(each, Fn) else each)
    return False


render_values_with(brief)
