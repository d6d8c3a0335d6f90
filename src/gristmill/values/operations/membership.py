"""Membership and inclusion. Sets that are described answer without being enumerated.

The refusals are TLC's: an untyped model value is in no such set, everything else of the wrong kind is an error.
"""

from __future__ import annotations

from typing import NoReturn

from gristmill.values.atoms import ModelValue, Value
from gristmill.values.dispatch import case, pair
from gristmill.values.equality import equal
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.kinds import is_record, kind
from gristmill.values.lazy import (
    LAZY_TYPES,
    NAT,
    AnySet,
    BigUnion,
    CrossProduct,
    Filter,
    FunctionSet,
    Interval,
    LazyDifference,
    LazyIntersection,
    LazyUnion,
    NumberSet,
    PowerSet,
    RecordSet,
    SequenceSet,
    StringSet,
)
from gristmill.values.operations.sets import (
    CONTAINS,
    SUBSET_OF,
    check_set,
    contains,
    elements,
    is_enumerable,
    normalize,
    not_enumerable,
    subset_of,
)
from gristmill.values.order import compare, ordered
from gristmill.values.shape import all_comparable, comparable_with_all, shape, shapes
from gristmill.values.world import suspected

# --- listed sets -----------------------------------------------------------------------------------------------------


def _in_listed(collection: frozenset[Value], value: Value) -> bool:
    if type(value) in LAZY_TYPES:
        value = normalize(value)
    if value in collection:
        return True
    if collection and not comparable_with_all(shape(value), shapes(collection)):
        _search(collection, value)
    return False


def _search(collection: frozenset[Value], value: Value) -> None:
    """TLC looks for the value among the sorted elements and fails if it meets one of another kind on the way."""
    candidates = ordered(collection)
    low, high = 0, len(candidates)
    while low < high:
        middle = (low + high) // 2
        if compare(value, candidates[middle]) < 0:
            high = middle
        else:
            low = middle + 1


# --- described sets --------------------------------------------------------------------------------------------------


def _in_interval(collection: Interval, value: Value) -> bool:
    if type(value) is int:
        return collection.lo <= value <= collection.hi
    return collection.hi >= collection.lo and _other_kind(collection, value)


def _in_numbers(collection: NumberSet, value: Value) -> bool:
    if type(value) is int:
        return value >= 0 or collection is not NAT
    return _other_kind(collection, value)


def _in_strings(collection: StringSet, value: Value) -> bool:
    return type(value) is str or _other_kind(collection, value)


def _in_power_set(collection: PowerSet, value: Value) -> bool:
    if not is_enumerable(value):
        _not_a_member(collection, value)  # TLC does not even except untyped model values
    return subset_of(value, collection.base)


def _in_functions(collection: FunctionSet, value: Value) -> bool:
    if type(value) is tuple:
        domain: Value = Interval(1, len(value))
        values = value
    elif type(value) is Fn:
        domain, values = frozenset(value), tuple(value.values())
    else:
        return _other_kind(collection, value)
    allowed = collection.range
    return equal(domain, collection.domain) and all(contains(allowed, each) for each in values)


def _in_records(collection: RecordSet, value: Value) -> bool:
    if value == ():
        return not collection.fields
    if not is_record(value):
        return _other_kind(collection, value)
    if len(value) != len(collection.fields):
        return False
    pairs = zip(collection.fields, value.items(), strict=True)
    return all(name == key and contains(values, each) for (name, values), (key, each) in pairs)


def _in_product(collection: CrossProduct, value: Value) -> bool:
    if type(value) is tuple:
        return len(value) == len(collection.factors) and all(map(contains, collection.factors, value))
    if type(value) is Fn and all(type(key) is int for key in value):
        return False
    return _other_kind(collection, value)


def _in_sequences(collection: SequenceSet, value: Value) -> bool:
    if type(value) is not tuple:
        return _other_kind(collection, value)
    allowed = collection.base
    return all(contains(allowed, element) for element in value)


def _in_filter(collection: Filter, value: Value) -> bool:
    if collection.explicit is not None:
        return contains(collection.explicit, value)
    return contains(collection.base, value) and bool(collection.predicate(value))


def _in_big_union(collection: BigUnion, value: Value) -> bool:
    if not is_enumerable(collection.base):
        not_enumerable(collection)
    return any(contains(part, value) for part in elements(collection.base))


def _other_kind(collection: Value, value: Value) -> bool:
    if type(value) is ModelValue and value.type is None:
        return False
    _not_a_member(collection, value)


# Sets that are known by what they are made of: their elements would fill a page, and say less.
_NAMED_BY_ELEMENTS = {
    FunctionSet: "a set of functions",
    RecordSet: "a set of records",
    CrossProduct: "a set of tuples",
    SequenceSet: "a set of sequences",
    PowerSet: "a set of sets",
}


def _not_a_member(collection: Value, value: Value) -> NoReturn:
    named = _NAMED_BY_ELEMENTS.get(type(collection), "{collection}")
    raise EvaluationError(
        "incomparable-values",
        f"whether {{value}}, {kind(value)}, is an element of {named} cannot be told",
        value=value,
        collection=collection,
    )


CONTAINS.update(
    (
        case(frozenset, _in_listed),
        case(Interval, _in_interval),
        case(NumberSet, _in_numbers),
        case(StringSet, _in_strings),
        case(AnySet, lambda collection, value: True),
        case(PowerSet, _in_power_set),
        case(FunctionSet, _in_functions),
        case(RecordSet, _in_records),
        case(CrossProduct, _in_product),
        case(SequenceSet, _in_sequences),
        case(Filter, _in_filter),
        case(
            LazyUnion, lambda collection, value: contains(collection.left, value) or contains(collection.right, value)
        ),
        case(
            LazyIntersection,
            lambda collection, value: contains(collection.left, value) and contains(collection.right, value),
        ),
        case(
            LazyDifference,
            lambda collection, value: contains(collection.left, value) and not contains(collection.right, value),
        ),
        case(BigUnion, _in_big_union),
    )
)

# --- inclusion: None where there is no shortcut ----------------------------------------------------------------------


def _listed_in_listed(left: frozenset[Value], right: frozenset[Value]) -> bool | None:
    if suspected():
        check_set(left)
    if left <= right:
        return True
    return False if all_comparable(shapes(left), shapes(right)) else None


def _interval_in_interval(left: Interval, right: Interval) -> bool:
    return left.hi < left.lo or (right.lo <= left.lo and left.hi <= right.hi)


def _interval_in_numbers(left: Interval, right: NumberSet) -> bool:
    return left.hi < left.lo or left.lo >= 0 or right is not NAT


def _listed_in_numbers(left: frozenset[Value], right: NumberSet) -> bool | None:
    integers = [element for element in left if type(element) is int]
    if len(integers) != len(left):
        return None
    return right is not NAT or min(integers, default=0) >= 0


def _power_set_in_power_set(left: PowerSet, right: PowerSet) -> bool:
    return subset_of(left.base, right.base)


SUBSET_OF.update(
    (
        pair(frozenset, frozenset, _listed_in_listed),
        pair(Interval, Interval, _interval_in_interval),
        pair(Interval, NumberSet, _interval_in_numbers),
        pair(frozenset, NumberSet, _listed_in_numbers),
        pair(PowerSet, PowerSet, _power_set_in_power_set),
    )
)
