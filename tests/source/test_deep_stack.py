"""Calls on a deep stack, and signals that arrive meanwhile."""

import os
import signal
import subprocess
import sys
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


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_with_hardly_any_room_for_a_stack_it_ends() -> None:
    """However little is left beside it: a thread that cannot begin says nothing, and must not be waited for."""
    program = (
        "import resource, sys\n"
        "from gristmill.source.stack import with_deep_stack\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]), resource.RLIM_INFINITY))\n"
        "try:\n"
        "    print(with_deep_stack(lambda: 'went well'))\n"
        "except MemoryError:\n"
        "    print('no room')\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program, str((512 << 20) + beside)], capture_output=True, text=True, timeout=60
        ).stdout.strip()
        for beside in (0, 64 << 10, 256 << 10, 1 << 20, 8 << 20, 32 << 20, 200 << 20)
    ]
    assert set(said) == {"went well", "no room"}
    assert said[0] == "no room"
    assert said[-1] == "went well"
