"""The end of a process that has said all it has to say: nobody waits until every object of it is taken apart.

After a check of some seconds that took 0.05 s. Threads have ended by then, and what others have registered with
`atexit` was called: this is registered first, so that it is called last.
"""

from __future__ import annotations

import atexit
import os
import sys

_VERBS = ("check", "tlc")
_told: list[int] = []  # the status of the process, once it is known


def expect() -> None:
    """At the beginning of a process, before anything else is registered."""
    if sys.argv[1:2] and sys.argv[1] in _VERBS:
        atexit.register(_leave)


def tell(status: object) -> None:
    """That the process ends with this, unless somebody else has something to say."""
    if isinstance(status, int):
        _told[:] = [status]


def _leave() -> None:
    if not _told:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # the reader has left: how that is told is Python's affair
        return
    os._exit(_told[0])
