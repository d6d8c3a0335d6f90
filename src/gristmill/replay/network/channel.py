"""One direction of a connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from gristmill.replay.network.letters import Letter


@dataclass(slots=True, eq=False)
class Channel:
    """What stands behind a message that nobody has decided about waits, too. All in the thread of the network.

    Messages that are `loose` do not stand in the queue: whoever is decided about first goes first.
    """

    announce: Callable[[Letter], None]  # a message has come to the front
    writer: asyncio.StreamWriter | None = None
    queue: deque[bytes | Letter] = field(default_factory=deque)
    front: Letter | None = None  # the message that was announced
    loose: set[Letter] = field(default_factory=set)
    ended: bool = False  # nothing more will come
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, item: bytes | Letter) -> None:
        self.queue.append(item)
        self.advance()

    def put_loose(self, letter: Letter) -> None:
        self.loose.add(letter)
        self.announce(letter)

    def end(self) -> None:
        self.ended = True
        self.advance()

    def has(self, letter: Letter) -> bool:
        """Whether this message can still be decided about."""
        return self.front is letter or letter in self.loose

    def decide(self, letter: Letter, wire: bytes) -> bool:
        """Send this in place of the message: nothing, if it got lost. False if it is gone already."""
        if not self.has(letter):
            return False
        if self.front is letter:
            self.queue.popleft()
            self.front = None
        self.loose.discard(letter)
        self._write(wire)
        self.advance()
        return True

    def again(self, letter: Letter, copy: Letter) -> None:
        """Put a copy directly behind the message at the front."""
        if self.front is letter:
            self.queue.insert(1, copy)
        else:
            self.put_loose(copy)

    def advance(self) -> None:
        while self.queue and self.front is None:
            item = self.queue[0]
            if isinstance(item, Letter):
                self.front = item
                self.announce(item)
            else:
                self.queue.popleft()
                self._write(item)
        if self.ended and not self.queue and not self.loose:
            self.done.set()
            if self.writer is not None and not self.writer.is_closing():
                with contextlib.suppress(OSError):
                    self.writer.write_eof()

    def _write(self, data: bytes) -> None:
        if self.writer is not None and data and not self.writer.is_closing():
            self.writer.write(data)

    def close(self) -> None:
        """What waits here is lost."""
        self.queue.clear()
        self.loose.clear()
        self.front = None
        self.done.set()
        if self.writer is not None:
            self.writer.close()
