"""Room for recursion: trees of user input are walked by recursive functions, and people nest deeply."""

import contextvars
import mmap
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from gristmill.source.process_setting import ProcessSetting

Result = TypeVar("Result")

# The parser refuses what is nested deeper than this, so the walks behind it know what to be ready for.
MAX_NESTING = 1_000  # brackets, quantifiers, LETs, … inside one another
MAX_CHAIN = 5_000  # operators in a row: a + b + c + …

_STACK_BYTES = 512 * 1024 * 1024  # virtual; only what is touched is taken
_ROOM_BESIDE = 8 * 1024 * 1024  # bytes that must be left beside a stack where address space is limited
_RECURSION_LIMIT = 60_000
_PATIENCE = 10.0  # seconds, with a thread that was told to end
_STARTING_TAKES = 5.0  # seconds at most, to start a thread
_STARTING_FRAMES = 6  # that waiting for a thread to begin is within `Thread.start`
_inside = threading.local()
_DEEP_RECURSION = ProcessSetting(
    sys.getrecursionlimit, sys.setrecursionlimit, lambda limit: max(limit, _RECURSION_LIMIT)
)


class TimeIsUp(KeyboardInterrupt):
    """Ends an evaluation as Ctrl-C does, wherever it is."""


class Watchdog:
    """How long something on a deep stack may take, and whether it was told to end before it did.

    Code that can poll the clock ends in time by itself; this interrupts code that cannot, a little later.
    What was told to end may have left something out: its answer is not to be taken for a whole one.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self.told: type[KeyboardInterrupt] | None = None
        self._at = None if seconds is None else time.monotonic() + seconds + min(1.0, seconds / 4)

    @property
    def message(self) -> str:
        return f"The time limit of {self.seconds:g} s was reached" if self.told is TimeIsUp else "Interrupted"

    def left(self) -> float:
        """Seconds until it should be told again; after the first time that is every second."""
        if self._at is None:
            return 1.0
        return max(0.0, min(1.0, self._at - time.monotonic()))

    def look(self, thread: threading.Thread) -> None:
        now = time.monotonic()
        if self._at is not None and now >= self._at:
            self._at = now + 1.0
            self.tell(thread, TimeIsUp)

    def tell(self, thread: threading.Thread, what: type[KeyboardInterrupt]) -> None:
        self.told = what
        interrupt_thread(thread.ident or 0, what)


def with_deep_stack(function: Callable[[], Result], watchdog: Watchdog | None = None) -> Result:
    """Call `function` on a stack deep enough for every tree the parser lets through.

    That is the stack of another thread, in a copy of the caller's context. Ctrl-C, which reaches only the main thread,
    is passed on to it.
    """
    if getattr(_inside, "deep", False):
        return function()
    results: list[Result] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        _inside.deep = True
        try:
            results.append(function())
        except BaseException as error:  # handed to the caller's thread
            errors.append(error)
        finally:
            done.set()

    context = contextvars.copy_context()
    thread = threading.Thread(target=lambda: context.run(run), name="gristmill-deep-stack", daemon=True)
    with _DEEP_RECURSION:
        try:
            start_with_deep_stack(thread)
            try:
                _await(thread, done, watchdog or Watchdog())
            finally:
                _ended.note()
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException:  # a handler of a signal ends the program: whoever cleans up needs what the thread holds
            interrupt_thread(thread.ident or 0, KeyboardInterrupt)
            done.wait(_PATIENCE)
            raise
    if results:
        return results[0]
    raise errors[0] if errors else KeyboardInterrupt


_starting = threading.Lock()


class _Ended:
    """When the last call on a deep stack was over. The system takes the stack back a moment later."""

    MOMENT = 1.0  # seconds, on a busy machine

    def __init__(self) -> None:
        self._at = -self.MOMENT

    def note(self) -> None:
        self._at = time.monotonic()

    @property
    def just_now(self) -> bool:
        return time.monotonic() - self._at < self.MOMENT


_ended = _Ended()


def is_no_room_for_a_thread(error: RuntimeError) -> bool:
    """Python has no better name for it."""
    return "can't start new thread" in str(error)


def start_with_deep_stack(thread: threading.Thread) -> None:
    """The size of stacks is one setting for the whole process: it is changed by one at a time, and only for this."""
    with _starting:
        size = threading.stack_size(_STACK_BYTES)
        try:
            _start(thread)
        except RuntimeError as error:
            raise MemoryError("there is no room for the stack of a thread") from error
        finally:
            threading.stack_size(size)


def _start(thread: threading.Thread) -> None:
    """Where address space is limited, there may be no room for a second stack until that of the last call is gone."""
    while True:
        try:
            if _is_room_for_it():
                return thread.start()
            if not _ended.just_now:
                raise MemoryError("there is no room for the stack of a thread")
        except RuntimeError as error:
            if not (is_no_room_for_a_thread(error) and _ended.just_now):
                raise
        time.sleep(0.001)


def _is_room_for_it() -> bool:
    """A thread that has a stack and no memory for its first object ends at once, without a word to who has started it,
    who waits for ever. So more than the stack must be free, where there is a limit. If not even a stack would fit, one
    that was used before may still be there, and is used again: then something must be free beside it."""
    if not _has_limited_address_space() or _fits(_STACK_BYTES + _ROOM_BESIDE):
        return True
    return not _fits(_STACK_BYTES) and _fits(_ROOM_BESIDE)


def _fits(size: int) -> bool:
    try:
        mmap.mmap(-1, size).close()
    except OSError:
        return False
    return True


def _has_limited_address_space() -> bool:
    try:
        import resource
    except ImportError:  # not a Unix
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _await(thread: threading.Thread, done: threading.Event, watchdog: Watchdog) -> None:
    """Not by `join`: in Python 3.11 one that is interrupted takes the thread for finished.

    The first interrupt lets the thread end in its own way; who interrupts twice does not want to wait for that.
    """
    interrupted = False
    while True:
        try:
            while not done.wait(watchdog.left()) and thread.is_alive():
                watchdog.look(thread)
            return
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            watchdog.tell(thread, KeyboardInterrupt)


def interrupt_thread(identity: int, what: type[KeyboardInterrupt]) -> None:
    """Raise it there, between two instructions of Python.

    Not while it starts another thread: CPython 3.11 has that one under the number of its starter until it runs, and
    would end it in its place, before it can say that it has begun. The starter would wait for that for ever.
    """
    import ctypes  # seldom needed, and not for free

    deadline = time.monotonic() + _STARTING_TAKES
    while _is_starting_a_thread(identity) and time.monotonic() < deadline:
        time.sleep(0.0005)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(identity), ctypes.py_object(what))


def _is_starting_a_thread(identity: int) -> bool:
    frame = sys._current_frames().get(identity)
    for _ in range(_STARTING_FRAMES):
        if frame is None or frame.f_code is threading.Thread.start.__code__:
            break
        frame = frame.f_back
    return frame is not None and frame.f_code is threading.Thread.start.__code__
