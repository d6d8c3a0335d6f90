"""What has been noted and not been judged: in memory, then on disk, up to a limit."""

from __future__ import annotations

import tempfile
from collections import deque
from contextlib import suppress
from typing import IO

_IN_MEMORY = 32 << 20  # bytes
_SEGMENT = 16 << 20  # bytes of a file: what was judged is let go of by files
MOST = 1 << 30  # bytes in all


class BacklogFullError(Exception):
    """There is no room for what comes next."""


class Backlog:
    """A queue of pieces of bytes. Files have no names: they are gone when we are, however that happens."""

    def __init__(self, most: int = MOST, in_memory: int = _IN_MEMORY) -> None:
        self.most, self.in_memory = most, in_memory
        self.bytes = 0  # in all
        self._first: deque[bytes] = deque()  # before what is in files
        self._first_bytes = 0
        self._files: deque[_Segment] = deque()

    def put(self, piece: bytes) -> None:
        """Raises `BacklogFullError`, also if the disk is full: then nothing of it was put."""
        if self.bytes + len(piece) > self.most:
            raise BacklogFullError(f"more than {self.most >> 20} MB wait to be judged")
        if not self._files and self._first_bytes + len(piece) <= self.in_memory:
            self._first.append(piece)
            self._first_bytes += len(piece)
        else:
            self._put_in_file(piece)
        self.bytes += len(piece)

    def _put_in_file(self, piece: bytes) -> None:
        if not self._files or self._files[-1].written >= _SEGMENT:
            self._files.append(_Segment())
        try:
            self._files[-1].put(piece)
        except OSError as error:
            raise BacklogFullError(f"what waits to be judged cannot be kept: {error.strerror}") from None

    def take(self) -> bytes | None:
        """The next piece; None if there is none."""
        if not self._first and self._files:
            self._first.extend(self._files.popleft().pieces())
            self._first_bytes = sum(map(len, self._first))
        if not self._first:
            return None
        piece = self._first.popleft()
        self._first_bytes -= len(piece)
        self.bytes -= len(piece)
        return piece

    def close(self) -> None:
        self._first.clear()
        while self._files:
            self._files.popleft().close()
        self.bytes = self._first_bytes = 0


class _Segment:
    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.written = 0
        self._file: IO[bytes] | None = None

    def put(self, piece: bytes) -> None:
        """Raises `OSError`; then it is as if nothing had been put."""
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="gristmill-watch-", buffering=0)  # noqa: SIM115 (it stays open)
        done = 0
        try:
            while done < len(piece):
                done += self._file.write(piece[done:])
        except OSError:
            self._file.seek(self.written)
            with suppress(OSError):
                self._file.truncate()
            raise
        self.lengths.append(len(piece))
        self.written += len(piece)

    def pieces(self) -> list[bytes]:
        if self._file is None:
            return []
        with self._file as file:
            file.seek(0)
            return [_exactly(file, length) for length in self.lengths]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _exactly(file: IO[bytes], length: int) -> bytes:
    """Files of this kind are not buffered, and reading may give less than was asked for."""
    parts = []
    while length > 0:
        part = file.read(length)
        if not part:
            raise OSError("a file of records that wait to be judged has become shorter")
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
