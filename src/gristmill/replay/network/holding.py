"""Which messages are held, and what is told of them. All in the coordinator's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence

from gristmill.replay.driver import Arrival, DriverError, Node, Occurrence
from gristmill.replay.network.letters import Letter
from gristmill.replay.network.points import MessagePoint


class Holding:
    """`go_on`: what to do with a message that nothing holds; `lose`: with one that gets lost."""

    def __init__(
        self,
        points: Sequence[MessagePoint],
        nodes: Sequence[Node],
        go_on: Callable[[Letter], None],
        lose: Callable[[Letter], None],
    ) -> None:
        self.points, self.nodes = points, nodes
        self.go_on, self.lose = go_on, lose
        self.closed: set[tuple[str, Node]] = set()
        self.told: deque[Occurrence] = deque()
        self._held: dict[Arrival, Letter] = {}
        self._count = 0

    def judge(self, letter: Letter) -> None:
        """The first closed point that accepts it holds it; open ones, and those that only tell, note that it came."""
        holding: Arrival | None = None
        for point in self.points:
            bindings = point.bindings(letter)
            if not point.accepts(letter, bindings):
                continue
            node = point.node(letter)
            closed = not point.point.tells and (point.point.name, node) in self.closed
            if closed and point.loses and holding is None:
                self.lose(letter)
                return
            if closed and holding is not None:
                continue
            self._count += 1
            arrival = Arrival(node, point.point.name, str(letter), bindings, closed, self._count)
            self.told.append(arrival)
            holding = arrival if closed else holding
        if holding is None:
            self.go_on(letter)
        else:
            self._held[holding] = letter

    def held(self, waits: Callable[[Letter], bool]) -> list[Arrival]:
        """`waits`: whether a message has not been lost meanwhile."""
        self._held = {arrival: letter for arrival, letter in self._held.items() if waits(letter)}
        return list(self._held)

    def letter(self, arrival: Arrival) -> Letter:
        found = self._held.get(arrival)
        if found is None:
            raise DriverError(f"{arrival.actor} is not held any more at {arrival.point}")
        return found

    def taken(self, arrival: Arrival) -> Letter:
        """It is not held from now on."""
        letter = self.letter(arrival)
        del self._held[arrival]
        return letter

    def close(self, points: Collection[str], node: Node | None) -> None:
        self.closed |= {(point, each) for point in points for each in ([node] if node else self.nodes)}

    def open(self, points: Collection[str], node: Node | None) -> list[Arrival]:
        """Who was held there, and is not to be any more."""
        opened = {(point, each) for point in points for each in ([node] if node else self.nodes)}
        self.closed -= opened
        return [each for each in self._held if (each.point, each.node) in opened]

    def forget(self) -> None:
        """All points are open, and nothing has happened."""
        self.closed.clear()
        self.told.clear()
        self._held.clear()

    def on_the_way(
        self, source: Node | None = None, destination: Node | None = None, kind: str | None = None
    ) -> list[Arrival]:
        """The messages that are held on a link, of a kind, in order."""
        return [
            arrival
            for arrival, letter in self._held.items()
            if source in (None, letter.source)
            and destination in (None, letter.destination)
            and kind in (None, letter.kind)
        ]
