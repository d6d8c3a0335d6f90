"""The canonical order of values, which is TLC's.

Integers ascend; FALSE comes before TRUE; strings and model values stand in the order of their first appearance; untyped
model values come before everything else. Sets are ordered by size, then element by element; functions, sequences and
records by size, then by their domains, then by their values. TLC refuses to order values of different kinds, and so do
`compare` and `ordered`; `sort_key` agrees with them wherever they answer, and is total besides.

Everything here takes values in normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from gristmill.values.atoms import Boolean, ModelValue, Value
from gristmill.values.dispatch import both, case, cases
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.kinds import is_record, kind
from gristmill.values.lazy import LAZY_TYPES, LazySet, NumberSet, SequenceSet
from gristmill.values.world import current

# --- the key ---------------------------------------------------------------------------------------------------------
# The first number of a key is the kind; 0 for model values, the only ones that other kinds can be compared with.

Key = tuple[object, ...]


def sort_key(value: Value) -> Key:
    """A tuple that orders as the value does."""
    return KEYS[type(value)](value)


def _function_key(value: Fn) -> Key:
    return (5, len(value), tuple(map(sort_key, value)), tuple(map(sort_key, value.values())))


def _tuple_key(value: tuple[Value, ...]) -> Key:
    size = len(value)
    return (5, size, _indices_key(size), tuple(map(sort_key, value)))


_indices: dict[int, Key] = {}


def _indices_key(size: int) -> Key:
    key = _indices.get(size)
    if key is None:
        key = _indices[size] = tuple((1, index) for index in range(1, size + 1))
    return key


_NUMBERS = ("Nat", "Int", "Real")


def _lazy_key(value: LazySet) -> Key:
    if isinstance(value, NumberSet):
        return (6, "", _NUMBERS.index(value.name))
    return (6, type(value).__name__, tuple(KEYS[type(p)](p) if type(p) in KEYS else (repr(p),) for p in value._key()))


KEYS: dict[type, Callable[[Any], Key]] = dict(
    (
        case(int, lambda value: (1, value)),
        case(str, lambda value: (2, current().positions[value])),
        case(Boolean, lambda value: (3, value.truth)),
        case(ModelValue, lambda value: (0, current().positions[value.name])),
        case(frozenset, lambda value: (4, len(value), tuple(sorted(map(sort_key, value))))),
        case(tuple, _tuple_key),
        case(Fn, _function_key),
        *cases(LAZY_TYPES, _lazy_key),
    )
)

# --- the elements of a set in order ----------------------------------------------------------------------------------

_CACHED = 1 << 17  # sets; a run meets the same ones again and again, and clearing the cache occasionally is cheap


def ordered(elements: frozenset[Value]) -> tuple[Value, ...]:
    """The elements in canonical order; an error if they have none."""
    if len(elements) < 2:
        return tuple(elements)
    found = current().orders.get(elements)
    if found is None:
        found = _sort(elements)
        remember_order(elements, found)
    return found


def remember_order(elements: frozenset[Value], order: tuple[Value, ...]) -> None:
    """Spare `ordered` the sorting when the order is known anyway."""
    orders = current().orders
    if len(orders) >= _CACHED:
        orders.clear()
    orders[elements] = order


def _sort(elements: frozenset[Value]) -> tuple[Value, ...]:
    types = set(map(type, elements))
    sort = _SORT.get(types.pop()) if len(types) == 1 else None
    if sort is not None:
        return tuple(sort(elements))
    result = tuple(sorted(elements, key=sort_key))
    # If any two elements cannot be compared, then neither can two neighbours: the key groups by kind at the place where
    # elements first differ, and at the border between two groups stand two neighbours that differ there.
    for index in range(1, len(result)):
        compare(result[index - 1], result[index])
    return result


def _sort_strings(strings: frozenset[str]) -> list[str]:
    world = current()
    if not strings <= world.positions.keys():  # unregistered: the order must not depend on Python's hashes
        world.register_all(sorted(strings - world.positions.keys()))
    return sorted(strings, key=world.positions.__getitem__)


_SORT: dict[type, Callable[[Any], Iterable[Value]]] = {int: sorted, str: _sort_strings}  # sets of one type of element


# --- comparison ------------------------------------------------------------------------------------------------------


def compare(a: Value, b: Value) -> int:
    """Negative, zero or positive; an error where TLC has one."""
    if a is b:
        return 0
    if type(a) is type(b):
        return COMPARE[type(a)](a, b)
    return _compare_kinds(a, b)


def _compare_integers(a: int, b: int) -> int:
    return (a > b) - (a < b)


def _compare_booleans(a: Boolean, b: Boolean) -> int:
    return a.truth - b.truth


def _compare_strings(a: str, b: str) -> int:
    positions = current().positions
    return positions[a] - positions[b]


def _compare_model_values(a: ModelValue, b: ModelValue) -> int:
    if a.type != b.type and a.type and b.type:
        cannot_compare(a, b)
    positions = current().positions
    return positions[a.name] - positions[b.name]


def _compare_sets(a: frozenset[Value], b: frozenset[Value]) -> int:
    if len(a) != len(b) and not current().suspected:
        return len(a) - len(b)
    first, second = ordered(a), ordered(b)  # TLC sorts both before it looks at their sizes
    return len(a) - len(b) or _compare_each(first, second)


def _compare_tuples(a: tuple[Value, ...], b: tuple[Value, ...]) -> int:
    return len(a) - len(b) or _compare_each(a, b)


def _compare_functions(a: Fn, b: Fn) -> int:
    refuse_record_with_other(a, b)
    if len(a) != len(b):
        return len(a) - len(b)
    return _compare_each(tuple(a), tuple(b)) or _compare_each(tuple(a.values()), tuple(b.values()))


def _compare_each(a: tuple[Value, ...], b: tuple[Value, ...]) -> int:
    for x, y in zip(a, b, strict=True):
        if x is not y and (result := compare(x, y)):
            return result
    return 0


def _compare_lazy(a: LazySet, b: LazySet) -> int:
    """TLC orders Nat before Int, and Seq(S) as S. Of the others it knows only whether they are the same."""
    if a == b:
        return 0
    if isinstance(a, SequenceSet) and isinstance(b, SequenceSet):
        return compare(a.base, b.base)
    if isinstance(a, NumberSet) and isinstance(b, NumberSet):
        return _NUMBERS.index(a.name) - _NUMBERS.index(b.name)
    cannot_compare(a, b)


def _compare_kinds(a: Value, b: Value) -> int:
    if type(a) is ModelValue:
        return -1 if a.type is None else cannot_compare(a, b)
    if type(b) is ModelValue:
        return 1 if b.type is None else cannot_compare(a, b)
    if type(a) is tuple and type(b) is Fn:
        return _compare_with_tuple(a, b)
    if type(a) is Fn and type(b) is tuple:
        refuse_record_with_other(a, b)
        return -_compare_with_tuple(b, a)
    cannot_compare(a, b)


def _compare_with_tuple(a: tuple[Value, ...], b: Fn) -> int:
    if len(a) != len(b):
        return len(a) - len(b)
    refuse_indices_with_other(a, b)
    return _compare_each(tuple(range(1, len(a) + 1)), tuple(b))


COMPARE: dict[type, Callable[[Any, Any], int]] = dict(
    (
        both(int, _compare_integers),
        both(str, _compare_strings),
        both(Boolean, _compare_booleans),
        both(ModelValue, _compare_model_values),
        both(frozenset, _compare_sets),
        both(tuple, _compare_tuples),
        both(Fn, _compare_functions),
        *cases(LAZY_TYPES, _compare_lazy),
    )
)

# --- what may not be compared ----------------------------------------------------------------------------------------


def cannot_compare(a: Value, b: Value) -> NoReturn:
    _refuse_typed(a, b)
    _refuse_typed(b, a)
    raise EvaluationError(
        "incomparable-values", f"{kind(a)} and {kind(b)} cannot be compared: {{a}} and {{b}}", a=a, b=b
    )


def _refuse_typed(a: Value, b: Value) -> None:
    if type(a) is ModelValue and a.type is not None:
        raise EvaluationError(
            "incomparable-values",
            f"the model value {{a}} has type {a.type}: it can be compared with model values of that type and untyped"
            " ones, not with {b}",
            a=a,
            b=b,
        )


def refuse_record_with_other(a: Fn, b: tuple[Value, ...] | Fn) -> None:
    """TLC compares a record on the left with records and the empty function only, whatever the sizes."""
    if len(b) and is_record(a) and not is_record(b):
        cannot_compare(a, b)


def refuse_indices_with_other(a: tuple[Value, ...], b: Fn) -> None:
    """TLC compares the indices of a sequence with integers only, not even with model values."""
    for key in b:
        if type(key) is not int:
            cannot_compare(a, b)
