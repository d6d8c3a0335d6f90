"""Naturals, Integers and Reals. Integers are exact; of the reals there are only the integers."""

from __future__ import annotations

from typing import Final, NoReturn

from gristmill.library.declaration import ALIKE, CALLBACK, OPERATORS, UNNAMED, Form, Operator, Swapped
from gristmill.library.effects import NONE
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

Operator(
    "Naturals",
    "+",
    effects=NONE,
    equivariance=ALIKE,
    c="gm_add",
    form=Form.ADD,
    cheap=True,
    commutative=True,
)(add)
Operator("Naturals", "-", effects=NONE, equivariance=ALIKE, c="gm_subtract", form=Form.SUBTRACT, cheap=True)(subtract)
Operator("Naturals", "*", effects=NONE, equivariance=ALIKE, c="gm_multiply", cheap=True, commutative=True)(multiply)
Operator("Naturals", "^", effects=NONE, equivariance=ALIKE, c="gm_power")(power)
Operator("Naturals", "\\div", effects=NONE, equivariance=ALIKE, c="gm_divide", cheap=True)(divide)
Operator("Naturals", "%", effects=NONE, equivariance=ALIKE, c="gm_modulo", cheap=True)(modulo)
Operator("Naturals", "..", effects=NONE, equivariance=ALIKE, c="gm_interval", form=Form.INTERVAL, cheap=True)(interval)
Operator("Naturals", "<", effects=NONE, equivariance=ALIKE, c="gm_less", boolean=True, form=Form.LESS)(less)
Operator("Naturals", "<=", effects=NONE, equivariance=ALIKE, c="gm_at_most", boolean=True, form=Form.AT_MOST)(at_most)
Operator("Integers", "-.", effects=NONE, equivariance=ALIKE, c="gm_negate", cheap=True)(negate)


@Operator(
    "Naturals",
    ">",
    effects=NONE,
    equivariance=ALIKE,
    c=Swapped("gm_less"),
    boolean=True,
    form=Form.GREATER,
)
def greater(a: Value, b: Value) -> bool:
    if type(a) is not int or type(b) is not int:
        _not_integers(a, b, ">")
    return a > b


@Operator(
    "Naturals",
    ">=",
    effects=NONE,
    equivariance=ALIKE,
    c=Swapped("gm_at_most"),
    boolean=True,
    form=Form.AT_LEAST,
)
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


@Operator("Naturals", "Nat", effects=NONE, equivariance=ALIKE, c=CALLBACK, cheap=True)
def nat() -> Value:
    return NAT


@Operator("Integers", "Int", effects=NONE, equivariance=ALIKE, c=CALLBACK, cheap=True)
def int_() -> Value:
    return INT


@Operator("Reals", "Real", effects=NONE, equivariance=ALIKE, c=CALLBACK, cheap=True)
def real() -> Value:
    return REAL


@Operator("Reals", "/", effects=NONE, equivariance=ALIKE, c=CALLBACK)
def quotient(a: Value, b: Value) -> Value:
    raise EvaluationError("real-arithmetic", "{a} / {b}: real numbers cannot be evaluated", a=a, b=b)


@Operator("Reals", "Infinity", effects=NONE, equivariance=ALIKE, c=CALLBACK)
def infinity() -> Value:
    raise EvaluationError("real-arithmetic", "Infinity: real numbers cannot be evaluated")


@Operator(UNNAMED, "Decimal", effects=NONE, equivariance=ALIKE, c=CALLBACK)
def decimal(text: str) -> Value:
    raise EvaluationError("real-arithmetic", f"{text}: real numbers cannot be evaluated")


DECIMAL: Final[Operator] = OPERATORS[UNNAMED, "Decimal"]  # 3.14: a literal is no definition of any module
