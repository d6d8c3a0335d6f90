"""A handler that does not come back is interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TookTooLong(BaseException):
    """Raised inside a handler, where it happens to be. No `Exception`: a handler's `except` shall not swallow it."""


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise TookTooLong


@contextmanager
def watchdog(seconds: float) -> Iterator[None]:
    """Interrupts the body after so many seconds. Only in the main thread; elsewhere nothing can interrupt it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
