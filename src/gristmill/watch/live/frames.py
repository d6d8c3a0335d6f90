"""Objects over a pipe, a length in front of each, without ever waiting for a reader who is slow."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any

_LENGTH = struct.Struct("<I")
_AT_ONCE = 1 << 20


def frame(value: object) -> bytes:
    body = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


class Outbox:
    """The end of a pipe where things are put in. They wait here while the reader is busy."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.bytes = 0  # that wait
        self.broken = False  # the reader is gone
        self._waiting: deque[memoryview] = deque()
        os.set_blocking(descriptor, False)

    def put(self, data: bytes) -> None:
        if not self.broken:
            self._waiting.append(memoryview(data))
            self.bytes += len(data)
            self.flush()

    def flush(self) -> None:
        """As much as goes."""
        try:
            while self._waiting:
                done = os.write(self.descriptor, self._waiting[0][:_AT_ONCE])
                self.bytes -= done
                self._waiting[0] = self._waiting[0][done:]
                if not self._waiting[0]:
                    self._waiting.popleft()
        except BlockingIOError:
            return
        except OSError:
            self.broken = True
            self._waiting.clear()
            self.bytes = 0

    def drain(self, most: int = 0) -> None:
        """Wait until no more than so many bytes are left."""
        while self.bytes > most and not self.broken:
            select.select([], [self.descriptor], [], 1.0)
            self.flush()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)
        self.broken = True


class Inbox:
    """The end where they are taken out. `ended`: nothing will come any more."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.ended = False
        self._buffer = bytearray()

    def has_come(self, seconds: float) -> bool:
        """Whether there is something to be read, or the end, within this time."""
        return bool(select.select([self.descriptor], [], [], seconds)[0])

    def read(self) -> Iterator[Any]:
        """What has come. Waits if nothing has."""
        data = os.read(self.descriptor, _AT_ONCE)
        self.ended = not data
        self._buffer += data
        at = 0
        while len(self._buffer) - at >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, at)
            end = at + _LENGTH.size + length
            if len(self._buffer) < end:
                break
            yield pickle.loads(self._buffer[at + _LENGTH.size : end])
            at = end
        del self._buffer[:at]

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)
