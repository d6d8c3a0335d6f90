"""Which sets in states are held as bits over the elements that such sets have had so far.

Sets that have elements in common share a universe, so that they can be joined and compared bit by bit. How many
elements there will be is a guess from those seen so far: a universe that becomes too large ends the run, as a value
does that does not fit, and the variables that share it are held as values after that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from gristmill.native.plan.layout import LEAF, Bits, Layout, Parts, part_values
from gristmill.values import ModelValue, Value

BITS = 61  # of a slot: GM_BITS of the runtime
MOST_WORDS = 8  # GM_MOST_WORDS
_GROWTH = 6  # how many more elements are expected for each that the second half of the states has brought
_SPARE = 12  # elements
_MANY = 240  # elements seen, of which there will be too many


@dataclass(eq=False)
class _Sets:
    """Sets of one place, or of several that have elements in common."""

    early: set[Value] = field(default_factory=set)  # elements in the first half of the states
    elements: set[Value] = field(default_factory=set)
    number: int = -1

    def words(self) -> int | None:
        """Slots that a set needs; None if there are too many elements."""
        new = len(self.elements - self.early)
        expected = len(self.elements) + _GROWTH * new + _SPARE
        words = -(-expected // BITS)
        return words if words <= MOST_WORDS and len(self.elements) <= _MANY else None


Path = tuple[int, ...]  # a variable, then positions of children; those of a function that is no record are 0


def with_bits(
    layouts: Sequence[Layout], states: Sequence[Sequence[Value]], excluded: frozenset[int]
) -> tuple[Layout, ...]:
    """The layouts, with bits for sets where that pays. `excluded`: variables that have shown that they do not fit."""
    found: dict[Path, _Sets | None] = {}
    half = len(states) // 2
    for variable, layout in enumerate(layouts):
        if variable not in excluded:
            early = dict.fromkeys(state[variable] for state in states[:half])
            values = early | dict.fromkeys(state[variable] for state in states[half:])
            for value in values:  # each once: most states have most of theirs from others
                _collect(layout, value, (variable,), value in early, found)
    for variable, layout in enumerate(layouts):
        _align(layout, (variable,), found)
    for path, sets in found.items():
        if sets is not None and not _fit(sets.elements):
            found[path] = None
    _share(found)
    chosen = _numbered(found)
    return tuple(_replaced(layout, (variable,), chosen) for variable, layout in enumerate(layouts))


def _collect(layout: Layout, value: Value, path: Path, is_early: bool, found: dict[Path, _Sets | None]) -> None:
    if isinstance(layout, Parts):
        for position, (part, child) in enumerate(zip(part_values(value, layout), layout.children, strict=True)):
            _collect(child, part, (*path, _position(layout, position)), is_early, found)
        return
    if type(value) is not frozenset:
        found[path] = None
        return
    sets = found.setdefault(path, _Sets())
    if sets is not None and len(sets.elements) <= _MANY:
        sets.elements |= value
        if is_early:
            sets.early |= value


def _position(layout: Parts, position: int) -> int:
    return position if layout.is_record else 0


def _align(layout: Layout, path: Path, found: dict[Path, _Sets | None]) -> None:
    """A function on strings that has sets everywhere, if only empty ones here and there, goes on to look the same
    everywhere; a record with fields of several sorts does not.
    """
    if not isinstance(layout, Parts):
        return
    paths = list(dict.fromkeys((*path, _position(layout, position)) for position in range(len(layout.keys))))
    for child_path, child in zip(paths, layout.children, strict=False):
        _align(child, child_path, found)
    if layout.child != LEAF or len(paths) == 1:
        return
    sets = [each for child_path in paths if (each := found.get(child_path)) is not None]
    elements = set().union(*(each.elements for each in sets))
    if len(sets) == len(paths) and _fit(elements):
        all_of_them = _Sets(set().union(*(each.early for each in sets)), elements)
        found.update(dict.fromkeys(paths, all_of_them))


def _fit(elements: set[Value]) -> bool:
    """Whether there are any, and none that is plainly not to be compared with another."""
    typed = any(isinstance(each, ModelValue) and each.type is not None for each in elements)
    sorts = {type(each) for each in elements} - {ModelValue}
    return bool(elements) and not typed and len(sorts) <= 1 and len(elements) <= _MANY


def _share(found: dict[Path, _Sets | None]) -> None:
    """Places whose sets have elements in common get the same `_Sets`."""
    owner: dict[tuple[type, Value], _Sets] = {}
    for sets in list(found.values()):
        if sets is None:
            continue
        for element in list(sets.elements):
            other = owner.get((type(element), element), sets)
            if other is not sets:
                sets.elements |= other.elements
                sets.early |= other.early
                for path, each in found.items():
                    if each is other:
                        found[path] = sets
                for key, each in owner.items():
                    if each is other:
                        owner[key] = sets
            owner[type(element), element] = sets


def _numbered(found: dict[Path, _Sets | None]) -> dict[Path, Bits]:
    chosen: dict[Path, Bits] = {}
    count = 0
    for path, sets in found.items():
        words = None if sets is None else sets.words()
        if sets is None or words is None:
            continue
        if sets.number < 0:
            sets.number, count = count, count + 1
        chosen[path] = Bits(sets.number, words)
    return chosen


def _replaced(layout: Layout, path: Path, chosen: dict[Path, Bits]) -> Layout:
    if isinstance(layout, Parts):
        children = tuple(
            _replaced(child, (*path, _position(layout, position)), chosen)
            for position, child in enumerate(layout.children)
        )
        return replace(layout, children=children)
    return chosen.get(path, layout)


def sharing(layouts: Sequence[Layout], variable: int) -> frozenset[int]:
    """The variables that have sets in the universes of this one; none if it has no such sets."""
    own = {bits.universe for bits in bits_in(layouts[variable])}
    return frozenset(other for other, layout in enumerate(layouts) if own & {bits.universe for bits in bits_in(layout)})


def bits_in(layout: Layout) -> Iterator[Bits]:
    if isinstance(layout, Bits):
        yield layout
    elif isinstance(layout, Parts):
        for child in layout.children:
            yield from bits_in(child)


def universes(layouts: Sequence[Layout]) -> list[tuple[int, int]]:
    """Of each universe the slots of a set, and a variable that has one."""
    found: dict[int, tuple[int, int]] = {}
    for variable, layout in enumerate(layouts):
        for bits in bits_in(layout):
            found.setdefault(bits.universe, (bits.words, variable))
    return [found[number] for number in sorted(found)]
