"""Whether the threads of processes move: what the operating system says of them.

A machine does not tell a thread that waits for its socket from one that computes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

QUIET = 0.01  # seconds in which nothing has moved

# Threads of the machine itself, by the beginnings of their names. They move whenever they like.
_INTERNAL = (
    "GC ",
    "G1 ",
    "ZGC",
    "VM ",
    "C1 ",
    "C2 ",
    "JDWP",
    "Signal Dispatch",
    "Service Thread",
    "Monitor Deflati",
    "Sweeper thread",
    "Common-Cleaner",
    "Notification Th",
    "Reference Handl",
    "Finalizer",
    "Attach Listener",
)


def activity(pids: Iterable[int]) -> dict[str, tuple[str, ...]] | None:
    """What changes whenever a thread of a program gets to run. None where the system does not tell (not Linux)."""
    if not Path("/proc/self/task").is_dir():
        return None
    found: dict[str, tuple[str, ...]] = {}
    for pid in pids:
        with contextlib.suppress(OSError):  # the process has just ended
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):  # the thread has
                    if not (task / "comm").read_text().startswith(_INTERNAL):
                        state = (task / "stat").read_text().rpartition(")")[2].split()[0]
                        found[str(task)] = (state, *(task / "schedstat").read_text().split())
    return found


def is_quiet(before: dict[str, tuple[str, ...]] | None, now: dict[str, tuple[str, ...]] | None) -> bool:
    """Whether no thread computes or wants to, and none has since `before`. Where the system does not tell, that points
    are not reached is all that is known."""
    return now is None or (now == before and not any(each[0] in "RD" for each in now.values()))
