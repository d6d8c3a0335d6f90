"""How a state is cut into slots.

A variable that has always been a function on one domain, or a record with the same fields, gets a slot for each of its
values, and so on inside. That it will stay so is a speculation from states seen so far: a value that does not fit ends
the run, which begins again with a layout that has learnt from it. Nothing is ever truncated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TypeGuard

from gristmill.ir.places import Constant, Key
from gristmill.native.errors import Unsupported
from gristmill.values import Boolean, Fn, ModelValue, Value

MAX_PARTS = 64  # of one function
MAX_SLOTS = 400  # of a state, unless it has more variables
MAX_VARIABLES = 10_000  # slots are numbers of 16 bits, and a compiler takes its time


@dataclass(frozen=True)
class Leaf:
    """One slot, whatever the value is."""

    size = 1


@dataclass(frozen=True)
class Bits:
    """A set, as bits over the elements that sets of this universe have had so far: `words` slots. See `universes`."""

    universe: int
    words: int

    @property
    def size(self) -> int:
        return self.words


@dataclass(frozen=True)
class Parts:
    """A function on `keys`, in canonical order. `is_sequence`: the keys are 1..n."""

    keys: tuple[Value, ...]
    children: tuple[Layout, ...]
    is_sequence: bool

    @cached_property
    def size(self) -> int:
        return sum(child.size for child in self.children)

    @cached_property
    def is_record(self) -> bool:
        return all(type(key) is str for key in self.keys)

    @cached_property
    def child(self) -> Layout | None:
        """What all values look like, if they do."""
        first = self.children[0]
        return first if all(child == first for child in self.children) else None

    def offset(self, key: Value) -> tuple[int, Layout] | None:
        """Where the value at a key is."""
        for position, each in enumerate(self.keys):
            if type(each) is type(key) and each == key:
                return sum(child.size for child in self.children[:position]), self.children[position]
        return None

    @cached_property
    def first_number(self) -> int | None:
        """The least key, if the keys are consecutive integers."""
        low = self.keys[0]
        if type(low) is not int or not all(type(key) is int for key in self.keys):
            return None
        return low if self.keys == tuple(range(low, low + len(self.keys))) else None


Layout = Leaf | Bits | Parts
LEAF = Leaf()


def slots_at(layout: Layout, path: Sequence[Key]) -> Iterator[int]:
    """The slots that a place may be in, or a part of it: `path` leads there from what has this layout."""
    if not isinstance(layout, Parts) or not path:
        yield from range(layout.size)
        return
    key, *rest = path
    known = layout.offset(key.value) if isinstance(key, Constant) else None
    start = 0
    for child in layout.children:
        if known is None or known[0] == start:
            yield from (start + offset for offset in slots_at(child, rest))
        start += child.size


def infer(samples: Sequence[Value]) -> Layout:
    """A layout that all these values fit."""
    first = samples[0]
    if type(first) is Fn:
        keys = tuple(first)
        if len(keys) > MAX_PARTS or not _are_functions_on(samples, keys):
            return LEAF
        children = [infer([each[key] for each in samples]) for key in keys]
        if not all(type(key) is str for key in keys):
            children = [reduce(join, children)] * len(keys)
        return Parts(keys, tuple(children), False)
    if type(first) is tuple and first:
        size = len(first)
        if size > MAX_PARTS or not _are_tuples_of(samples, size):
            return LEAF
        children = [infer([each[index] for each in samples]) for index in range(size)]
        return Parts(tuple(range(1, size + 1)), (reduce(join, children),) * size, True)
    return LEAF


def _are_functions_on(samples: Sequence[Value], keys: tuple[Value, ...]) -> TypeGuard[Sequence[Fn]]:
    return all(type(each) is Fn and tuple(each) == keys for each in samples)


def _are_tuples_of(samples: Sequence[Value], size: int) -> TypeGuard[Sequence[tuple[Value, ...]]]:
    return all(type(each) is tuple and len(each) == size for each in samples)


def join(a: Layout, b: Layout) -> Layout:
    """What fits both."""
    if not isinstance(a, Parts) or not isinstance(b, Parts) or a.keys != b.keys or a.is_sequence != b.is_sequence:
        return LEAF
    return Parts(a.keys, tuple(map(join, a.children, b.children)), a.is_sequence)


def layouts(states: Iterable[Sequence[Value]], count: int, leaves: frozenset[int] = frozenset()) -> tuple[Layout, ...]:
    """Of each of `count` variables; those in `leaves` are not cut."""
    columns: list[list[Value]] = [[] for _ in range(count)]
    for state in states:
        for column, value in zip(columns, state, strict=True):
            column.append(value)
    found = [
        LEAF if index in leaves or not column else infer(_different(column)) for index, column in enumerate(columns)
    ]
    return _few_enough(found)


def _few_enough(found: list[Layout]) -> tuple[Layout, ...]:
    """Variables are not cut, the largest first, until there are not too many slots; one each they have in any case."""
    if len(found) > MAX_VARIABLES:
        raise Unsupported(f"it has more than {MAX_VARIABLES:,} variables")
    slots = sum(layout.size for layout in found)
    for index in sorted(range(len(found)), key=lambda index: -found[index].size):
        if slots <= MAX_SLOTS:
            break
        slots -= found[index].size - 1
        found[index] = LEAF
    return tuple(found)


def _different(values: list[Value]) -> list[Value]:
    return list(dict.fromkeys(values))


# --- widths ----------------------------------------------------------------------------------------------------------

# Different values seen in a sample, up to which a slot gets so many bytes; and of all slots of that width together.
_FEW, _FEW_TOGETHER = 40, 120
_SOME, _SOME_TOGETHER = 1_000, 8_000
# Of so many values, one in so many that was seen in the second half of the sample alone: there is no end to be seen.
_WITHOUT_END, _OFTEN_NEW = 60, 3
_ATOMS = frozenset({int, str, Boolean, ModelValue})


def widths(states: Sequence[Sequence[Value]], found: Sequence[Layout], least: int = 1) -> tuple[int, ...]:
    """Bytes for each slot: how many different values it had says how many it may have.

    `least`: no slot gets less; a run has shown that it would not do. To guess too few is dear, as all states are
    written anew then; too many cost little, as states are stored without the bits that never differ.
    """
    columns = _columns(states, found)
    words = words_of_sets(found)
    half = _columns(states[: len(states) // 2], found)
    guess = [_least_width(column, before) for column, before in zip(columns, half, strict=True)]
    result = [4] * len(columns)
    for width, together in ((2, _SOME_TOGETHER), (1, _FEW_TOGETHER)):
        chosen = [slot for slot, enough in enumerate(guess) if enough <= width and words[slot] <= 1]
        union = set().union(*(columns[slot] for slot in chosen)) if chosen else set()
        if width >= least and len(union) <= together:
            for slot in chosen:
                result[slot] = width
    return tuple(_of_bits(width) if count else width for count, width in zip(words, result, strict=True))


def _least_width(column: set[Value], early: set[Value]) -> int:
    """Bytes for a slot that has had these values. `early`: those in the first half of the states.

    Numbers and names are few, mostly, and soon seen; of sequences, functions and sets there will be more.
    """
    new = len(column) - len(early)
    expected = len(column) + 4 * new
    if expected > _SOME or (len(column) >= _WITHOUT_END and new * _OFTEN_NEW >= len(column)):
        return 4
    return 2 if expected > _FEW or any(type(value) not in _ATOMS for value in column) else 1


def _of_bits(width: int) -> int:
    """For a slot that has bits of a set: a dense number of what it has had, or the bits themselves."""
    return 8 if width > 2 else width


def words_of_sets(layouts: Sequence[Layout]) -> list[int]:
    """For each slot: of the set that it has bits of, all slots there are; 0 if it holds a value."""
    leaves = (leaf for layout in layouts for leaf in _leaves(layout))
    return [leaf.words if isinstance(leaf, Bits) else 0 for leaf in leaves for _ in range(leaf.size)]


def _leaves(layout: Layout) -> Iterator[Leaf | Bits]:
    if not isinstance(layout, Parts):
        yield layout
        return
    for child in layout.children:
        yield from _leaves(child)


def different(states: Iterable[bytes], slot_widths: Sequence[int]) -> list[int]:
    """How many different values each slot has in packed states: slots lie in them by width, the widest first."""
    columns: list[set[bytes]] = [set() for _ in slot_widths]
    order = sorted(range(len(slot_widths)), key=lambda slot: -slot_widths[slot])
    for state in states:
        start = 0
        for slot in order:
            end = start + slot_widths[slot]
            columns[slot].add(state[start:end])
            start = end
    return [len(column) for column in columns]


def widened(counts: Sequence[int], before: Sequence[int], full: int, layouts: Sequence[Layout] = ()) -> list[int]:
    """Bytes for each slot, after there were too many values for those that had `full` bytes: more for at least one of
    them, those that have most different values as far as was counted. `layouts`: if any of them may hold sets as bits.
    """
    most = max((count for count, width in zip(counts, before, strict=True) if width == full), default=0)
    wider = [
        2 * width if width == full and count * _MANY_TIMES >= most else width
        for count, width in zip(counts, before, strict=True)
    ]
    if not layouts:
        return wider
    return [_of_bits(width) if words else width for words, width in zip(words_of_sets(layouts), wider, strict=True)]


_MANY_TIMES = 8  # a slot with fewer values than the one with most of them by this factor is not what fills a dictionary


def _columns(states: Sequence[Sequence[Value]], found: Sequence[Layout]) -> list[set[Value]]:
    """The different values of each slot."""
    columns: list[set[Value]] = [set() for layout in found for _ in range(layout.size)]
    start = 0
    for variable, layout in enumerate(found):
        for value in dict.fromkeys(state[variable] for state in states):
            _collect(value, layout, columns, start)
        start += layout.size
    return columns


def _collect(value: Value, layout: Layout, columns: list[set[Value]], start: int) -> None:
    if not isinstance(layout, Parts):
        columns[start].add(value)
        return
    for part, child in zip(part_values(value, layout), layout.children, strict=True):
        _collect(part, child, columns, start)
        start += child.size


def part_values(value: Value, layout: Parts) -> Sequence[Value]:
    """Of a value that fits."""
    if type(value) is tuple:
        return value
    assert type(value) is Fn
    return [value[key] for key in layout.keys]
