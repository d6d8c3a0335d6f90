"""The process that decodes: records in, messages out, each to the monitors of its two nodes."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gristmill.source import SourceError
from gristmill.systems.decoders.listening import picked
from gristmill.values import Value
from gristmill.watch.ear import Ear
from gristmill.watch.live.frames import Outbox, frame
from gristmill.watch.live.reports import Failed, Read
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message, Reading, Regained, Unseen
from gristmill.watch.packed import Packed, Route, Share
from gristmill.watch.recording import HEAD

Handed: TypeAlias = Message | Share | Unseen | Regained

_AT_ONCE = 1 << 18  # bytes
_BATCH = 128  # messages
_MOST_WAITING = 16 << 20  # bytes for a monitor that is slow: others go on meanwhile
_TELL_EVERY = 0.25  # seconds


class Decoding:
    """`inbox`: a pipe with records as a recording has them. `outboxes`: of the monitors, by node."""

    def __init__(self, mapping: WatchMap, inbox: int, outboxes: Mapping[Value, Outbox], teller: Outbox) -> None:
        self.inbox, self.outboxes, self.teller = inbox, outboxes, teller
        self.reading = Reading(mapping)
        self._ear = Ear(self.reading)
        self._batches: dict[Value, list[Handed]] = {node: [] for node in outboxes}
        self._marks = {node: bytearray() for node in outboxes}  # of each route, whether it concerns this node
        self._routes: list[Route] | None = None  # that these marks are of
        self._handed = dict.fromkeys(outboxes, 0)
        self._told = 0.0

    def run(self) -> None:
        done = False
        try:
            for message in self._ear.messages(self._blocks()):
                for change in self.reading.taken_unseen():
                    for batch in self._batches.values():
                        batch.append(change)
                if isinstance(message, Packed):
                    self._hand_packed(message)
                else:
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

    def _hand_packed(self, packed: Packed) -> None:
        """To each node its own, with the routes that are new."""
        anew = packed.routes is not self._routes
        self._routes = packed.routes
        for node, marks in self._marks.items():
            if anew:
                marks.clear()
            new = tuple(packed.routes[len(marks) :])
            marks += bytes(route.concerns(node) for route in new)
            data, count = picked(packed.data, bytes(marks))
            if count or new or anew:
                self._batches[node].append(Share(data, count, new, anew))
                self._handed[node] += count
                self._send(node)

    def _hand(self, message: Message) -> None:
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

    def _blocks(self) -> Iterator[bytes]:
        """Whole records."""
        data = b""
        while more := self._read():
            data += more
            at, size = 0, HEAD.size
            while len(data) - at >= size:
                end = at + size + HEAD.unpack_from(data, at)[-1]
                if len(data) < end:
                    break
                at = end
            if at:
                yield data[:at]
                data = data[at:]

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
