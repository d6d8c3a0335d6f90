"""A cheap proof that comparing will not fail.

TLC refuses to compare values of different kinds wherever it meets them while comparing, however deep. To say that two
values differ, or that one is not in a set, we owe it the same refusals, but cannot walk both values each time. The
*shape* of a value says of which kinds its parts are; what is known of two shapes holds for all values that have them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import starmap
from typing import Any

from gristmill.values.atoms import Boolean, ModelValue, Value
from gristmill.values.dispatch import case, cases
from gristmill.values.function import Fn
from gristmill.values.lazy import LAZY_TYPES
from gristmill.values.world import current

Shape = Hashable

# Shapes: a type for atoms; "any" for an untyped model value, its letter for a typed one; ("set", shapes of the
# elements), ("seq", shapes) and ("fn", domain, shapes) for the others; "lazy" for what we promise nothing about.
_ATOMS = frozenset((int, str, Boolean))


def shape(value: Value) -> Shape:
    found: type = type(value)
    return found if found in _ATOMS else SHAPES[found](value)


def _tuple_shape(value: tuple[Value, ...]) -> Shape:
    return ("seq", tuple(map(shape, value)))


def _function_shape(value: Fn) -> Shape:
    return ("fn", tuple(value), tuple(map(shape, value.values())))


def _set_shape(value: frozenset[Value]) -> Shape:
    return ("set", shapes(value))


def _model_value_shape(value: ModelValue) -> Shape:
    return value.type or "any"


def _lazy_shape(value: Value) -> Shape:
    return "lazy"


SHAPES: dict[type, Callable[[Any], Shape]] = dict(
    (
        case(ModelValue, _model_value_shape),
        case(tuple, _tuple_shape),
        case(Fn, _function_shape),
        case(frozenset, _set_shape),
        *cases(LAZY_TYPES, _lazy_shape),
    )
)

_CACHED = 1 << 17


def shapes(elements: frozenset[Value]) -> frozenset[Shape]:
    """The shapes of the elements of a set."""
    known = current().shapes
    found = known.get(elements)
    if found is None:
        if len(known) >= _CACHED:
            known.clear()
        types = frozenset(map(type, elements))
        found = types if types <= _ATOMS else frozenset(map(shape, elements))
        known[elements] = found
    return found


def all_comparable(a: frozenset[Shape], b: frozenset[Shape]) -> bool:
    """Every value of a shape in `a` can be compared with every value of a shape in `b`."""
    return _remembered((a, b), lambda: all(comparable(x, y) for x in a for y in b))


def comparable_with_all(a: Shape, others: frozenset[Shape]) -> bool:
    """Every value of the shape can be compared with every value of the other shapes."""
    return _remembered((_WITH_ALL, a, others), lambda: all(comparable(a, other) for other in others))


_WITH_ALL = "with all"


def _remembered(key: Hashable, compute: Callable[[], bool]) -> bool:
    """Memoised for the run; what is known is forgotten when there is too much of it."""
    known = current().comparable
    found = known.get(key)
    if found is None:
        found = compute()
        if len(known) >= _CACHED:
            known.clear()
        known[key] = found
    return found


def comparable(a: Shape, b: Shape) -> bool:
    """Comparing values of these shapes never fails. Being wrong with False only costs time."""
    return _remembered((_TWO, a, b), lambda: _comparable(a, b))


_TWO = "two"


def _comparable(a: Shape, b: Shape) -> bool:
    if a == b and isinstance(a, type):
        return True
    if isinstance(a, str) or isinstance(b, str):
        return _comparable_model_values(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        if a[0] == b[0]:
            return _PARTS_COMPARABLE[a[0]](a, b)
        return (a == _EMPTY and b[0] == "fn") or (b == _EMPTY and a[0] == "fn")
    return False


_EMPTY = ("seq", ())  # <<>>, which differs from every function in size


def _comparable_model_values(a: Shape, b: Shape) -> bool:
    if a == "lazy" or b == "lazy":
        return False
    return a == b or a == "any" or b == "any"


_SequenceShape = tuple[str, tuple[Shape, ...]]
_FunctionShape = tuple[str, tuple[Value, ...], tuple[Shape, ...]]
_SetShape = tuple[str, frozenset[Shape]]


def _comparable_sequences(a: _SequenceShape, b: _SequenceShape) -> bool:
    return len(a[1]) != len(b[1]) or all(starmap(comparable, zip(a[1], b[1], strict=True)))


def _comparable_functions(a: _FunctionShape, b: _FunctionShape) -> bool:
    """On the same domain, the values decide; records with other fields differ in a string."""
    if a[1] == b[1]:
        return all(starmap(comparable, zip(a[2], b[2], strict=True)))
    return all(type(key) is str for key in a[1]) and all(type(key) is str for key in b[1])


def _comparable_sets(a: _SetShape, b: _SetShape) -> bool:
    return all_comparable(a[1], b[1])


_PARTS_COMPARABLE: dict[str, Callable[[Any, Any], bool]] = {
    "seq": _comparable_sequences,
    "fn": _comparable_functions,
    "set": _comparable_sets,
}
