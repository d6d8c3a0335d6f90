"""What primitives ask of their arguments."""

from __future__ import annotations

from typing import NoReturn

from gristmill.values import FALSE, TRUE, EvaluationError, Fn, Value, explicit, is_set, kind


def truth(value: Value) -> bool:
    """What an operator given as a test returns."""
    if value is TRUE:
        return True
    if value is FALSE:
        return False
    raise EvaluationError("not-a-boolean", f"a formula was expected, not {kind(value)}: {{value}}", value=value)


def wrong(operator: str, expected: str, value: Value) -> NoReturn:
    raise EvaluationError("wrong-argument", f"{operator} needs {expected}, not {kind(value)}: {{value}}", value=value)


def sequence(value: Value, operator: str) -> tuple[Value, ...]:
    if type(value) is not tuple:
        wrong(operator, "a sequence", value)
    return value


def integer(value: Value, operator: str) -> int:
    if type(value) is not int:
        wrong(operator, "an integer", value)
    return value


def natural(value: Value, operator: str) -> int:
    if type(value) is not int or value < 0:
        wrong(operator, "a natural number", value)
    return value


def string(value: Value, operator: str) -> str:
    if type(value) is not str:
        wrong(operator, "a string", value)
    return value


def listed(value: Value, operator: str) -> frozenset[Value]:
    """A finite set, with its elements."""
    if not is_set(value):
        wrong(operator, "a set", value)
    return explicit(value)


def pairs(value: Value, operator: str) -> list[tuple[Value, Value]]:
    """A function as arguments and values, in canonical order."""
    if type(value) is tuple:
        return list(enumerate(value, 1))
    if type(value) is not Fn:
        wrong(operator, "a function", value)
    return list(value.items())
