"""Equality as TLC decides it: of values that can be compared, and an error for others.

Values in normal form are equal in Python exactly when they are in TLA+, so Python says quickly that two are equal. When
they are not, TLC compares part by part up to the first that differs, and fails if the two parts are of different kinds;
only that path is walked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gristmill.values.atoms import Boolean, ModelValue, Value
from gristmill.values.dispatch import both, cases
from gristmill.values.function import Fn
from gristmill.values.kinds import is_lazy
from gristmill.values.lazy import (
    LAZY_TYPES,
    CrossProduct,
    FunctionSet,
    Interval,
    LazySet,
    PowerSet,
    RecordSet,
    SequenceSet,
)
from gristmill.values.operations.sets import cardinality, check_set, counts_quickly, is_empty, normalize
from gristmill.values.order import (
    cannot_compare,
    ordered,
    refuse_indices_with_other,
    refuse_record_with_other,
)
from gristmill.values.order import compare as compare_normal
from gristmill.values.shape import all_comparable, shapes
from gristmill.values.world import suspected


def equal(a: Value, b: Value) -> bool:
    """`a = b`."""
    if a is b:
        return True
    if type(a) is type(b):
        if type(a) is int or type(a) is str:
            return bool(a == b)
        return EQUAL[type(a)](a, b)
    return _equal_kinds(a, b)


def compare(a: Value, b: Value) -> int:
    """The canonical order, of any two values: negative, zero or positive."""
    return compare_normal(normalize(a), normalize(b))


def _different_booleans(a: Boolean, b: Boolean) -> bool:
    return False


def _equal_model_values(a: ModelValue, b: ModelValue) -> bool:
    if a.type != b.type and a.type and b.type:
        cannot_compare(a, b)
    return False


def _equal_tuples(a: tuple[Value, ...], b: tuple[Value, ...]) -> bool:
    return a == b or (len(a) == len(b) and _equal_at_first_difference(a, b))


def _equal_functions(a: Fn, b: Fn) -> bool:
    if a == b:
        return True
    refuse_record_with_other(a, b)
    if len(a) != len(b):
        return False
    if a.keys() != b.keys():
        return _equal_at_first_difference(a, b)
    return _equal_at_first_difference(a.values(), b.values())


def _equal_sets(a: frozenset[Value], b: frozenset[Value]) -> bool:
    if suspected():  # TLC sorts both before it looks at anything
        check_set(a)
        check_set(b)
    if a == b:
        return True
    if len(a) != len(b) or all_comparable(shapes(a), shapes(b)):
        return False
    return _equal_at_first_difference(ordered(a), ordered(b))


def _equal_at_first_difference(a: Iterable[Value], b: Iterable[Value]) -> bool:
    """For things of one length; canonical order makes "first" what it is for TLC."""
    for x, y in zip(a, b, strict=True):
        if x is not y and x != y:
            return equal(x, y)
    return True


def _equal_kinds(a: Value, b: Value) -> bool:
    """Values of two Python types."""
    if type(a) is ModelValue:
        return False if a.type is None else cannot_compare(a, b)
    if type(b) is ModelValue:
        return False if b.type is None else cannot_compare(a, b)
    if type(a) is tuple and type(b) is Fn:
        return _equal_to_tuple(a, b)
    if type(a) is Fn and type(b) is tuple:
        refuse_record_with_other(a, b)
        return _equal_to_tuple(b, a)
    if type(a) in _SETS and type(b) in _SETS:
        return _equal_to_lazy(a, b)
    cannot_compare(a, b)


_SETS = LAZY_TYPES | {frozenset}


def _equal_to_tuple(a: tuple[Value, ...], b: Fn) -> bool:
    """A tuple and a function that is none: they differ, if they can be compared."""
    if len(a) == len(b):
        refuse_indices_with_other(a, b)
    return False


# --- sets not listed -------------------------------------------------------------------------------------------------


def _equal_to_lazy(a: Value, b: Value) -> bool:
    """Two sets, one of them lazy, not described in the same way."""
    if counts_quickly(a) and counts_quickly(b) and cardinality(a) != cardinality(b):
        return False
    a, b = normalize(a), normalize(b)
    if is_lazy(a) or is_lazy(b):
        return compare_normal(a, b) == 0
    return equal(a, b)


def _equal_intervals(a: Interval, b: Interval) -> bool:
    return (a.lo == b.lo and a.hi == b.hi) or (a.hi < a.lo and b.hi < b.lo)


def _equal_bases(a: PowerSet | SequenceSet, b: PowerSet | SequenceSet) -> bool:
    return equal(a.base, b.base)


def _equal_function_sets(a: FunctionSet, b: FunctionSet) -> bool:
    if not equal(a.domain, b.domain):
        return is_empty(a) and is_empty(b)
    return equal(a.range, b.range) or is_empty(a.domain)


def _equal_record_sets(a: RecordSet, b: RecordSet) -> bool:
    if is_empty(a) or is_empty(b):
        return is_empty(a) and is_empty(b)
    if [name for name, _ in a.fields] != [name for name, _ in b.fields]:
        return False
    return all(equal(x, y) for (_, x), (_, y) in zip(a.fields, b.fields, strict=True))


def _equal_products(a: CrossProduct, b: CrossProduct) -> bool:
    if is_empty(a) or is_empty(b):
        return is_empty(a) and is_empty(b)
    return len(a.factors) == len(b.factors) and all(map(equal, a.factors, b.factors))


def _equal_lazy(a: LazySet, b: LazySet) -> bool:
    return a == b or _equal_to_lazy(a, b)


EQUAL: dict[type, Callable[[Any, Any], bool]] = dict(
    (
        both(Boolean, _different_booleans),
        both(ModelValue, _equal_model_values),
        both(tuple, _equal_tuples),
        both(Fn, _equal_functions),
        both(frozenset, _equal_sets),
        *cases(LAZY_TYPES, _equal_lazy),
        both(Interval, _equal_intervals),
        both(PowerSet, _equal_bases),
        both(SequenceSet, _equal_bases),
        both(FunctionSet, _equal_function_sets),
        both(RecordSet, _equal_record_sets),
        both(CrossProduct, _equal_products),
    )
)
