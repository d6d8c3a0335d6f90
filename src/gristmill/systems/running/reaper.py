"""Ends what a replay has started, if the replay itself is ended without a chance to do so (SIGKILL, out of memory).

Run as a script of its own, without the package. It reads lines from its standard input, which ends when the process
that writes them does:

    group 4711      a process group to be killed
    gone 4711       one that has been
    folder /tmp/x   a folder to be removed, with whatever was started for it: `MARK` in its environment is this folder
    done            nothing is left to do

The mark is for a process whose group we have not been told yet, as its starter was killed just then.
"""

import contextlib
import os
import shutil
import signal
import sys
import time

MARK = "GRISTMILL_NODES"
_LOOKS, _BETWEEN = 10, 0.1  # seconds: what has only just been forked shows its mark when it has become its program


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
    for _ in range(_LOOKS if folders else 0):
        for process in _marked(folders):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_BETWEEN)
    for folder in folders:
        _remove(folder)


def _marked(folders: list[str]) -> list[int]:
    """The processes that were started for these folders, where the system tells (Linux)."""
    marks = {os.fsencode(f"{MARK}={folder}") for folder in folders}
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if name.isdigit() and not marks.isdisjoint(_environment(name)):
            found.append(int(name))
    return found


def _environment(process: str) -> list[bytes]:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:  # gone, or another user's
        return []


def _remove(folder: str) -> None:
    """A process that was killed may still be about to write."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    main()
