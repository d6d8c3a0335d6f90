"""Plain data as hashable values and back.

`freeze` tells apart what Python's equality does not (`True == 1 == 1.0`), so that merging equal states is sound.
`thaw` gives fresh objects, so that no two states share anything that a handler could change.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

# None, int, str and bytes stand for themselves. Everything else is a tuple that begins with its kind.
Frozen = Any
_PLAIN = (type(None), int, str, bytes)


class NotData(Exception):
    """A value that cannot be part of a state; the message says why, in words that follow "is" or "holds"."""


def freeze(value: object) -> Frozen:
    kind = type(value)
    if kind in _PLAIN:
        return value
    freezer = _FREEZERS.get(kind)
    if freezer is not None:
        return freezer(value)
    return _freeze_other(value)


def _freeze_float(value: float) -> Frozen:
    if value != value:
        raise NotData("a NaN, which is not equal to itself")
    return ("float", value)


def _freeze_dict(value: dict[Any, Any]) -> Frozen:
    items = [(freeze(key), freeze(element)) for key, element in value.items()]
    return ("dict", *sorted(items, key=lambda item: order_key(item[0])))


_FREEZERS: dict[type, Callable[[Any], Frozen]] = {
    bool: lambda value: ("bool", int(value)),
    float: _freeze_float,
    tuple: lambda value: ("tuple", *map(freeze, value)),
    list: lambda value: ("list", *map(freeze, value)),
    set: lambda value: ("set", frozenset(map(freeze, value))),
    frozenset: lambda value: ("frozenset", frozenset(map(freeze, value))),
    dict: _freeze_dict,
}


def _freeze_other(value: Any) -> Frozen:
    kind = type(value)
    if isinstance(value, Enum):
        return ("enum", kind, value.name)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return ("object", kind, *(freeze(getattr(value, field.name)) for field in dataclasses.fields(value)))
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return ("named", kind, *map(freeze, value))
    _require_value_semantics(value)
    return ("other", kind, value)


def _require_value_semantics(value: object) -> None:
    """Objects of other classes are taken as they are if they are compared by value, and can be copied."""
    kind = type(value)
    if isinstance(value, type):
        return
    if kind.__hash__ is None:
        raise NotData(f"a {kind.__name__}, which is not hashable")
    if kind.__hash__ is object.__hash__:
        raise NotData(f"a {kind.__name__}, which is not plain data: it is compared by identity")
    try:
        same = pickle.loads(pickle.dumps(value)) == value
    except Exception as error:
        raise NotData(f"a {kind.__name__}, which cannot be copied ({error})") from None
    if not same:
        raise NotData(f"a {kind.__name__}, a copy of which is not equal to it")


def thaw(frozen: Frozen) -> Any:
    if type(frozen) is not tuple:
        return frozen
    return _THAWERS[frozen[0]](frozen)


def _thaw_object(frozen: Frozen) -> Any:
    kind = frozen[1]
    made = object.__new__(kind)
    for field, value in zip(dataclasses.fields(kind), frozen[2:], strict=True):
        object.__setattr__(made, field.name, thaw(value))
    return made


def _elements(frozen: Frozen) -> list[Any]:
    return [thaw(element) for element in sorted(frozen[1], key=order_key)]


_THAWERS: dict[str, Callable[[Frozen], Any]] = {
    "bool": lambda frozen: bool(frozen[1]),
    "float": lambda frozen: frozen[1],
    "tuple": lambda frozen: tuple(map(thaw, frozen[1:])),
    "list": lambda frozen: list(map(thaw, frozen[1:])),
    "set": lambda frozen: set(_elements(frozen)),
    "frozenset": lambda frozen: frozenset(_elements(frozen)),
    "dict": lambda frozen: {thaw(key): thaw(value) for key, value in frozen[1:]},
    "enum": lambda frozen: frozen[1][frozen[2]],
    "object": _thaw_object,
    "named": lambda frozen: frozen[1](*map(thaw, frozen[2:])),
    "other": lambda frozen: frozen[2],
}


def order_key(frozen: Frozen) -> tuple[Any, ...]:
    """One total order of frozen values, the same in every run."""
    if type(frozen) is tuple:
        return ("~", *map(order_key, frozen))
    if type(frozen) is frozenset:
        return ("~set", *sorted(map(order_key, frozen)))
    if isinstance(frozen, type):
        return ("type", frozen.__module__, frozen.__qualname__)
    if type(frozen) in _PLAIN and frozen is not None:
        return (type(frozen).__name__, frozen)
    if type(frozen) is float:
        return ("float", frozen)
    return ("", repr(frozen))


def show(value: object) -> str:
    """As `repr`, but the same in every run: sets and dicts in one order."""
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(map(show, _ordered(value))) + "}" if value else "{}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{show(key)}: {show(value[key])}" for key in _ordered(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if type(value) is tuple:
        return "(" + ", ".join(map(show, value)) + (",)" if len(value) == 1 else ")")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (getattr(value, field.name) for field in dataclasses.fields(value))
        return f"{type(value).__name__}({', '.join(map(show, fields))})"
    return repr(value)


def _ordered(values: Iterable[Any]) -> list[Any]:
    try:
        return sorted(values, key=lambda value: order_key(freeze(value)))
    except NotData:
        return list(values)


def is_immutable(frozen: Frozen) -> bool:
    """Whether the value cannot be changed in place."""
    if type(frozen) is not tuple:
        return True
    if frozen[0] in ("list", "set", "dict", "other"):
        return False
    if frozen[0] == "frozenset":
        return all(map(is_immutable, frozen[1]))
    if frozen[0] == "object" and not frozen[1].__dataclass_params__.frozen:
        return False
    return all(map(is_immutable, frozen[1:]))


def rename(frozen: Frozen, names: dict[str, str]) -> Frozen:
    """The value with names of processes exchanged, wherever they stand in it."""
    if type(frozen) is str:
        return names.get(frozen, frozen)
    if type(frozen) is frozenset:
        return frozenset(rename(element, names) for element in frozen)
    if type(frozen) is not tuple:
        return frozen
    if frozen[0] == "dict":
        items = [(rename(key, names), rename(value, names)) for key, value in frozen[1:]]
        return ("dict", *sorted(items, key=lambda item: order_key(item[0])))
    if frozen[0] in ("enum", "other"):
        return frozen
    # The kind of a value is no name of a process, even where a process is called "list".
    return (frozen[0], *(rename(element, names) for element in frozen[1:]))
