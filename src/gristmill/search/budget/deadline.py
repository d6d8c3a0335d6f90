"""When a search of users' programs has to stop: at a deadline, at Ctrl-C; and what does not come back is interrupted.

Python raises KeyboardInterrupt between any two instructions: in a callback from C, where it gets lost, or in users'
code, which may swallow it. So while a search is watched, Ctrl-C only leaves a note, and the search looks for it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ParamSpec, TypeVar

from gristmill.search.budget.limits import LimitReached

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

UNLIMITED = float("inf")  # seconds
_TICK = 0.05  # seconds between two looks at users' code
_GRACE = 1.0  # seconds that workers have to tell what they have found
_AGAIN = 1.0  # seconds until users' code that goes on all the same is interrupted once more


class TookTooLong(BaseException):
    """Raised inside users' code, where it happens to be. No `Exception`: their `except` shall not swallow it."""


class _Real:
    """The clock of the machine, also where programs are explored whose modules are given another one."""

    now = staticmethod(time.monotonic)


class _Signals:
    """What the handlers of signals know: a process has one of each, and only the main thread hears them."""

    __slots__ = ("deadline", "fired", "ticking", "until")

    def __init__(self) -> None:
        self.deadline: Deadline | None = None  # of the search that is watched
        self.ticking = False
        self.until: float | None = None  # when the users' code that runs must have come back
        self.fired = False  # it has not


_signals = _Signals()  # as before, after each search


class Deadline:
    """Of one search, whichever processes take part in it."""

    def __init__(self, seconds: float | None = None) -> None:
        self.began = _Real.now()
        self.seconds = seconds
        self.interrupted = False

    @property
    def elapsed(self) -> float:
        return _Real.now() - self.began

    @property
    def end(self) -> float:
        return UNLIMITED if self.seconds is None else self.began + self.seconds

    def reason(self) -> str | None:
        """Why the search must stop, if it must."""
        if self.interrupted:
            return "interrupted"
        if self.seconds is not None and self.elapsed > self.seconds:
            return f"stopped after {self.seconds:g} s"
        return None

    def check(self) -> None:
        reason = self.reason()
        if reason is not None:
            raise LimitReached(reason)

    def check_workers(self) -> None:
        """As `check`, by who waits for others that see to the time themselves: they are given time to say so."""
        if self.interrupted or (self.seconds is not None and self.elapsed > self.seconds + _GRACE):
            self.check()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """While this lasts, Ctrl-C leaves a note, and `call` gives up in time. In the main thread, as Python has it."""
        if not _in_main_thread():
            yield
            return
        handler, before = signal.getsignal(signal.SIGINT), _signals.deadline
        try:
            if handler is signal.default_int_handler:  # a handler of the program's stays
                signal.signal(signal.SIGINT, self._note)
            _signals.deadline = self
            with _ticking():
                yield
        finally:
            _signals.deadline = before
            signal.signal(signal.SIGINT, handler)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """What is done meanwhile is done to the end; Ctrl-C still leaves its note."""
        before, _signals.deadline = _signals.deadline, None
        try:
            yield
        finally:
            _signals.deadline = before

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self.interrupted = True
        if _signals.until is not None and _signals.deadline is not None:
            _signals.until = 0.0


def poll() -> None:
    """Raises `LimitReached` if the search that is watched has to stop."""
    if _signals.deadline is not None and _in_main_thread():
        _signals.deadline.check()


def call(seconds: float, function: Callable[Given, Returned], *given: Given.args, **named: Given.kwargs) -> Returned:
    """Call users' code. Raises `TookTooLong` if it needs more time, `LimitReached` if the search has to stop.

    Only in the main thread; elsewhere nothing can interrupt it.
    """
    if not _in_main_thread():
        return function(*given, **named)
    if not _signals.ticking:
        with _ticking():
            return _call(seconds, function, *given, **named)
    return _call(seconds, function, *given, **named)


def _call(seconds: float, function: Callable[Given, Returned], *given: Given.args, **named: Given.kwargs) -> Returned:
    signals, deadline = _signals, _signals.deadline
    end = _Real.now() + seconds
    if deadline is not None:
        deadline.check()
        end = min(end, deadline.end)
    signals.until = end
    # A signal is handled where something is called: from here on, nothing is, but for users' code.
    try:
        returned = function(*given, **named)
    except BaseException as error:
        signals.until = None
        if _has_fired():
            raise _too_long(error) from None
        raise
    signals.until = None
    if _has_fired():
        raise _too_long(None)
    return returned


def _has_fired() -> bool:
    fired, _signals.fired = _signals.fired, False
    return fired


def _too_long(error: BaseException | None) -> BaseException:
    """What to raise if users' code was interrupted, whatever it made of that."""
    reason = _signals.deadline.reason() if _signals.deadline is not None else None
    if reason is not None:
        return LimitReached(reason)
    return TookTooLong().with_traceback(error.__traceback__ if error is not None else None)


@contextmanager
def _ticking() -> Iterator[None]:
    if _signals.ticking:
        yield
        return
    began = _Real.now()
    handler = signal.signal(signal.SIGALRM, _tick)
    left, interval = signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    _signals.ticking = True
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        _signals.ticking = False
        if left:  # the timer was set before: it goes on
            signal.setitimer(signal.ITIMER_REAL, max(left - (_Real.now() - began), 1e-3), interval)


def _tick(signum: int, frame: FrameType | None) -> None:
    now, until = _Real.now(), _signals.until
    if until is not None and now >= until:
        _signals.until, _signals.fired = now + _AGAIN, True
        raise TookTooLong


def _in_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def begin_worker() -> None:
    """In a process just forked: it has no timer, and who forked it sees to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _signals.deadline, _signals.ticking, _signals.until = None, False, None
