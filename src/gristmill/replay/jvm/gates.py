"""Which points are closed, who is held there, what has happened: shared by the coordinator and the nodes' threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gristmill.replay.driver import Arrival, Bindings, Failure, Node, Occurrence
from gristmill.replay.jvm.arming import Armed
from gristmill.replay.jvm.wire import Location

if TYPE_CHECKING:
    from gristmill.replay.jvm.session import Session

Told: TypeAlias = Occurrence | Exception


@dataclass(frozen=True, slots=True)
class Held:
    """A thread that stays at a point. `following`: which of the points at the same place it comes to next."""

    arrival: Arrival
    session: Session
    thread: int
    location: Location
    armed: Armed
    following: int


class Gates:
    """All points are open to begin with."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._closed: set[tuple[Node, str]] = set()
        self._held: dict[int, Held] = {}
        self._happened: deque[tuple[Session | None, Told]] = deque()
        self._number = 0
        self.last_move = time.monotonic()  # when a thread last reached a point, or went on

    # ------------------------------------------------------------------------------------------------ by nodes' threads

    def arrive(
        self,
        session: Session,
        armed: Armed,
        thread: int,
        location: Location,
        following: int,
        actor: str,
        bound: Bindings,
    ) -> bool:
        """Note an arrival. Tells whether it is held."""
        point = armed.watched.point
        with self._changed:
            held = not point.tells and (session.node, point.name) in self._closed and not session.over
            arrival = Arrival(session.node, point.name, actor, bound, held, self._number)
            self._number += 1
            if held:
                self._held[arrival.number] = Held(arrival, session, thread, location, armed, following)
            self._tell(session, arrival)
        return held

    def fail(self, session: Session | None, failure: Failure | Exception) -> None:
        """A failure of the system; an exception is one of ours, and is raised when it is its turn."""
        with self._changed:
            if session is None or not session.over:
                self._tell(session, failure)

    def _tell(self, session: Session | None, what: Told) -> None:
        self.last_move = time.monotonic()
        self._happened.append((session, what))
        self._changed.notify_all()

    # ----------------------------------------------------------------------------------------------- by the coordinator

    def close(self, points: Collection[str], nodes: Iterable[Node]) -> None:
        with self._changed:
            self._closed |= {(node, point) for node in nodes for point in points}

    def open(self, points: Collection[str], nodes: Collection[Node]) -> list[Held]:
        """Those that were held there are held no longer, and are to go on."""
        with self._changed:
            self._closed -= {(node, point) for node in nodes for point in points}
            going = [
                each for each in self._held.values() if each.arrival.point in points and each.arrival.node in nodes
            ]
            for each in going:
                del self._held[each.arrival.number]
            return going

    def held(self) -> list[Held]:
        with self._changed:
            return list(self._held.values())

    def find(self, arrival: Arrival) -> Held | None:
        return self._held.get(arrival.number)

    def take(self, arrival: Arrival) -> None:
        with self._changed:
            self._held.pop(arrival.number, None)
            self.last_move = time.monotonic()

    def forget(self, session: Session, heard: bool = False) -> None:
        """A node that is gone holds nothing any more. What it has done does not count, unless it is to be `heard`."""
        with self._changed:
            session.over = True
            self._held = {number: each for number, each in self._held.items() if each.session is not session}
            if not heard:
                self._happened = deque(each for each in self._happened if each[0] is not session)

    def clear(self) -> None:
        with self._changed:
            self._closed.clear()
            self._held.clear()
            self._happened.clear()
            self._number = 0

    def next(self, seconds: float) -> Told | None:
        """The oldest thing that nobody has heard of; None if there is none for so long."""
        with self._changed:
            if not self._happened and seconds > 0:
                self._changed.wait(seconds)
            return self._happened.popleft()[1] if self._happened else None

    def wake(self) -> None:
        """Whoever waits may want to look at the processes."""
        with self._changed:
            self._changed.notify_all()
