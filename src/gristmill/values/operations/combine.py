"""`\\cup`, `\\cap`, `\\`, `UNION` and `{x \\in S : P(x)}`.

Sets that are listed combine into a listed one; where a lazy set is involved the result stays lazy, because it may be
impossible to list. Which is which decides what can be enumerated afterwards, so the cases are TLC's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from gristmill.values.atoms import Value
from gristmill.values.kinds import is_set
from gristmill.values.lazy import BigUnion, Filter, Interval, LazyDifference, LazyIntersection, LazyUnion
from gristmill.values.operations.sets import contains, enumerate_set, explicit, not_a_set
from gristmill.values.shape import all_comparable, shapes

_LISTED = frozenset((frozenset, Interval))  # intervals count as listed


def union(left: Value, right: Value) -> Value:
    """`left \\cup right`."""
    _refuse_others(left, right, "\\cup")
    if type(left) in _LISTED and type(right) in _LISTED:
        return _join(explicit(left), explicit(right))
    if type(left) in _LISTED:
        return LazyUnion(left, right) if explicit(left) else right
    if type(right) in _LISTED:  # TLC turns the operands round
        return LazyUnion(right, left) if explicit(right) else left
    return LazyUnion(left, right)


def _join(left: frozenset[Value], right: frozenset[Value]) -> frozenset[Value]:
    if not all_comparable(shapes(left), shapes(right)):
        for element in enumerate_set(right):  # TLC looks each of them up
            contains(left, element)
    return left | right


def intersect(left: Value, right: Value) -> Value:
    """`left \\cap right`."""
    _refuse_others(left, right, "\\cap")
    if type(left) is frozenset and type(right) is frozenset and all_comparable(shapes(left), shapes(right)):
        return left & right
    if type(left) in _LISTED:
        return frozenset(element for element in enumerate_set(left) if contains(right, element))
    if type(right) in _LISTED:
        return frozenset(element for element in enumerate_set(right) if contains(left, element))
    return LazyIntersection(left, right)


def difference(left: Value, right: Value) -> Value:
    """`left \\ right`."""
    _refuse_others(left, right, "\\")
    if type(left) is frozenset and type(right) is frozenset and all_comparable(shapes(left), shapes(right)):
        return left - right
    if type(left) in _LISTED:
        return frozenset(element for element in enumerate_set(left) if not contains(right, element))
    return LazyDifference(left, right)


def big_union(collection: Value) -> Value:
    """`UNION collection`."""
    if not is_set(collection):
        not_a_set(collection, "UNION")
    if type(collection) is not frozenset or not _are_listed(collection):
        return _lazy_union_of(collection)
    found = frozenset().union(*map(shapes, collection))
    if all_comparable(found, found):
        return frozenset().union(*collection)
    result: frozenset[Value] = frozenset()
    for part in enumerate_set(collection):
        result = _join(result, explicit(part))
    return result


def _are_listed(parts: frozenset[Value]) -> TypeGuard[frozenset[frozenset[Value]]]:
    return all(type(part) is frozenset for part in parts)


def _lazy_union_of(collection: Value) -> BigUnion:
    if type(collection) is frozenset:
        for part in collection:
            if not is_set(part):
                not_a_set(part, "UNION of a set of sets")
    return BigUnion(collection)


def filter_set(collection: Value, predicate: Callable[[Value], bool], text: str = "…") -> Value:
    """`{x \\in collection : predicate(x)}`."""
    if type(collection) in _LISTED:
        return frozenset(filter(predicate, enumerate_set(collection)))
    if not is_set(collection):
        not_a_set(collection, "{x \\in S : P(x)}")
    return Filter(collection, predicate, text)


def _refuse_others(left: Value, right: Value, operation: str) -> None:
    if not is_set(left):
        not_a_set(left, operation)
    if not is_set(right):
        not_a_set(right, operation)
