"""The process of an actor that does whole runs: `python -m gristmill.cluster.hand`.

It reads what to begin with, then jobs, and writes an answer to each; pickled, with the size in front. What is printed
meanwhile goes nowhere. It ends with what has started it.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from typing import IO, Any

from gristmill.search.budget.deadline import begin_worker
from gristmill.source.stack import with_deep_stack

_SIZE = struct.Struct("<Q")
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Raised:
    """In place of an answer."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def write(file: IO[bytes], data: bytes) -> None:
    file.write(_SIZE.pack(len(data)) + data)
    file.flush()


def read(file: IO[bytes]) -> bytes | None:
    """None at the end."""
    size = file.read(_SIZE.size)
    if len(size) < _SIZE.size:
        return None
    data = file.read(_SIZE.unpack(size)[0])
    return data if len(data) == _SIZE.unpack(size)[0] else None


def main() -> None:
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    _end_with_parent()
    begin_worker()
    opening = read(jobs)
    if opening is None:
        return
    begun = False
    try:
        with pickle.loads(opening)() as answer:
            begun = True
            while (job := read(jobs)) is not None:
                write(answers, _answer(answer, job))
    except Exception as error:
        if begun:
            raise
        while read(jobs) is not None:  # whoever asks is told why there is no answer
            write(answers, pickle.dumps(Raised(_sendable(error))))


def _answer(answer: Callable[[Any], Any], job: bytes) -> bytes:
    try:
        found = answer(pickle.loads(job))
        return with_deep_stack(lambda: pickle.dumps(found))
    except Exception as error:
        return pickle.dumps(Raised(_sendable(error)))


def _sendable(error: Exception) -> Exception:
    """The error, or what can be said of it: not every exception can be made anew elsewhere."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(repr(error))
    return error


def _end_with_parent() -> None:
    """Where the system offers it; else with the next job that does not come."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)


if __name__ == "__main__":
    from gristmill.cluster.hand import main as main_of_module  # so that what is pickled has one name

    main_of_module()
