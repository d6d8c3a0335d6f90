"""What sets of actions depend on, as bits: made for asking about many sets.

The same closure as `dependency_variables`, on numbers: an atom is a slot that some action speaks of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from gristmill.compose.variables.accesses import Accesses
from gristmill.compose.variables.slots import ordered
from gristmill.ir.places import Place, Slice

Bits = int


class Sharing:
    """Of a list of actions, which are known by their numbers. The world of the model must be active."""

    def __init__(self, actions: Sequence[Accesses]) -> None:
        self.actions = actions
        self.atoms: list[Place] = ordered({slot for each in actions for slot in _mentioned(each)})
        self._number = {slot: number for number, slot in enumerate(self.atoms)}
        self._touching = [self._bits_touching(slot) for slot in self.atoms]
        self.guards = [self._spread(test.slot for test in each.tests) for each in actions]
        self.writes = [self._spread(update.slot for update in each.updates) for each in actions]
        self.uses = [self._used(each) for each in actions]
        self._updates = [
            [(self._touching[self._number[u.slot]], self._spread(u.sources)) for u in each.updates] for each in actions
        ]
        self._known: dict[frozenset[int], Bits] = {}

    def depends(self, members: frozenset[int]) -> Bits:
        """The dependency variables of a module that consists of these actions."""
        found = self._known.get(members)
        if found is None:
            found = self._known[members] = self._closed(members)
        return found

    def _closed(self, members: frozenset[int]) -> Bits:
        found = 0
        for member in members:
            found |= self.guards[member]
        updates = [update for member in members for update in self._updates[member]]
        while True:
            more = found
            for target, sources in updates:
                if target & more:
                    more |= sources
            if more == found:
                return found
            found = more

    def written(self, members: frozenset[int]) -> Bits:
        found = 0
        for member in members:
            found |= self.writes[member]
        return found

    def slots(self, bits: Bits) -> list[Place]:
        return [slot for number, slot in enumerate(self.atoms) if bits >> number & 1]

    def weight(self, bits: Bits) -> float:
        """Variables, and parts of them as parts."""
        total = 0.0
        while bits:
            last = bits & -bits
            total += self.weights[last.bit_length() - 1]
            bits ^= last
        return total

    @cached_property
    def weights(self) -> list[float]:
        """One for each variable, and for each slice of one, divided among its atoms."""
        owners = [
            (slot.variable, next((key.tag for key in slot.path if isinstance(key, Slice)), None)) for slot in self.atoms
        ]
        return [1 / owners.count(owner) for owner in owners]

    def _used(self, action: Accesses) -> Bits:
        """What an action itself reads or writes, parts of that included."""
        return self._spread(_mentioned(action))

    def _bits_touching(self, slot: Place) -> Bits:
        return sum(1 << number for number, other in enumerate(self.atoms) if other.may_touch(slot))

    def _spread(self, slots: Iterable[Place]) -> Bits:
        found = 0
        for slot in slots:
            found |= self._touching[self._number[slot]]
        return found


def _mentioned(action: Accesses) -> Iterator[Place]:
    yield from (test.slot for test in action.tests)
    for update in action.updates:
        yield update.slot
        yield from update.sources
