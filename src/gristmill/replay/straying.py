"""Actors that the model does not speak of, such as copies of messages: they are let go as soon as they are seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.replay.driver import Arrival, Driver, Node
from gristmill.replay.mapping.parts import Mapping as SystemMapping
from gristmill.replay.moving import Mover
from gristmill.specification import State


class Strays:
    """`[stray.NAME]` of a mapping. Whether an actor is one depends on the step that is being replayed: on the state
    before it and the one after it; and on whether the same has come before.
    """

    def __init__(self, mapping: SystemMapping, driver: Driver, mover: Mover) -> None:
        self.mapping, self.driver, self.mover = mapping, driver, mover
        self._points = {move.name for move in mapping.strays}
        self._first: dict[tuple[Node, str, str], int] = {}  # the numbers of arrivals that are like none before
        self._seen = 0  # so many of the mover's arrivals

    def forget(self) -> None:
        self._first.clear()
        self._seen = 0

    def let_go(self, before: State, after: Mapping[str, Any]) -> None:
        """All that are held now. Raises what `Mover.take_in` raises."""
        if not self.mapping.strays:
            return
        self.mover.take_in(0.0)
        for each in self.driver.held():
            self.lets_go(each, before, after)

    def lets_go(self, arrival: Arrival, before: State, after: Mapping[str, Any]) -> bool:
        """If it is one of them, it goes on."""
        if not self.mapping.strays:
            return False
        names = {"after": after, "again": self._came_before(arrival)}
        for move in self.mapping.strays:
            if self.mover.fits(move, self.mover.node_of(move.on, before, names), arrival, before, names):
                self.mover.let_go(arrival, move, before, names)
                return True
        return False

    def _came_before(self, arrival: Arrival) -> bool:
        """Whether one that tells the same has come before, at the same point of the same node."""
        for each in self.mover.arrivals[self._seen :]:
            if each.point in self._points:
                self._first.setdefault(_alike(each), each.number)
        self._seen = len(self.mover.arrivals)
        return self._first.get(_alike(arrival), arrival.number) < arrival.number


def _alike(arrival: Arrival) -> tuple[Node, str, str]:
    return arrival.node, arrival.point, repr(sorted(arrival.bindings.items()))
