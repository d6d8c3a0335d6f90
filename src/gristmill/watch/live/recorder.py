"""Keeps what was noted, as a file that `--from` reads. A thread of its own writes: a slow disk holds up nobody.

What the disk does not take in time is not recorded, and the file says so where it is missing: a note. If the disk is
full, the recording ends with its last whole record, and the watching goes on.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from pathlib import Path

from gristmill.source import Diagnostic, SourceError
from gristmill.watch.live.notes import Gap
from gristmill.watch.recording import HEAD

MOST = 64 << 20  # bytes that may wait for the disk
_LAST_SECONDS = 20.0  # for the disk to take what is left, at the end


def new_recording(path: Path) -> int:
    """A descriptor of a new file. Raises `SourceError`."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        help = "nothing is overwritten: another name, perhaps with the time in it, as run-%Y%m%d-%H%M%S.trace"
        raise SourceError(Diagnostic("cannot-record", f"{path} exists already", None, help=help)) from None
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise SourceError(Diagnostic("cannot-record", message, None)) from None


class Recorder:
    """`trouble`: what was not recorded, in words, once known."""

    def __init__(self, path: Path, file: int, most: int = MOST) -> None:
        self.path, self.most = path, most
        self.bytes = 0  # that were written
        self.trouble: dict[str, str] = {}
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._gap = Gap("the disk was too slow")
        self._changed = threading.Condition()
        self._ended = False
        self._file = file
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def put(self, records: bytes) -> None:
        """Whole records. Never waits."""
        with self._changed:
            if self._ended:
                return
            if self._waiting_bytes + len(records) > self.most:
                self._skip(records)
                return
            records = self._gap.note() + records
            self._waiting.append(records)
            self._waiting_bytes += len(records)
            self._changed.notify()

    def _skip(self, records: bytes) -> None:
        self._gap.skip(records)
        first, *_ = HEAD.unpack_from(records)
        why = f"has gaps: the disk was too slow, first at record {first}"
        self.trouble.setdefault(f"the recording {self.path}", why)

    # ------------------------------------------------------------------------------------------- in a thread of its own

    def _run(self) -> None:
        while (records := self._next()) is not None:
            try:
                self._write(records)
            except OSError as error:
                self._give_up(error)
                return

    def _next(self) -> bytes | None:
        with self._changed:
            while not self._waiting:
                if self._ended:
                    return None
                self._changed.wait()
            return self._waiting.popleft()

    def _write(self, records: bytes) -> None:
        view, done = memoryview(records), 0
        while done < len(view):
            done += os.write(self._file, view[done:])
        with self._changed:
            self.bytes += done
            self._waiting_bytes -= done

    def _give_up(self, error: OSError) -> None:
        """The file keeps what is in it: it is read up to its last whole record."""
        with self._changed:
            self._ended = True
            self._waiting.clear()
            why = f"has ended after {self.bytes:,} bytes: {error.strerror}"
            self.trouble[f"the recording {self.path}"] = why

    # ------------------------------------------------------------------------------------------------------------- end

    def close(self) -> None:
        """What waits is written, if the disk takes it within some seconds. May be called more than once."""
        with self._changed:
            last = self._gap.note()
            if last and not self._ended:
                self._waiting.append(last)
            self._ended = True
            self._changed.notify()
        self._thread.join(_LAST_SECONDS)
        if self._thread.is_alive():  # it is in the hands of the system, and ends with us
            self.trouble[f"the recording {self.path}"] = "is not complete: the disk was too slow"
        elif self._file >= 0:
            os.close(self._file)
            self._file = -1
