"""Forces the unevaluated parts of a value that is about to be shown.

`show` prints also what cannot be evaluated: messages about an error need that. Where a specification has something
shown, an error in it is an error of the specification, as it is for TLC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gristmill.values.atoms import Value
from gristmill.values.dispatch import case, cases
from gristmill.values.function import Fn
from gristmill.values.lazy import (
    BigUnion,
    CrossProduct,
    Filter,
    FunctionSet,
    LazyDifference,
    LazyIntersection,
    LazySet,
    LazyUnion,
    PowerSet,
    RecordSet,
    SequenceSet,
)
from gristmill.values.operations.sets import explicit, is_enumerable
from gristmill.values.order import ordered


def evaluated(value: Value) -> Value:
    """The value itself; an error, if something in it cannot be evaluated, or elements of a set cannot be compared."""
    found = _EVALUATE.get(type(value))
    if found is not None:
        found(value)
    return value


def _each(values: Iterable[Value]) -> None:
    for value in values:
        evaluated(value)


def _listed(value: Value) -> None:
    _each(ordered(explicit(value)))


def _listed_if_finite(value: LazySet) -> None:
    _listed(value) if is_enumerable(value) else _parts(value)


def _parts(value: LazySet) -> None:
    _each(getattr(value, part) for part in value.parts)


def _function(value: Fn) -> None:
    _each(value)
    _each(value.values())


_EVALUATE: dict[type, Callable[[Any], None]] = dict(
    (
        case(frozenset, _listed),
        case(tuple, _each),
        case(Fn, _function),
        case(Filter, _listed),
        *cases((LazyUnion, LazyIntersection, LazyDifference, BigUnion), _listed_if_finite),
        *cases((PowerSet, FunctionSet, SequenceSet), _parts),
        case(RecordSet, lambda value: _each(each for _, each in value.fields)),
        case(CrossProduct, lambda value: _each(value.factors)),
    )
)
