"""Operators of the library on arguments that are not all known: numbers between bounds, and what holds of any value."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.library import Form, Operator
from gristmill.watch.unknown.values import ANY, Part, Unknown, bounds, truth

_SUMS = (Form.ADD, Form.SUBTRACT)
_COUNTS = ("Len", "Cardinality")


def partly(operator: Operator, args: list[Part]) -> Part:
    rule = _FORMS.get(operator.form) if operator.form is not None else None
    if rule is not None and len(args) == 2:
        if operator.form in _SUMS and type(args[0]) is Unknown and type(args[1]) is int:
            return args[0].moved(args[1] if operator.form is Form.ADD else -args[1])
        first, second = bounds(args[0]), bounds(args[1])
        if first is not None and second is not None:
            return rule(first, second)
    if operator.name in _COUNTS:
        return len(args[0]) if type(args[0]) is tuple else Unknown(0, None)
    return ANY


Bounds = tuple[int | None, int | None]


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _minus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one - other


def _number(least: int | None, most: int | None) -> Part:
    return least if least is not None and least == most else Unknown(least, most)


def _add(a: Bounds, b: Bounds) -> Part:
    return _number(_plus(a[0], b[0]), _plus(a[1], b[1]))


def _subtract(a: Bounds, b: Bounds) -> Part:
    return _number(_minus(a[0], b[1]), _minus(a[1], b[0]))


def less(a: Bounds, b: Bounds) -> bool | None:
    """Whether a number is less than another."""
    if a[1] is not None and b[0] is not None and a[1] < b[0]:
        return True
    if a[0] is not None and b[1] is not None and a[0] >= b[1]:
        return False
    return None


def at_most(a: Bounds, b: Bounds) -> bool | None:
    found = less(b, a)
    return None if found is None else not found


_FORMS: dict[Form, Callable[[Bounds, Bounds], Part]] = {
    Form.ADD: _add,
    Form.SUBTRACT: _subtract,
    Form.LESS: lambda a, b: truth(less(a, b)),
    Form.AT_MOST: lambda a, b: truth(at_most(a, b)),
    Form.GREATER: lambda a, b: truth(less(b, a)),
    Form.AT_LEAST: lambda a, b: truth(at_most(b, a)),
}
