"""Ends what a replay has started, if the replay itself is ended without a chance to do so (SIGKILL, out of memory).

Run as a script of its own, without the package. It reads lines from its standard input, which ends when the process
that writes them does:

    group 4711      a process group to be killed
    gone 4711       one that has been
    folder /tmp/x   a folder to be removed
    done            nothing is left to do
"""

import contextlib
import os
import shutil
import signal
import sys
import time


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the replay, which ends things in order
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    groups: set[int] = set()
    folders: list[str] = []
    for line in sys.stdin:
        what, _, rest = line.rstrip("\n").partition(" ")
        if what == "done":
            return
        if what == "group":
            groups.add(int(rest))
        elif what == "gone":
            groups.discard(int(rest))
        elif what == "folder":
            folders.append(rest)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for folder in folders:
        _remove(folder)


def _remove(folder: str) -> None:
    """A process that was killed may still be about to write."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    main()
