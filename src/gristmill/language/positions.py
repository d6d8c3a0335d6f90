"""Offsets in a text, and the lines and columns that editors count.

Editors count lines and characters from 0. What a character is they agree upon with the server: a code unit of UTF-16,
so that one outside of the Basic Multilingual Plane counts as two, or one of UTF-8 or UTF-32. A line ends with `\\n`,
`\\r\\n` or `\\r`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Literal, NamedTuple

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n|\n|\r")


class Position(NamedTuple):
    line: int
    character: int


def _utf_8(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _utf_16(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


_UNITS: dict[Encoding, Callable[[str], int]] = {"utf-8": _utf_8, "utf-16": _utf_16, "utf-32": len}


class Positions:
    """The way between offsets and positions in one text."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self.text = text
        self.starts = [0]
        self.ends: list[int] = []  # of the text of each line, without what ends it
        for found in _LINE_END.finditer(text):
            self.ends.append(found.start())
            self.starts.append(found.end())
        self.ends.append(len(text))
        self._units: Callable[[str], int] = len if text.isascii() else _UNITS[encoding]

    def position(self, offset: int) -> Position:
        line = bisect_right(self.starts, offset) - 1
        return Position(line, self._units(self.text[self.starts[line] : offset]))

    def offset(self, line: int, character: int) -> int:
        """The offset of a position; what lies behind the end of a line or of the text is that end."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self.ends[line]
        if self._units is len:
            return min(start + max(character, 0), end)
        at = start
        while at < end and character > 0:
            character -= self._units(self.text[at])
            at += 1
        return at
