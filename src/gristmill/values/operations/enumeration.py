"""Going through sets, counting them, and telling whether that can be done.

The orders are TLC's: subsets by size, then as combinations of the ordered base; functions, records and tuples like
numbers whose last digit changes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, combinations, product
from math import prod
from typing import NoReturn

from gristmill.values.atoms import Value
from gristmill.values.dispatch import case, cases
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.lazy import (
    AnySet,
    BigUnion,
    CrossProduct,
    Filter,
    FunctionSet,
    Interval,
    LazyDifference,
    LazyIntersection,
    LazySet,
    LazyUnion,
    NumberSet,
    PowerSet,
    RecordSet,
    SequenceSet,
    StringSet,
)
from gristmill.values.operations.sets import (
    COUNTS,
    COUNTS_QUICKLY,
    ELEMENTS,
    IS_EMPTY,
    IS_ENUMERABLE,
    IS_FINITE,
    WITH_NORMAL_PARTS,
    Walk,
    cardinality,
    check_set,
    contains,
    counts_quickly,
    elements,
    explicit,
    is_empty,
    is_enumerable,
    is_finite,
    normalize,
    not_enumerable,
)
from gristmill.values.order import ordered

_INFINITE: tuple[type[LazySet], ...] = (NumberSet, StringSet, AnySet, SequenceSet)
_LISTED_TO_KNOW: tuple[type[LazySet], ...] = (Filter, LazyUnion, LazyIntersection, LazyDifference, BigUnion)

# --- elements --------------------------------------------------------------------------------------------------------


def _subsets(collection: PowerSet, walk: Walk) -> Iterator[frozenset[Value]]:
    base = tuple(ordered(explicit(collection.base)))
    return chain.from_iterable(map(frozenset, combinations(base, size)) for size in range(len(base) + 1))


def _functions(collection: FunctionSet, walk: Walk) -> Iterable[Value]:
    domain = tuple(ordered(explicit(collection.domain)))
    if not domain:
        return ((),)
    choices = product(map(normalize, walk(collection.range)), repeat=len(domain))
    if domain == tuple(range(1, len(domain) + 1)):
        return choices
    return (Fn(zip(domain, values, strict=True)) for values in choices)


def _records(collection: RecordSet, walk: Walk) -> Iterator[Value]:
    names = [name for name, _ in collection.fields]
    choices = product(*(map(normalize, walk(values)) for _, values in collection.fields))
    return (Fn(zip(names, values, strict=True)) for values in choices)


def _tuples(collection: CrossProduct, walk: Walk) -> Iterator[Value]:
    return product(*(map(normalize, walk(factor)) for factor in collection.factors))


def _filtered(collection: Filter, walk: Walk) -> Iterable[Value]:
    if collection.explicit is not None:
        return ordered(collection.explicit)
    if not is_enumerable(collection.base):
        not_enumerable(collection)
    return filter(collection.predicate, walk(collection.base))


def _union(collection: LazyUnion, walk: Walk) -> Iterator[Value]:
    return chain(walk(collection.left), walk(collection.right))


def _intersection(collection: LazyIntersection, walk: Walk) -> Iterator[Value]:
    one, other = collection.left, collection.right
    if not is_enumerable(one):
        one, other = other, one
    if not is_enumerable(one):
        not_enumerable(collection)
    return filter(partial(contains, other), walk(one))


def _difference(collection: LazyDifference, walk: Walk) -> Iterator[Value]:
    removed = collection.right
    return (element for element in walk(collection.left) if not contains(removed, element))


def _big_union(collection: BigUnion, walk: Walk) -> Iterator[Value]:
    return chain.from_iterable(map(walk, walk(collection.base)))


def _no_elements(collection: LazySet, walk: Walk) -> NoReturn:
    not_enumerable(collection)


ELEMENTS.update(
    (
        case(frozenset, lambda collection, walk: ordered(collection)),
        case(Interval, lambda collection, walk: range(collection.lo, collection.hi + 1)),
        case(PowerSet, _subsets),
        case(FunctionSet, _functions),
        case(RecordSet, _records),
        case(CrossProduct, _tuples),
        case(Filter, _filtered),
        case(LazyUnion, _union),
        case(LazyIntersection, _intersection),
        case(LazyDifference, _difference),
        case(BigUnion, _big_union),
        *cases(_INFINITE, _no_elements),
    )
)

# --- counting --------------------------------------------------------------------------------------------------------


def _count_listed(collection: frozenset[Value]) -> int:
    check_set(collection)  # TLC sorts a set to count it
    return len(collection)


def _count_functions(collection: FunctionSet) -> int:
    size = cardinality(collection.domain)
    return 1 if size == 0 else int(cardinality(collection.range) ** size)


def _count_by_listing(collection: LazySet) -> int:
    return len(explicit(collection))


def _cannot_count(collection: LazySet) -> NoReturn:
    raise EvaluationError("not-enumerable", "Cardinality of the infinite set {collection}", collection=collection)


_LARGEST_EXPONENT = 1_000_000


def _count_subsets(collection: PowerSet) -> int:
    size = cardinality(collection.base)
    if size > _LARGEST_EXPONENT:  # the number of subsets would not fit in memory, written down
        raise EvaluationError("set-too-large", f"a set of {size:,} elements has too many subsets to count")
    return 1 << size


COUNTS.update(
    (
        case(frozenset, _count_listed),
        case(Interval, lambda collection: max(0, collection.hi - collection.lo + 1)),
        case(PowerSet, _count_subsets),
        case(FunctionSet, _count_functions),
        case(RecordSet, lambda collection: prod(cardinality(values) for _, values in collection.fields)),
        case(CrossProduct, lambda collection: prod(map(cardinality, collection.factors))),
        *cases(_LISTED_TO_KNOW, _count_by_listing),
        *cases(_INFINITE, _cannot_count),
    )
)


def _parts(collection: LazySet) -> list[Value]:
    """The sets a set is described with."""
    if isinstance(collection, RecordSet):
        return [values for _, values in collection.fields]
    if isinstance(collection, CrossProduct):
        return list(collection.factors)
    if isinstance(collection, FunctionSet):
        return [collection.domain, collection.range]
    if isinstance(collection, PowerSet):
        return [collection.base]
    return []


_COMPOSED: tuple[type[LazySet], ...] = (PowerSet, FunctionSet, RecordSet, CrossProduct)


def _all_parts(question: Callable[[Value], bool]) -> Callable[[LazySet], bool]:
    return lambda collection: all(map(question, _parts(collection)))


def _yes(collection: Value) -> bool:
    return True


def _no(collection: Value) -> bool:
    return False


COUNTS_QUICKLY.update(
    (case(frozenset, _yes), case(Interval, _yes), *cases(_COMPOSED, _all_parts(counts_quickly))),
)

# --- emptiness -------------------------------------------------------------------------------------------------------


def _none_found(collection: LazySet) -> bool:
    return next(iter(elements(collection)), None) is None


IS_EMPTY.update(
    (
        case(frozenset, lambda collection: not collection),
        case(Interval, lambda collection: collection.hi < collection.lo),
        case(PowerSet, _no),
        case(FunctionSet, lambda collection: not is_empty(collection.domain) and is_empty(collection.range)),
        case(RecordSet, lambda collection: any(map(is_empty, _parts(collection)))),
        case(CrossProduct, lambda collection: any(map(is_empty, collection.factors))),
        *cases(_LISTED_TO_KNOW, _none_found),
        *cases(_INFINITE, _no),
    )
)

# --- finiteness, as far as TLC can tell ------------------------------------------------------------------------------


def _unknown(collection: LazySet) -> NoReturn:
    raise EvaluationError("finiteness-unknown", "whether {collection} is finite is not known", collection=collection)


def _filter_is_finite(collection: Filter) -> bool:
    return is_finite(collection.base) or _unknown(collection)


def _intersection_is_finite(collection: LazyIntersection) -> bool:
    return is_finite(collection.left) or is_finite(collection.right) or _unknown(collection)


def _difference_is_finite(collection: LazyDifference) -> bool:
    if is_finite(collection.left):
        return True
    return False if is_finite(collection.right) else _unknown(collection)


IS_FINITE.update(
    (
        case(frozenset, _yes),
        case(Interval, _yes),
        case(Filter, _filter_is_finite),
        case(LazyUnion, lambda collection: is_finite(collection.left) and is_finite(collection.right)),
        case(LazyIntersection, _intersection_is_finite),
        case(LazyDifference, _difference_is_finite),
        case(BigUnion, lambda collection: all(map(is_finite, elements(collection.base)))),
        *cases(_COMPOSED, _all_parts(is_finite)),
        *cases(_INFINITE, _no),
    )
)

# --- enumerability ---------------------------------------------------------------------------------------------------


def _big_union_is_enumerable(collection: BigUnion) -> bool:
    return is_enumerable(collection.base) and all(map(is_enumerable, elements(collection.base)))


IS_ENUMERABLE.update(
    (
        case(frozenset, _yes),
        case(Interval, _yes),
        case(Filter, lambda collection: collection.explicit is not None or is_enumerable(collection.base)),
        case(LazyUnion, lambda collection: is_enumerable(collection.left) and is_enumerable(collection.right)),
        case(LazyIntersection, lambda collection: is_enumerable(collection.left) or is_enumerable(collection.right)),
        case(LazyDifference, lambda collection: is_enumerable(collection.left)),
        case(BigUnion, _big_union_is_enumerable),
        *cases(_COMPOSED, _all_parts(is_enumerable)),
        *cases(_INFINITE, _no),
    )
)

# --- what stays lazy, in normal form ---------------------------------------------------------------------------------

WITH_NORMAL_PARTS.update(
    (
        case(PowerSet, lambda collection: PowerSet(normalize(collection.base))),
        case(SequenceSet, lambda collection: SequenceSet(normalize(collection.base))),
        case(FunctionSet, lambda collection: FunctionSet(normalize(collection.domain), normalize(collection.range))),
        case(
            RecordSet, lambda collection: RecordSet(tuple((name, normalize(part)) for name, part in collection.fields))
        ),
        case(CrossProduct, lambda collection: CrossProduct(tuple(map(normalize, collection.factors)))),
    )
)
