"""Runs `gristmill replay` as a user does, in a process of its own, and finds whatever is left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

PATIENCE = 60.0  # seconds, after which something has hung
_MARK = "GRISTMILL_TEST_MARK"


def until(reached: Callable[[], object], what: Callable[[], str]) -> None:
    """`what` is wrong if it is not reached."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, what()
        time.sleep(0.02)


class Replay:
    """One call of the command. All that it starts, at any depth, inherits a variable by which it is found again."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self.mark = uuid.uuid4().hex
        self.temporary = folder / f"temporary-{self.mark}"
        self.temporary.mkdir()
        self._out, self._err = (folder / f"{name}-{self.mark}" for name in ("out", "err"))
        environment = {**os.environ, _MARK: self.mark, "TMPDIR": str(self.temporary)}
        with self._out.open("w") as out, self._err.open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gristmill.cli", "replay", *arguments],
                cwd=folder,
                env=environment,
                stdout=out,
                stderr=err,
                start_new_session=True,  # Ctrl-C reaches a whole group, which must not be that of the tests
            )

    @property
    def text(self) -> str:
        return self._out.read_text(errors="replace") + self._err.read_text(errors="replace")

    def has_said(self, words: str) -> None:
        until(lambda: words in self.text or self.process.poll() is not None, lambda: f"{words!r} was not said")
        assert words in self.text, self.text

    def interrupt(self) -> None:
        """Ctrl-C, which the terminal sends to everybody in the foreground."""
        os.killpg(self.process.pid, signal.SIGINT)

    def ended(self, *, killed: bool = False) -> int:
        """The exit status; when the command has ended, and nothing of it is left.

        What was killed cannot clean up: a process that it left for this does, and takes a moment.
        """
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it has not ended: {self.text}") from None
        if not killed:
            left = [each for each in self.processes() if "resource_tracker" not in each]  # of Python, ends behind it
            assert not left, left
            assert not self.folders(), self.folders()
        until(lambda: not self.processes() and not self.folders(), lambda: f"{self.processes()} {self.folders()}")
        return status

    def processes(self) -> list[str]:
        """The command lines of all that run."""
        mark, found = f"{_MARK}={self.mark}".encode(), []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                    found.append(f"{entry.name}: {(entry / 'cmdline').read_text().replace(chr(0), ' ')}")
            except OSError:  # another user's, or gone
                continue
        return found

    def folders(self) -> list[str]:
        return [each.name for each in self.temporary.iterdir()]

    def give_up(self) -> None:
        """So that a test that fails leaves nothing, either."""
        for each in self.processes():
            os.kill(int(each.partition(":")[0]), signal.SIGKILL)
        self.process.wait()
