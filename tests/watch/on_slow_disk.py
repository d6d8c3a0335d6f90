"""`gristmill watch` on a disk that is stuck for a while, and with little memory for what waits to be recorded."""

import fcntl
import os
import threading
import time
from pathlib import Path

from gristmill.cli.main import main
from gristmill.watch.live import watching
from gristmill.watch.live.recorder import Recorder, new_recording

_AT_ONCE = 4096  # a pipe holds no less
_MOST = 20_000
_POLL = 0.02  # seconds


def new_slow_recording(path: Path) -> int:
    """What is written goes through a pipe, and from there to the file, as soon as there is another one beside it."""
    file = new_recording(path)
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _AT_ONCE)

    def copy() -> None:
        while not path.with_suffix(".goes-on").exists():
            time.sleep(_POLL)
        while data := os.read(reading, _AT_ONCE):
            os.write(file, data)

    threading.Thread(target=copy, daemon=True).start()
    return writing


watching.new_recording = new_slow_recording  # type: ignore[attr-defined]
watching.Recorder = lambda path, file: Recorder(path, file, _MOST)  # type: ignore[attr-defined, assignment, misc]
main()
