"""The process that decodes: records in, messages out, each to the monitors of its two nodes."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator, Mapping

from gristmill.source import SourceError
from gristmill.values import Value
from gristmill.watch.live.frames import Outbox, frame
from gristmill.watch.live.reports import Failed, Read
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message, Reading, Regained, Unseen
from gristmill.watch.recording import HEAD, Chunk

_AT_ONCE = 1 << 18  # bytes
_BATCH = 128  # messages
_MOST_WAITING = 64 << 20  # bytes for a monitor that is slow: others go on meanwhile
_TELL_EVERY = 0.25  # seconds


class Decoding:
    """`inbox`: a pipe with records as a recording has them. `outboxes`: of the monitors, by node."""

    def __init__(self, mapping: WatchMap, inbox: int, outboxes: Mapping[Value, Outbox], teller: Outbox) -> None:
        self.inbox, self.outboxes, self.teller = inbox, outboxes, teller
        self.reading = Reading(mapping)
        self._batches: dict[Value, list[Message | Unseen | Regained]] = {node: [] for node in outboxes}
        self._handed = dict.fromkeys(outboxes, 0)
        self._told = 0.0

    def run(self) -> None:
        done = False
        try:
            for message in self.reading.messages(self._chunks()):
                self._hand(message)
            self._flush()
            done = True
        except SourceError as error:
            first = error.diagnostics[0]
            self.teller.put(frame(Failed(first.message, first.help)))
        for outbox in self.outboxes.values():
            outbox.drain()
        self._tell(done)
        self.teller.drain()

    def _hand(self, message: Message) -> None:
        for change in self.reading.taken_unseen():
            for batch in self._batches.values():
                batch.append(change)
        for node in {message.source: None, message.target: None}:
            found = self._batches.get(node)
            if found is not None:
                found.append(message)
                self._handed[node] += 1
                if len(found) >= _BATCH:
                    self._send(node)

    def _send(self, node: Value) -> None:
        batch = self._batches[node]
        if batch:
            self._batches[node] = []
            outbox = self.outboxes[node]
            outbox.put(frame(batch))
            outbox.drain(_MOST_WAITING)

    def _flush(self) -> None:
        for node in self._batches:
            self._send(node)
        if time.monotonic() - self._told > _TELL_EVERY:
            self._tell()

    def _tell(self, done: bool = False) -> None:
        self._told = time.monotonic()
        names, trouble, handed = dict(self.reading.names), dict(self.reading.trouble), dict(self._handed)
        count, ignored = self.reading.count, self.reading.ignored
        self.teller.put(frame(Read(names, trouble, count, ignored, handed, time.process_time(), done)))

    # ------------------------------------------------------------------------------------------------------ what comes

    def _chunks(self) -> Iterator[Chunk]:
        buffer = bytearray()
        while data := self._read():
            buffer += data
            at, size = 0, HEAD.size
            while len(buffer) - at >= size:
                sequence, moment, connection, direction, length = HEAD.unpack_from(buffer, at)
                end = at + size + length
                if len(buffer) < end:
                    break
                yield Chunk(sequence, moment, connection, direction, bytes(buffer[at + size : end]))
                at = end
            del buffer[:at]

    def _read(self) -> bytes:
        """The next bytes. Before we wait for them, what is ready goes out."""
        if not self._is_ready(0):
            self._flush()
            while not self._is_ready(_TELL_EVERY):
                self._flush()
        elif time.monotonic() - self._told > _TELL_EVERY:
            self._flush()
        return os.read(self.inbox, _AT_ONCE)

    def _is_ready(self, seconds: float) -> bool:
        """Whether there is something to read. Meanwhile, monitors are given what they take."""
        waiting = [each for each in self.outboxes.values() if each.bytes]
        ready, _, _ = select.select([self.inbox], [each.descriptor for each in waiting], [], seconds)
        for each in waiting:
            each.flush()
        return bool(ready)
