"""Calls on a deep stack, and signals that arrive meanwhile."""

import os
import signal
import threading
import time
from typing import NoReturn

import pytest

from gristmill.source.stack import TimeIsUp, interrupt_thread, with_deep_stack


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


def test_a_thread_that_starts_another_one_is_interrupted_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until a new thread runs, CPython 3.11 takes it for the one that starts it, and would interrupt it instead."""
    patched, inside, ran, said = threading.Event(), threading.Event(), threading.Event(), []
    start = threading._start_new_thread  # type: ignore[attr-defined]

    def slowly(*arguments: object) -> object:
        inside.set()
        time.sleep(0.3)
        return start(*arguments)

    def starts() -> None:
        patched.wait()
        try:
            threading.Thread(target=ran.set).start()
            said.append("started")
            while True:
                pass
        except TimeIsUp:
            said.append("interrupted")

    thread = threading.Thread(target=starts, daemon=True)
    thread.start()
    monkeypatch.setattr(threading, "_start_new_thread", slowly)
    patched.set()
    assert inside.wait(60)
    interrupt_thread(thread.ident or 0, TimeIsUp)
    thread.join(60)
    assert said == ["started", "interrupted"]
    assert ran.wait(60)
