"""Calls on a deep stack, and signals that arrive meanwhile."""

import os
import signal
import threading
from typing import NoReturn

import pytest

from gristmill.source.stack import with_deep_stack


def test_a_handler_that_ends_the_program_ends_the_call_first() -> None:
    """Else the call would go on, with all locks that it holds, while the program cleans up."""
    lock, ended = threading.Lock(), []

    def ends(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    def call() -> None:
        with lock:
            try:
                os.kill(os.getpid(), signal.SIGUSR1)
                while True:
                    pass
            except KeyboardInterrupt:
                ended.append(True)

    before = signal.signal(signal.SIGUSR1, ends)
    try:
        with pytest.raises(SystemExit):
            with_deep_stack(call)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended == [True]
    assert lock.acquire(blocking=False)
