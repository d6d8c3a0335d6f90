"""Between TLA+ values and plain Python objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gristmill.values.atoms import Boolean, ModelValue, Value, boolean
from gristmill.values.construct import make_function, make_set, make_tuple
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.lazy import LAZY_TYPES, LazySet
from gristmill.values.sets import normalize
from gristmill.values.world import current


def to_python(value: Value) -> Any:
    """int, bool, str, ModelValue, frozenset, tuple, dict.

    Inside a set and as an argument of a function, functions and records stay hashable: they are dicts that do not
    change.
    """
    return _convert(value, dict)


def _convert(value: Value, table: Callable[[Any], Any]) -> Any:
    if type(value) in LAZY_TYPES:
        value = normalize(value)
    if type(value) is Boolean:
        return value.truth
    if type(value) is tuple:
        return tuple(_convert(each, table) for each in value)
    if type(value) is frozenset:
        return frozenset(_convert(each, Fn) for each in value)
    if type(value) is Fn:
        return table((_convert(key, Fn), _convert(each, table)) for key, each in value.items())
    return value


def _spelling(thing: Any) -> str:
    """An order for the elements of a set that is the same in every run: strings are ordered by first appearance."""
    if isinstance(thing, set | frozenset):
        return f"{{{sorted(map(_spelling, thing))}}}"
    return thing if isinstance(thing, str) else repr(thing)


def from_python(thing: Any) -> Value:
    """A TLA+ value of Python objects: bool, int, str, sets, lists and tuples, dicts, and values themselves."""
    if isinstance(thing, bool):
        return boolean(thing)
    if isinstance(thing, str):
        current().register(text := str(thing))
        return text
    if isinstance(thing, int):
        return int(thing)
    if isinstance(thing, ModelValue):
        current().register(thing.name)
        return thing
    if isinstance(thing, Boolean | LazySet):
        return thing
    if isinstance(thing, set | frozenset):
        return make_set(map(from_python, sorted(thing, key=_spelling)))
    if isinstance(thing, list | tuple | range):
        return make_tuple(map(from_python, thing))
    if isinstance(thing, Mapping):
        return make_function((from_python(key), from_python(value)) for key, value in thing.items())
    raise EvaluationError(
        "no-tla-value", f"a Python {type(thing).__name__} has no counterpart in TLA+: {{thing}}", thing=thing
    )
