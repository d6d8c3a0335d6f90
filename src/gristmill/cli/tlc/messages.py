"""Messages as TLC prints them: plain, or between marks that carry a number and a severity (`-tool`)."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection
from typing import TextIO

NONE, ERROR, BUG, WARNING, STATE = range(5)  # severities
_PREFIXES = {ERROR: "Error: ", BUG: "TLC Bug: ", WARNING: "Warning: ", STATE: "State "}
_MARK = "@!@!@"


class Elevated(Exception):
    """A warning that was asked to be an error (`-messagesAsErrors`)."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Messages:
    """Where messages go. `tool`: with marks. Warnings are printed once each, or not at all."""

    def __init__(
        self,
        tool: bool = False,
        *,
        warnings: bool = True,
        suppressed: Collection[int] = (),
        elevated: Collection[int] = (),
        stream: TextIO | None = None,
    ) -> None:
        self.tool = tool
        self._warnings, self._suppressed, self._elevated = warnings, suppressed, elevated
        self._stream = stream
        self._warned: set[str] = set()

    def say(self, code: int, text: str) -> None:
        self._print(code, NONE, text)

    def error(self, code: int, text: str) -> int:
        """Returns the code, which is what a run ends with."""
        self._print(code, ERROR, text, suppressible=False)
        return code

    def state(self, code: int, text: str) -> None:
        self._print(code, STATE, text)

    def warn(self, code: int, text: str) -> None:
        if code in self._elevated:
            self.error(code, text)
            raise Elevated(code)
        if not self._warnings or text in self._warned:
            return
        hint = "" if self.tool or self._warned else "\n(Use the -nowarning option to disable this warning.)"
        self._warned.add(text)
        self._print(code, WARNING, text + hint)

    def line(self, text: str) -> None:
        """Of the specification itself, or of what TLC prints without a number."""
        print(text, file=self._stream or sys.stdout, flush=True)

    def note(self, text: str) -> None:
        """What TLC would not say: to standard error, where no parser looks for messages."""
        print(f"gristmill: {text}", file=sys.stderr, flush=True)

    def _print(self, code: int, severity: int, text: str, suppressible: bool = True) -> None:
        if suppressible and code in self._suppressed:
            return
        self.line(self.formatted(code, severity, text))

    def formatted(self, code: int, severity: int, text: str) -> str:
        if self.tool:
            return f"{_MARK}STARTMSG {code}:{severity} {_MARK}\n{text}\n{_MARK}ENDMSG {code} {_MARK}"
        return _PREFIXES.get(severity, "") + text


def now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds: float) -> str:
    """`01s`, `02min 05s`, `01h 10min`, `2d 03h`: what is small beside the rest is left out."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}d {hours:02}h"
    if hours:
        return f"{hours:02}h {minutes:02}min"
    return f"{minutes:02}min {rest:02}s" if minutes else f"{rest:02}s"
