"""Ends what a replay has started, if the replay itself is ended without a chance to do so (SIGKILL, out of memory).

Run as a script of its own, without the package. It reads lines from its standard input, which ends when the process
that writes them does:

    group 4711      a process group to be killed
    gone 4711       one that has been
    folder /tmp/x   a folder to be removed, and processes whose environment has it as `MARK` to be killed: one that was
                    being started has no group that anybody could have told
    done            nothing is left to do
"""

import contextlib
import os
import shutil
import signal
import sys
import time

MARK = "GRISTMILL_NODES"
_LOOKS, _PAUSE = 5, 0.1  # for processes with the mark: one that is being started gets it in a moment


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
        _kill_marked(f"{MARK}={folder}".encode())
        _remove(folder)


def _kill_marked(mark: bytes) -> None:
    """Where there is /proc."""
    for _ in range(_LOOKS):
        for process in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
            if process.isdigit() and int(process) != os.getpid():
                with contextlib.suppress(OSError):
                    with open(f"/proc/{process}/environ", "rb") as file:
                        variables = file.read().split(b"\0")
                    if mark in variables:
                        os.kill(int(process), signal.SIGKILL)
        time.sleep(_PAUSE)


def _remove(folder: str) -> None:
    """A process that was killed may still be about to write."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    main()
