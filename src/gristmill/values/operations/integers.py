"""Arithmetic: exact, with TLC's rules on what is undefined."""

from __future__ import annotations

from typing import NoReturn

from gristmill.values.atoms import Value
from gristmill.values.errors import EvaluationError
from gristmill.values.kinds import kind
from gristmill.values.lazy import Interval

_MOST_BITS = 1 << 24  # of a power: five million digits are a mistake, not a number


def add(a: Value, b: Value) -> int:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "+")
    return a + b


def subtract(a: Value, b: Value) -> int:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "-")
    return a - b


def multiply(a: Value, b: Value) -> int:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "*")
    return a * b


def negate(a: Value) -> int:
    if type(a) is not int:
        raise EvaluationError("not-an-integer", f"- needs an integer, not {kind(a)}: {{a}}", a=a)
    return -a


def divide(a: Value, b: Value) -> int:
    """`a \\div b`, rounded down."""
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "\\div")
    if b == 0:
        raise EvaluationError("division-by-zero", "{a} \\div 0 is undefined", a=a)
    return a // b


def modulo(a: Value, b: Value) -> int:
    """`a % b`, which is never negative."""
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "%")
    if b <= 0:
        raise EvaluationError("modulus-not-positive", "{a} % {b} is undefined: % needs a positive divisor", a=a, b=b)
    return a % b


def power(a: Value, b: Value) -> int:
    """`a ^ b`."""
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "^")
    if b < 0:
        raise EvaluationError("negative-exponent", "{a} ^ {b} is undefined: ^ needs a natural exponent", a=a, b=b)
    if a == 0 and b == 0:
        raise EvaluationError("zero-to-the-zero", "0 ^ 0 is undefined")
    if abs(a) > 1 and b * (abs(a).bit_length() - 1) > _MOST_BITS:
        raise EvaluationError("integer-too-large", "{a} ^ {b} has millions of digits", a=a, b=b)
    return int(a**b)


def less(a: Value, b: Value) -> bool:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "<")
    return a < b


def at_most(a: Value, b: Value) -> bool:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "<=")
    return a <= b


def interval(a: Value, b: Value) -> Interval:
    """`a .. b`."""
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, "..")
    return Interval(a, b)


def _not_integers(a: Value, b: Value, operation: str) -> NoReturn:
    which, wrong = ("first", a) if type(a) is not int else ("second", b)
    raise EvaluationError(
        "not-an-integer",
        f"the {which} operand of {operation} is {kind(wrong)}, not an integer: {{wrong}}",
        wrong=wrong,
    )
