"""Whether processes have come to rest, as the kernel sees it.

A process rests if all its threads sleep, and none of them has run between two looks. A thread that wants to run but
gets no processor is not asleep, so a loaded machine makes this slower but not wrong. Where /proc has no such files,
nothing is known, and a process is taken to rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_STATE = re.compile(rb"^State:\s+(\S)", re.MULTILINE)
_SWITCHES = re.compile(rb"_ctxt_switches:\s+(\d+)")
_STOPPED = (None, b"T", b"t", b"Z", b"X")  # None: it has just ended
_ASLEEP = (*_STOPPED, b"S", b"I")

Look = dict[str, int]  # threads, and how often each has given up its processor


def stopped(pid: int) -> bool:
    """Whether a process that was told to stop has done so, with all its threads."""
    return all(_state(_status(thread)) in _STOPPED for thread in Path(f"/proc/{pid}/task").glob("*"))


def look(pids: Sequence[int]) -> Look | None:
    """None if some thread is running, or waits for a disk."""
    found: Look = {}
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").glob("*"):
            status = _status(thread)
            if _state(status) not in _ASLEEP:
                return None
            found[str(thread)] = sum(int(each) for each in _SWITCHES.findall(status))
    return found


def _status(thread: Path) -> bytes:
    """Empty if it has just ended."""
    try:
        return (thread / "status").read_bytes()
    except OSError:
        return b""


def _state(status: bytes) -> bytes | None:
    found = _STATE.search(status)
    return None if found is None else found[1]
