"""What sort of thing a value is."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from gristmill.values.atoms import Boolean, ModelValue, Value
from gristmill.values.function import Fn
from gristmill.values.lazy import LAZY_TYPES, LazySet

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_SET_TYPES = LAZY_TYPES | {frozenset}


def is_set(value: Value) -> TypeIs[frozenset[Value] | LazySet]:
    return type(value) in _SET_TYPES


def is_lazy(value: Value) -> TypeIs[LazySet]:
    return type(value) in LAZY_TYPES


def is_function(value: Value) -> TypeIs[tuple[Value, ...] | Fn]:
    return type(value) is tuple or type(value) is Fn


def is_record(value: Value) -> TypeGuard[Fn]:
    """A function on strings. Domains hold comparable things, so one key speaks for all, but for model values."""
    return type(value) is Fn and all(type(key) is str for key in value)


def kind(value: Value) -> str:
    """With its article, for messages."""
    found = KINDS.get(type(value))
    if found is not None:
        return found
    if type(value) is Fn:
        return "a record" if is_record(value) else "a function"
    return "a set" if is_set(value) else f"a Python {type(value).__name__}"


KINDS: dict[type, str] = {
    int: "an integer",
    str: "a string",
    Boolean: "a Boolean",
    ModelValue: "a model value",
    frozenset: "a set",
    tuple: "a sequence",
}
