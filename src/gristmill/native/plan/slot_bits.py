"""Which bit says that a slot of a state has changed: there are 64 of them, and states may have more slots.

Invariants and constraints are asked about a step if it has changed something that they read. So slots share a bit with
those that are read by the same formulas, as far as bits reach.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby

BITS = 64


def slot_bits(slots: int, read: Sequence[Collection[int]]) -> tuple[int, ...]:
    """For each slot its bit. `read`: the slots that each of the formulas reads."""
    if slots <= BITS:
        return tuple(range(slots))
    readers = [tuple(number for number, each in enumerate(read) if slot in each) for slot in range(slots)]
    ordered = sorted(range(slots), key=lambda slot: readers[slot])
    groups = [list(group) for _, group in groupby(ordered, key=lambda slot: readers[slot])]
    bits = [0] * slots
    first, spare = 0, max(0, BITS - len(groups))  # those that are not needed are shared out
    for group in groups:
        own = 1 + spare * len(group) // slots
        for position, slot in enumerate(group):
            bits[slot] = min(first + position * own // len(group), BITS - 1)
        first += own
    return tuple(bits)
