"""What can be asked of a set, whichever way it is represented. One table a question; the answers for the lazy sets are
in `enumeration` and `membership`, which fill the tables.

Two ways lead through a set. `enumerate_set` goes through it once in canonical order: what quantifiers, CHOOSE and set
constructors do. `elements` goes as TLC's own enumerators do when a variable is assigned with `x \\in S`: a union that
is not listed yields the one part behind the other, and an element of both twice, which shows in the number of states
generated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from gristmill.values.atoms import Value
from gristmill.values.errors import EvaluationError
from gristmill.values.kinds import kind
from gristmill.values.lazy import LAZY_TYPES, BigUnion, Filter, LazySet, LazyUnion
from gristmill.values.order import ordered
from gristmill.values.shape import all_comparable, shapes

Walk = Callable[[Value], Iterable[Value]]

# Filled with `dispatch.case`, which checks that an answer is for the type it is registered for.
CONTAINS: dict[type, Callable[[Any, Value], bool]] = {}
SUBSET_OF: dict[tuple[type, type], Callable[[Any, Any], bool | None]] = {}
ELEMENTS: dict[type, Callable[[Any, Walk], Iterable[Value]]] = {}
COUNTS: dict[type, Callable[[Any], int]] = {}
COUNTS_QUICKLY: dict[type, Callable[[Any], bool]] = {}
IS_FINITE: dict[type, Callable[[Any], bool]] = {}
IS_EMPTY: dict[type, Callable[[Any], bool]] = {}
IS_ENUMERABLE: dict[type, Callable[[Any], bool]] = {}
WITH_NORMAL_PARTS: dict[type, Callable[[Any], LazySet]] = {}

_REPEATING = frozenset((LazyUnion, BigUnion))  # their enumeration is neither in order nor without repetition

MAX_SET_SIZE = 1_000_000  # TLC's bound on the sets it lists
MAX_INTERVAL_SIZE = 1 << 24


def contains(collection: Value, value: Value) -> bool:
    """`value \\in collection`."""
    answer = CONTAINS.get(type(collection))
    if answer is None:
        not_a_set(collection, "\\in")
    return answer(collection, value)


def elements(collection: Value) -> Iterable[Value]:
    """The elements as TLC assigns them to a variable: maybe some twice."""
    answer = ELEMENTS.get(type(collection))
    if answer is None:
        not_a_set(collection, "the enumeration of a set")
    return answer(collection, elements)


def enumerate_set(collection: Value) -> Iterable[Value]:
    """The elements, each once, in canonical order."""
    if type(collection) is frozenset:
        return ordered(collection)
    if type(collection) in _REPEATING:
        return ordered(explicit(collection))
    answer = ELEMENTS.get(type(collection))
    if answer is None:
        not_a_set(collection, "the enumeration of a set")
    return answer(collection, enumerate_set)


def cardinality(collection: Value) -> int:
    """The number of elements, counted only where it cannot be calculated."""
    answer = COUNTS.get(type(collection))
    if answer is None:
        not_a_set(collection, "Cardinality")
    return answer(collection)


def counts_quickly(collection: Value) -> bool:
    """`cardinality` needs no enumeration, and gives an answer."""
    answer = COUNTS_QUICKLY.get(type(collection))
    return answer is not None and answer(collection)


def is_finite(collection: Value) -> bool:
    """`IsFiniteSet`; an error where TLC cannot tell."""
    answer = IS_FINITE.get(type(collection))
    if answer is None:
        not_a_set(collection, "IsFiniteSet")
    return answer(collection)


def is_empty(collection: Value) -> bool:
    answer = IS_EMPTY.get(type(collection))
    if answer is None:
        not_a_set(collection, "the comparison with an empty set")
    return answer(collection)


def is_enumerable(value: Value) -> bool:
    """A set whose elements can be listed, were there time enough."""
    answer = IS_ENUMERABLE.get(type(value))
    return answer is not None and answer(value)


def subset_of(left: Value, right: Value) -> bool:
    """`left \\subseteq right`."""
    shortcut = SUBSET_OF.get((type(left), type(right)))
    if shortcut is not None and (answer := shortcut(left, right)) is not None:
        return answer
    if type(right) not in CONTAINS:
        not_a_set(right, "\\subseteq")
    belongs = CONTAINS[type(right)]
    return all(belongs(right, element) for element in elements(left))


# --- lists of elements -----------------------------------------------------------------------------------------------


def explicit(collection: Value) -> frozenset[Value]:
    """The set with its elements listed, in normal form. An error when that cannot be done."""
    if type(collection) is frozenset:
        return collection
    if not isinstance(collection, LazySet):
        not_a_set(collection, "the enumeration of a set")
    found = collection.explicit
    if found is None:
        _refuse_large(collection)
        found = collection.explicit = frozenset(_bounded(elements(collection), collection))
    return found


def normalize(value: Value) -> Value:
    """The value in the form in which equal values are equal in Python, too. Infinite sets stay what they are.

    Parts of other values are in normal form already: `make_set`, `make_tuple` and `make_function` see to it.
    """
    if type(value) not in LAZY_TYPES or not isinstance(value, LazySet):  # the quick test, and the one for mypy
        return value
    if value.explicit is not None or is_enumerable(value):
        return explicit(value)
    rebuild = WITH_NORMAL_PARTS.get(type(value))
    return value if rebuild is None else rebuild(value)


def check_set(collection: frozenset[Value]) -> None:
    """An error if some elements cannot be compared with others, as when TLC sorts the set."""
    found = shapes(collection)
    if not all_comparable(found, found):
        ordered(collection)


def has_comparable_elements(collection: frozenset[Value]) -> bool:
    try:
        check_set(collection)
    except EvaluationError:
        return False
    return True


def _refuse_large(collection: LazySet) -> None:
    if counts_quickly(collection):
        size, bound = cardinality(collection), MAX_SET_SIZE
        if size > MAX_INTERVAL_SIZE or (size > bound and type(collection).__name__ != "Interval"):
            _too_large(collection)


def _bounded(items: Iterable[Value], collection: LazySet) -> Iterator[Value]:
    for count, item in enumerate(items):
        if count >= MAX_INTERVAL_SIZE:
            _too_large(collection)
        yield item


def _too_large(collection: LazySet) -> NoReturn:
    raise EvaluationError(
        "set-too-large",
        f"a set of more than {MAX_SET_SIZE:,} elements is not listed: {{collection}}",
        collection=collection,
    )


def not_a_set(value: Value, operation: str) -> NoReturn:
    operation = operation.replace("{", "{{").replace("}", "}}")
    raise EvaluationError("not-a-set", f"{operation} needs a set, not {kind(value)}: {{value}}", value=value)


def not_enumerable(collection: Value) -> NoReturn:
    reason = "infinite"
    if isinstance(collection, Filter):
        reason = "taken from an infinite set"
    raise EvaluationError(
        "not-enumerable", f"the set {{collection}} is {reason}: it cannot be enumerated", collection=collection
    )
