"""What permutations of model values do to the slots of a state, for C; see runtime/symmetry/canonical.h."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from ctypes import POINTER, Structure, c_uint32, c_uint64
from itertools import accumulate
from typing import Any, TypeGuard

from gristmill.native.plan.layout import Layout, Parts
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import ModelValue, Value, current

_MOST_ELEMENTS = 16  # GM_MOST_ELEMENTS

Permutation = dict[ModelValue, ModelValue]
Keys = tuple[tuple[Parts, Value], ...]  # functions, each inside the one before, with an argument of it


@dataclass(frozen=True, slots=True)
class Slot:
    variable: int
    keys: Keys


def permuted_sets(group: Sequence[Permutation]) -> list[list[ModelValue]] | None:
    """The sets of which the group (without the identity) has all permutations; None if it is another group.

    It is a subgroup of the permutations that map each orbit to itself: if it has as many members, it is all of them.
    """
    orbits: dict[ModelValue, set[ModelValue]] = {}
    for permutation in group:
        for source, target in permutation.items():
            joined = orbits.get(source, {source}) | orbits.get(target, {target})
            orbits.update(dict.fromkeys(joined, joined))
    sets = [sorted(each, key=_position) for each in {id(orbit): orbit for orbit in orbits.values()}.values()]
    if math.prod(math.factorial(len(each)) for each in sets) != len(group) + 1:
        return None
    return sorted(sets, key=lambda each: _position(each[0])) if len(orbits) <= _MOST_ELEMENTS else None


def _position(value: ModelValue) -> int:
    return current().register(value.name)


class GmElements(Structure):
    """`gm_elements`."""

    _fields_ = (
        ("elements", c_uint32),
        ("sets", c_uint32),
        ("slots", c_uint32),
        ("position", POINTER(c_uint64)),
        *((name, POINTER(c_uint32)) for name in ("first", "class_of", "first_term", "term_element", "term_level")),
        ("shift", POINTER(c_uint32)),
        ("levels", c_uint32),
    )


class Elements:
    """The tables of `gm_elements`, for the slots of these layouts. `c` is valid as long as this lives."""

    def __init__(self, layouts: Sequence[Layout], sets: Sequence[Sequence[ModelValue]]) -> None:
        self._elements = [element for each in sets for element in each]
        self._set_of = {element: number for number, each in enumerate(sets) for element in each}
        self._slots = [Slot(number, keys) for number, layout in enumerate(layouts) for keys in _keys_of_slots(layout)]
        self._levels: dict[int, tuple[int, Parts]] = {}  # functions on elements, by identity, numbered
        terms = [[(function, key) for function, key in slot.keys if self._is_element(key)] for slot in self._slots]
        self._arrays = {
            "position": (c_uint64 * len(self._elements))(*map(_position, self._elements)),
            "first": _words(accumulate(map(len, sets), initial=0)),
            "class_of": _words(self._classes()),
            "first_term": _words(accumulate(map(len, terms), initial=0)),
            "term_element": _words(self._elements.index(key) for each in terms for _, key in each),
            "term_level": _words(self._level(function) for each in terms for function, _ in each),
            "shift": _words(self._shifts()),  # when all levels are known
        }
        self.c = GmElements(len(self._elements), len(sets), len(self._slots), levels=len(self._levels), **self._arrays)

    def _is_element(self, key: Value) -> TypeGuard[ModelValue]:
        return key in self._set_of

    def _classes(self) -> Iterator[int]:
        """Of each slot, as each element sees it."""
        numbers: dict[Any, int] = {}
        for slot in self._slots:
            for element in self._elements:
                yield numbers.setdefault(self._seen(slot, element), len(numbers))

    def _seen(self, slot: Slot, me: ModelValue) -> Any:
        """Where a slot is, if elements are only "me", or one of a set."""
        keys = [(key == me, self._set_of[key]) if self._is_element(key) else key for _, key in slot.keys]
        return (slot.variable, *keys)

    def _level(self, function: Parts) -> int:
        return self._levels.setdefault(id(function), (len(self._levels), function))[0]

    def _shifts(self) -> Iterator[int]:
        """How far from the first slot of each function that for each element is; 0 if it is not in the domain."""
        for _, function in self._levels.values():
            for element in self._elements:
                found = function.offset(element)
                yield 0 if found is None else found[0]


def _words(numbers: Iterable[int]) -> Any:
    listed = list(numbers)
    return (c_uint32 * max(1, len(listed)))(*listed)


def _keys_of_slots(layout: Layout) -> Iterator[Keys]:
    if not isinstance(layout, Parts):
        yield ()
        return
    for key, child in zip(layout.keys, layout.children, strict=True):
        for inside in _keys_of_slots(child):
            yield ((layout, key), *inside)


def slot_moves(layouts: Sequence[Layout], permutation: Permutation) -> list[int]:
    """Where the content of each slot goes when model values change their places."""
    places: list[int] = []
    start = 0
    for layout in layouts:
        places += [start + offset for offset in _moves(layout, permutation)]
        start += layout.size
    return places


def slots_in_order(layouts: Sequence[Layout], order: Sequence[int]) -> list[int]:
    """The slots of all variables, of which `order` tells the order; inside a variable they have that of values."""
    starts = list(accumulate((layout.size for layout in layouts), initial=0))
    return [slot for variable in order for slot in range(starts[variable], starts[variable + 1])]


def _moves(layout: Layout, permutation: Permutation) -> list[int]:
    if not isinstance(layout, Parts):
        return [0]
    starts: dict[Value, int] = {}
    at = 0
    for key, child in zip(layout.keys, layout.children, strict=True):
        starts[key] = at
        at += child.size
    found: list[int] = []
    for key, child in zip(layout.keys, layout.children, strict=True):
        target = starts[_permuted(key, permutation)]
        found += [target + offset for offset in _moves(child, permutation)]
    return found


def _permuted(value: Value, permutation: Permutation) -> Value:
    return permutation.get(value, value) if isinstance(value, ModelValue) else value


def can_be_permuted(layouts: Sequence[Layout], group: Sequence[Permutation]) -> bool:
    """Whether keys of functions that are cut into slots are only exchanged with one another."""
    moved = {atom for permutation in group for atom in permutation}
    return all(_keys_stay(layout, moved, group) for layout in layouts)


def _keys_stay(layout: Layout, moved: set[ModelValue], group: Sequence[Permutation]) -> bool:
    if not isinstance(layout, Parts):
        return True
    keys = set(layout.keys)
    simple = all(type(key) in (int, str, ModelValue) for key in keys)
    closed = all(_permuted(key, permutation) in keys for permutation in group for key in keys)
    uniform = isinstance(layout, Parts) and (layout.child is not None or not keys & moved)
    return simple and closed and uniform and all(_keys_stay(child, moved, group) for child in layout.children)
