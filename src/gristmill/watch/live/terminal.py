"""What is said while links are watched: alarms when they are found, troubles, and a line that shows how it goes."""

from __future__ import annotations

import shutil
from typing import IO

from gristmill.report.style import Style, printable
from gristmill.values import Value
from gristmill.watch.events import Events, Progress, Started
from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.report.terminal import render_alarm, render_lost

_LATE = 1.7  # seconds of lag that are worth a line where there is no terminal
_CLEAR = "\r\x1b[K"


class LiveTerminal(Events):
    """`quiet`: alarms are told elsewhere, and only what concerns the watching itself is said here."""

    def __init__(self, out: IO[str], quiet: bool = False) -> None:
        self.out, self.quiet = out, quiet
        self.is_terminal = out.isatty()
        self._width = max(60, min(shutil.get_terminal_size((100, 24)).columns, 160))
        self._line = False  # whether the progress line stands there
        self._late = False

    def say(self, text: str) -> None:
        self.out.write((_CLEAR if self._line else "") + printable(text) + "\n")
        self.out.flush()
        self._line = False

    def ready(self) -> None:
        self.say("Watching. Ctrl-C ends it.")

    def started(self, started: Started) -> None:
        for each in started.inputs:
            self.say(each)

    def alarm(self, node: Value, called: str | None, alarm: Alarm) -> None:
        if not self.quiet:
            self._paragraph(render_alarm(node, alarm, Style(color=False), self._width))

    def lost(self, node: Value, called: str | None, lost: Lost) -> None:
        if not self.quiet:
            self._paragraph(render_lost(node, lost, self._width))

    def _paragraph(self, text: str) -> None:
        for line in ("", *text.splitlines(), ""):
            self.say(line)

    def trouble(self, what: str, why: str) -> None:
        self.say(f"not judged: {what} {why}")

    def progress(self, progress: Progress) -> None:
        lag = progress.lag or 0.0
        if self.is_terminal:
            nodes = sum(not each.judged for each in progress.nodes)
            ended = f", {nodes} of {len(progress.nodes)} nodes no longer judged" if nodes else ""
            line = f"{progress.messages:,} messages, {lag:.1f} s behind{ended}"
            self.out.write(_CLEAR + line[: self._width - 1])
            self.out.flush()
            self._line = True
        elif lag > _LATE and not self._late:
            self.say(f"the checker is {lag:.1f} s behind; nothing is lost, alarms come later")
        self._late = lag > _LATE

    def close(self) -> None:
        if self._line:
            self.out.write(_CLEAR)
            self.out.flush()
            self._line = False
