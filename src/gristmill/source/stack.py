"""Room for recursion: trees of user input are walked by recursive functions, and people nest deeply."""

import contextvars
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from gristmill.source.process_setting import ProcessSetting

Result = TypeVar("Result")

# The parser refuses what is nested deeper than this, so the walks behind it know what to be ready for.
MAX_NESTING = 1_000  # brackets, quantifiers, LETs, … inside one another
MAX_CHAIN = 5_000  # operators in a row: a + b + c + …

_STACK_BYTES = 512 * 1024 * 1024  # virtual; only what is touched is taken
_RECURSION_LIMIT = 60_000
_inside = threading.local()
_DEEP_RECURSION = ProcessSetting(
    sys.getrecursionlimit, sys.setrecursionlimit, lambda limit: max(limit, _RECURSION_LIMIT)
)


def with_deep_stack(function: Callable[[], Result]) -> Result:
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
    with _DEEP_RECURSION:
        _await(_start(lambda: context.run(run)), done)
    if results:
        return results[0]
    raise errors[0] if errors else KeyboardInterrupt


_starting = threading.Lock()


def _start(run: Callable[[], None]) -> threading.Thread:
    """The size of stacks is one setting for the whole process: it is changed by one at a time, and only for this."""
    thread = threading.Thread(target=run, name="gristmill-deep-stack", daemon=True)
    with _starting:
        size = threading.stack_size(_STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(size)
    return thread


def _await(thread: threading.Thread, done: threading.Event) -> None:
    """Not by `join`: in Python 3.11 one that is interrupted takes the thread for finished.

    The first interrupt lets the thread end in its own way; who interrupts twice does not want to wait for that.
    """
    interrupted = False
    while True:
        try:
            while not done.wait(1.0) and thread.is_alive():
                pass
            return
        except KeyboardInterrupt:
            if interrupted:
                raise
            interrupted = True
            _interrupt(thread)


def _interrupt(thread: threading.Thread) -> None:
    import ctypes  # seldom needed, and not for free

    identity, exception = ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, exception)
