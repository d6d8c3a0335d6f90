"""The nodes of the graph of what flows where, and what is known of types."""

from __future__ import annotations

import ast
from typing import Any

from gristmill.explore.data import Frozen

Node = tuple[Any, ...]  # ("field", name), ("local", owner, method, name), ("result", …), ("reached", …), SINK
SINK: Node = ("what matters",)
ANY_FIELD: Node = ("every field",)

# What is known of the type of an expression; None is nothing.
Kind = str | None

NUMBER, TEXT = "number", "text"
_KINDS: dict[type, str] = {
    bool: NUMBER,
    int: NUMBER,
    float: NUMBER,
    str: TEXT,
    bytes: "bytes",
    list: "list",
    tuple: "tuple",
    set: "set",
    frozenset: "frozenset",
    dict: "dict",
    type(None): "none",
}
SIZED = ITERABLE = frozenset({TEXT, "bytes", "list", "tuple", "set", "frozenset", "dict", "view"})
# A tuple may hold a list.
HASHABLE = frozenset({NUMBER, TEXT, "bytes", "none"})
SETS = frozenset({"set", "frozenset"})

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult)
_BITS = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)


def kind_of_value(value: object) -> Kind:
    return _KINDS.get(type(value))


def kind_of_frozen(value: Frozen) -> Kind:
    """Of a value as states hold it."""
    if type(value) is not tuple:
        return kind_of_value(value)
    if value[0] in ("bool", "float"):
        return NUMBER
    return value[0] if value[0] in ITERABLE else None


def kind_of_result(left: Kind, op: ast.operator, right: Kind) -> Kind:
    """The kind of `left op right`, if it never raises."""
    if left == right == NUMBER and isinstance(op, _ARITHMETIC):
        return NUMBER  # bits are left out: there are none in floats
    if left == right and left in (TEXT, "bytes", "list", "tuple") and isinstance(op, ast.Add):
        return left
    if left in SETS and right in SETS and isinstance(op, _BITS):
        return left
    return None
