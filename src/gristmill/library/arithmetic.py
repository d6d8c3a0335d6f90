"""Naturals, Integers and Reals. Integers are exact; of the reals there are only the integers."""

from __future__ import annotations

from typing import NoReturn

from gristmill.library.registry import primitive
from gristmill.values import (
    INT,
    NAT,
    REAL,
    EvaluationError,
    Value,
    add,
    at_most,
    divide,
    interval,
    kind,
    less,
    modulo,
    multiply,
    negate,
    power,
    subtract,
)

primitive("Naturals!+", cheap=True)(add)
primitive("Naturals!-", cheap=True)(subtract)
primitive("Naturals!*", cheap=True)(multiply)
primitive("Naturals!^")(power)
primitive("Naturals!\\div", cheap=True)(divide)
primitive("Naturals!%", cheap=True)(modulo)
primitive("Naturals!..", cheap=True)(interval)
primitive("Naturals!<", boolean=True)(less)
primitive("Naturals!<=", boolean=True)(at_most)
primitive("Integers!-.", cheap=True)(negate)


@primitive("Naturals!>", boolean=True)
def greater(a: Value, b: Value) -> bool:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, ">")
    return a > b


@primitive("Naturals!>=", boolean=True)
def at_least(a: Value, b: Value) -> bool:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, ">=")
    return a >= b


def _not_integers(a: Value, b: Value, operation: str) -> NoReturn:
    which, wrong = ("first", a) if type(a) is not int else ("second", b)
    raise EvaluationError(
        "not-an-integer",
        f"the {which} operand of {operation} is {kind(wrong)}, not an integer: {{wrong}}",
        wrong=wrong,
    )


@primitive("Naturals!Nat", cheap=True)
def nat() -> Value:
    return NAT


@primitive("Integers!Int", cheap=True)
def int_() -> Value:
    return INT


@primitive("Reals!Real", cheap=True)
def real() -> Value:
    return REAL


@primitive("Reals!/")
def quotient(a: Value, b: Value) -> Value:
    raise EvaluationError("real-arithmetic", "{a} / {b}: real numbers cannot be evaluated", a=a, b=b)


@primitive("Reals!Infinity")
def infinity() -> Value:
    raise EvaluationError("real-arithmetic", "Infinity: real numbers cannot be evaluated")


@primitive("Gristmill!Decimal")
def decimal(text: str) -> Value:
    raise EvaluationError("real-arithmetic", f"{text}: real numbers cannot be evaluated")
