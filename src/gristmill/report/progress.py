"""How far a search is: one line, rewritten on a terminal, repeated at intervals in a log."""

from __future__ import annotations

import shutil
from typing import TextIO

from gristmill.search.progress import Progress

_CLEAR = "\r\x1b[K"
TERMINAL_SECONDS, LOG_SECONDS = 0.2, 10.0


class ProgressLine:
    """Give it to a search as `on_progress`, and `close` it before anything else is printed.

    On a terminal the line is gone afterwards. In a log there is a line every `every` seconds, so that a short run
    prints none.
    """

    def __init__(self, stream: TextIO, *, every: float | None = None, terminal: bool | None = None) -> None:
        self._stream = stream
        self._terminal = stream.isatty() if terminal is None else terminal
        self._every = every if every is not None else TERMINAL_SECONDS if self._terminal else LOG_SECONDS
        self._last: Progress | None = None
        self._drawn = False

    def __call__(self, progress: Progress) -> None:
        before = self._last.seconds if self._last else 0.0
        if progress.seconds - before < self._every:
            return
        line = progress_line(progress, self._last)
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            self._stream.write(_CLEAR + line[: columns - 1])
        else:
            self._stream.write(line + "\n")
        self._stream.flush()
        self._last, self._drawn = progress, True

    def close(self) -> None:
        if self._terminal and self._drawn:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._drawn = False


def progress_line(progress: Progress, before: Progress | None = None) -> str:
    """The speed is that since the progress `before`."""
    seconds = progress.seconds - (before.seconds if before else 0.0)
    parts = [f"{_clock(progress.seconds)}", *_states(progress)]
    if progress.depth:
        parts.append(f"depth {progress.depth:,}")
    if progress.activity is not None:
        parts.append(progress.activity)
    elif seconds > 0:
        what = "distinct" if progress.distinct else "generated"  # a simulation knows none to be distinct
        new = getattr(progress, what) - (getattr(before, what) if before else 0)
        parts.append(f"{round(new / seconds):,} {what}/s")
    if progress.memory:
        parts.append(f"{progress.memory >> 20:,} MB")
    return "  ".join(parts)


def _states(progress: Progress) -> list[str]:
    if not progress.distinct:
        return [f"{progress.generated:,} generated"] if progress.generated or not progress.activity else []
    states = [f"{progress.distinct:,} distinct", f"{progress.generated:,} generated"]
    return [*states, f"{progress.queue:,} in queue"] if progress.queue else states


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
