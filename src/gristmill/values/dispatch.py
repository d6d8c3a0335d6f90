"""Tables that choose a function by the type of a value, checked when they are written.

Such a table is a plain dict, looked up with `table[type(value)]`: nothing is faster. Python's types cannot say that the
entry of a type takes values of that type, so the entries take Any; `case` compares the two before it lets go of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Concatenate, ParamSpec, TypeVar

T = TypeVar("T")
U = TypeVar("U")
R = TypeVar("R")
P = ParamSpec("P")


def case(kind: type[T], handler: Callable[Concatenate[T, P], R]) -> tuple[type, Callable[Concatenate[Any, P], R]]:
    """An entry: values of this type are given to this function as its first argument."""
    return kind, handler


def cases(
    kinds: Iterable[type[T]], handler: Callable[Concatenate[T, P], R]
) -> list[tuple[type, Callable[Concatenate[Any, P], R]]]:
    """An entry for each of the types."""
    return [case(kind, handler) for kind in kinds]


def both(kind: type[T], handler: Callable[[T, T], R]) -> tuple[type, Callable[[Any, Any], R]]:
    """An entry for two values of one type."""
    return kind, handler


def pair(
    first: type[T], second: type[U], handler: Callable[[T, U], R]
) -> tuple[tuple[type, type], Callable[[Any, Any], R]]:
    """An entry for a value of one type and a value of another."""
    return (first, second), handler
