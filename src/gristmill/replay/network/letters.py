"""Messages on their way, and where those wait that somebody has to decide about."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from gristmill.replay.driver import Node
from gristmill.systems.decoders import Piece

if TYPE_CHECKING:
    from gristmill.replay.network.channel import Channel


@dataclass(slots=True, eq=False)
class Letter:
    """A message from one node to another. `record` is the message with members called by the names of nodes.

    `channel` is the direction of the connection in which it stands; None if it can be delivered apart.
    """

    number: int
    source: Node
    destination: Node
    port: str  # at which the destination really listens
    record: Mapping[str, Any]
    piece: Piece
    channel: Channel | None

    @property
    def kind(self) -> str:
        return str(self.record["kind"])

    def __str__(self) -> str:
        return f"{self.source} -> {self.destination} #{self.number}"


class Inbox:
    """Letters that wait for a decision. They come from the thread of the network and go to the coordinator's."""

    def __init__(self) -> None:
        self._letters: SimpleQueue[Letter] = SimpleQueue()
        self._first: list[Letter] = []  # that came while somebody waited for it

    def put(self, letter: Letter) -> None:
        self._letters.put(letter)

    def take(self) -> list[Letter]:
        letters, self._first = self._first, []
        with contextlib.suppress(Empty):
            while True:
                letters.append(self._letters.get_nowait())
        return letters

    def clear(self) -> None:
        self.take()

    def wait(self, seconds: float) -> None:
        """Until there is one, or so long."""
        if not self._first and seconds > 0:
            with contextlib.suppress(Empty):
                self._first.append(self._letters.get(timeout=seconds))
