"""A stretch of source text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gristmill.source.undecoded import readable

if TYPE_CHECKING:
    from gristmill.source.file import SourceFile


class Span(NamedTuple):
    """Characters `start` (included) to `end` (excluded) of a file."""

    file: SourceFile
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The stretch from the beginning of this one to the end of the other."""
        return Span(self.file, self.start, other.end)

    @property
    def text(self) -> str:
        return readable(self.file.text[self.start : self.end])

    @property
    def line(self) -> int:
        return self.file.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.file.position(self.start)[1]

    def covers(self, other: Span) -> bool:
        return self.file is other.file and self.start <= other.start and other.end <= self.end

    def __str__(self) -> str:
        line, column = self.file.position(self.start)
        return f"{self.file.path}:{line}:{column}"
