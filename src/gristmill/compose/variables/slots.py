"""Slots: places of a state as modules share them, without the parameters of one action.

`log[i]` of one action and `log[j]` of another are both `log`, and `vote[i].term` is `vote[*].term`: parts of a variable
are told apart by fields, constant arguments and the tags of messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gristmill.ir.places import ANYTHING, Anything, Key, Place, Symbol, without_covered

Slots = frozenset[Place]
NONE: Slots = frozenset()


def slot_of(place: Place) -> Place:
    """All that a place may be, for some parameters."""
    path = [_free(key) for key in place.path]
    while path and isinstance(path[-1], Anything):
        path.pop()
    return replace(place, path=tuple(path))


def slots_of(places: Iterable[Place]) -> Slots:
    return without_covered(slot_of(place) for place in places)


def _free(key: Key) -> Key:
    return ANYTHING if isinstance(key, Symbol) else key


def is_covered(slot: Place, slots: Iterable[Place]) -> bool:
    return any(each.covers(slot) for each in slots)


def touches(slot: Place, slots: Iterable[Place]) -> bool:
    return any(each.may_touch(slot) for each in slots)


def common(one: Place, other: Place) -> Place:
    """What two slots that may touch have in common."""
    longer, shorter = (one, other) if len(one.path) >= len(other.path) else (other, one)
    narrow = [b if isinstance(a, Anything) else a for a, b in zip(longer.path, shorter.path, strict=False)]
    return replace(longer, path=(*narrow, *longer.path[len(narrow) :]))


def ordered(slots: Iterable[Place]) -> list[Place]:
    """As the variables were declared, then by their text. A world must be active."""
    return sorted(slots, key=_order)


def _order(slot: Place) -> tuple[int, list[str]]:
    return slot.variable, [str(key) for key in slot.path]
