"""The operators of the language on sets and functions."""

from __future__ import annotations

from gristmill.evaluate.lazy_function import LazyFunction
from gristmill.library.registry import primitive
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

primitive("\\cup", cheap=True)(union)
primitive("\\cap", cheap=True)(intersect)
primitive("\\", cheap=True)(difference)
primitive("UNION")(big_union)


@primitive("SUBSET", cheap=True)
def power_set(base: Value) -> Value:
    if not is_set(base):
        raise EvaluationError("not-a-set", f"SUBSET needs a set, not {kind(base)}: {{value}}", value=base)
    return PowerSet(base)


@primitive("DOMAIN", applied=(0,))
def domain_of(function: Value) -> Value:
    return function.domain() if type(function) is LazyFunction else domain(function)


@primitive("\\subseteq", boolean=True)
def included(left: Value, right: Value) -> bool:
    if is_set(left) and not is_enumerable(left):
        raise EvaluationError("not-enumerable", "\\subseteq cannot go through the infinite set {left}", left=left)
    return subset_of(left, right)
