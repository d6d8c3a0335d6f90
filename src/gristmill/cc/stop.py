"""Cancelling compilations that are no longer needed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress


class Stop:
    """Of some compilations: after `now` none is begun, and those under way end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self.is_called = False

    def now(self) -> None:
        with self._lock:
            self.is_called = True
            for process in self._running:
                end(process)

    def begin(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.add(process)
            if self.is_called:
                end(process)

    def finished(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.discard(process)


def end(process: subprocess.Popen[str]) -> None:
    """A compiler is several processes: it has a group of its own."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
