"""The operators of the language on sets and functions."""

from __future__ import annotations

from typing import Final

from gristmill.library.declaration import ALIKE, LANGUAGE, OPERATORS, Form, Operator
from gristmill.library.effects import NONE
from gristmill.values import (
    EvaluationError,
    PowerSet,
    Value,
    big_union,
    difference,
    domain,
    intersect,
    is_enumerable,
    is_set,
    kind,
    subset_of,
    union,
)
from gristmill.values.function import Fn, UnlistedFunction

Operator(
    LANGUAGE,
    "\\cup",
    effects=NONE,
    equivariance=ALIKE,
    c="gm_union",
    form=Form.UNION,
    cheap=True,
    commutative=True,
)(union)
Operator(LANGUAGE, "\\cap", effects=NONE, equivariance=ALIKE, c="gm_intersect", cheap=True, commutative=True)(intersect)
Operator(LANGUAGE, "\\", effects=NONE, equivariance=ALIKE, c="gm_difference", form=Form.DIFFERENCE, cheap=True)(
    difference
)
Operator(LANGUAGE, "UNION", effects=NONE, equivariance=ALIKE, c="gm_big_union", form=Form.BIG_UNION)(big_union)


@Operator(LANGUAGE, "SUBSET", effects=NONE, equivariance=ALIKE, c="gm_powerset", cheap=True)
def power_set(base: Value) -> Value:
    if not is_set(base):
        raise EvaluationError("not-a-set", f"SUBSET needs a set, not {kind(base)}: {{value}}", value=base)
    return PowerSet(base)


@Operator(LANGUAGE, "DOMAIN", effects=NONE, equivariance=ALIKE, c="gm_domain", applied=(0,), form=Form.DOMAIN)
def domain_of(function: Value) -> Value:
    is_listed = type(function) is Fn or type(function) is tuple  # most are, and asking an abstract class takes time
    return function.domain() if not is_listed and isinstance(function, UnlistedFunction) else domain(function)


@Operator(
    LANGUAGE,
    "\\subseteq",
    effects=NONE,
    equivariance=ALIKE,
    c="gm_subset",
    boolean=True,
    form=Form.INCLUDED,
)
def included(left: Value, right: Value) -> bool:
    if is_set(left) and not is_enumerable(left):
        raise EvaluationError("not-enumerable", "\\subseteq cannot go through the infinite set {left}", left=left)
    return subset_of(left, right)


DOMAIN: Final[Operator] = OPERATORS[LANGUAGE, "DOMAIN"]
