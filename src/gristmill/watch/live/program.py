"""A program of ours in C that notes what goes by, and who looks after it: it is started, told what to do, restarted."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from gristmill.watch.live.ring import Ring

_END_SECONDS = 5.0
_PAUSE = 0.2  # seconds before the third start in a row, doubled up to the longest
_LONGEST_PAUSE = 2.0
_SAID = 4096  # bytes


class NotingProgram(ABC):
    """It is told by lines on its standard input what to do, and writes to a ring that is ours."""

    source = ""  # what it is called
    after_restart = ""  # what that means

    def __init__(self, ring: Ring, program: Path) -> None:
        self.ring, self.program = ring, program
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._started, self._next_start, self._pause = 0.0, 0.0, 0.0

    @abstractmethod
    def describe(self) -> tuple[str, ...]:
        """What is watched, in words."""

    @abstractmethod
    def orders(self) -> Sequence[str]:
        """What it is told, besides the ring."""

    @abstractmethod
    def descriptors(self) -> Sequence[int]:
        """What it needs open."""

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        self.starts += 1
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            [self.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[self.ring.descriptor, *self.descriptors()],
            start_new_session=True,  # a Ctrl-C is for the one who watches
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines = [f"ring {self.ring.descriptor} {self.ring.size}", *self.orders(), "go", ""]
        with contextlib.suppress(OSError):  # it has ended already; `look` says so
            self._process.stdin.write("\n".join(lines).encode())
            self._process.stdin.flush()
        self._process.stdout.readline()  # it is ready, or has ended

    def look(self) -> str | None:
        """Whether it still runs. If it does not, it is started again, and this says why it had to be."""
        if self._process is None:
            if self.starts and time.monotonic() >= self._next_start:
                self.start()
            return None
        status = self._process.poll()
        if status is None:
            return None
        said = _last_words(self._process)
        self._let_go()
        now = time.monotonic()
        in_a_row = now - self._started < 10 * _LONGEST_PAUSE and self.starts > 1
        self._pause = min(_LONGEST_PAUSE, max(_PAUSE, 2 * self._pause)) if in_a_row else 0.0
        self._next_start = now + self._pause
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"the {self.source} has ended ({how}{said}); it is started again{self.after_restart}"

    def stop(self) -> None:
        """It notes nothing any more. What it has noted stays in the ring."""
        process = self._process
        self.starts = 0
        if process is None:
            return
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.write(b"end\n")
            process.stdin.flush()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._let_go()

    def _let_go(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()

    def close(self) -> None:
        """May be called more than once."""
        self.stop()


def _last_words(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    text = (process.stderr.read(_SAID) or b"").decode("utf-8", "replace").strip()
    return f": {text}" if text else ""
