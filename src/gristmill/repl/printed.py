"""The text of a value for people: whole if it is not too long."""

from __future__ import annotations

from gristmill.values import EvaluationError, Value, is_set, pretty, show
from gristmill.values.operations.sets import cardinality, counts_quickly

_COLUMNS = 100
_MOST_ELEMENTS = 10_000  # of a set, a sequence or a function
_SOME = 10
_MOST_TEXT = 1_000_000  # characters


def printed(value: Value) -> str:
    count = _size(value)
    if count is not None and count > _MOST_ELEMENTS:
        return _part(value, count)
    text = pretty(value, _COLUMNS)
    if len(text) <= _MOST_TEXT:
        return text
    return f"{text[:_MOST_TEXT]} …\n({len(text):,} characters in all)"


def _size(value: Value) -> int | None:
    """How many elements it has, if that is soon told."""
    if isinstance(value, tuple | dict | frozenset):
        return len(value)
    try:
        return cardinality(value) if is_set(value) and counts_quickly(value) else None
    except EvaluationError:
        return None


def _part(value: Value, count: int) -> str:
    """Some of it, and how much there is."""
    if isinstance(value, tuple | frozenset):
        some = ", ".join(show(each) for _, each in zip(range(_SOME), value, strict=False))
        opening, closing = ("<<", ">>") if isinstance(value, tuple) else ("{", "}")
        return f"{opening}{some}, … {closing}\n({count:,} elements in all)"
    if isinstance(value, dict):
        some = " @@ ".join(f"{show(key)} :> {show(value[key])}" for _, key in zip(range(_SOME), value, strict=False))
        return f"({some} @@ …)\n({count:,} arguments in all)"
    return f"{show(value)}\n({show(count)} elements)"
