"""Where the keys and values of a TOML document stand.

`tomllib` reads a document and forgets its places. This walks over a text that `tomllib` has accepted, so it need not
check anything: it only has to know where strings, comments, arrays and inline tables begin and end.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

from gristmill.source import SourceFile, Span

Key = tuple[str | int, ...]  # names of tables and keys; indices of arrays

_BLANK = re.compile(r"(?:[ \t\r]|#[^\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|(?!""").)*"""(?:"{0,2})'
    r"|'''(?:(?!''').)*'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


@dataclass(slots=True)
class Places:
    """Spans by the path to a key: of the key as it is written, and of its value."""

    file: SourceFile
    keys: dict[Key, Span] = field(default_factory=dict)
    values: dict[Key, Span] = field(default_factory=dict)

    def key(self, *path: str | int) -> Span:
        """The place of a key, or of the nearest table around it."""
        return self._nearest(self.keys, path)

    def value(self, *path: str | int) -> Span:
        found = self.values.get(path)
        return found if found is not None else self._nearest(self.keys, path)

    def _nearest(self, places: dict[Key, Span], path: Key) -> Span:
        for length in range(len(path), 0, -1):
            found = places.get(path[:length]) or self.values.get(path[:length])
            if found is not None:
                return found
        return self.file.span(0, 0)


def places_of(file: SourceFile) -> Places:
    """Of a text that `tomllib` has accepted."""
    walk = _Walk(file)
    walk.document()
    return walk.places


class _Walk:
    def __init__(self, file: SourceFile) -> None:
        self.file, self.text, self.at = file, file.text, 0
        self.places = Places(file)
        self.counts: dict[Key, int] = {}  # of arrays of tables

    def document(self) -> None:
        table: Key = ()
        while self.skip(_BLANK_LINES):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)

    def skip(self, blank: re.Pattern[str]) -> bool:
        """Tells whether something follows."""
        found = blank.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.at < len(self.text)

    def header(self) -> Key:
        repeated = self.text.startswith("[[", self.at)
        self.at += 2 if repeated else 1
        path = self.path(())
        self.at += 2 if repeated else 1
        if not repeated:
            return path
        number = self.counts.get(path, 0)
        self.counts[path] = number + 1
        return (*path, number)

    def pair(self, table: Key) -> None:
        path = self.path(table)
        self.at += 1  # the sign
        self.skip(_BLANK)
        self.value(path)

    def path(self, table: Key) -> Key:
        """A dotted key; every part of it is remembered where it first occurs."""
        path = table
        while True:
            self.skip(_BLANK)
            start = self.at
            path = (*self._current(path), self.key_part())
            self.places.keys.setdefault(path, self.file.span(start, self.at))
            self.skip(_BLANK)
            if self.text[self.at] != ".":
                return path
            self.at += 1

    def _current(self, path: Key) -> Key:
        """Inside of an array of tables, the last one is meant."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def key_part(self) -> str:
        bare = _BARE_KEY.match(self.text, self.at)
        if bare is not None:
            self.at = bare.end()
            return bare[0]
        return str(tomllib.loads(f"k = {self.string()}")["k"])

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return found[0]

    def value(self, path: Key) -> None:
        start, first = self.at, self.text[self.at]
        if first in "\"'":
            self.string()
        elif first == "[":
            self.array(path)
        elif first == "{":
            self.inline_table(path)
        else:
            found = _SCALAR.match(self.text, self.at)
            assert found is not None
            self.at += len(found[0].rstrip())
        self.places.values[path] = self.file.span(start, self.at)

    def array(self, path: Key) -> None:
        self.at += 1
        for number in range(len(self.text)):
            self.skip(_BLANK_LINES)
            if self.text[self.at] != "]":
                self.value((*path, number))
                self.skip(_BLANK_LINES)
            if self.text[self.at] == "]":
                break
            self.at += 1  # a comma
        self.at += 1

    def inline_table(self, path: Key) -> None:
        self.at += 1
        while True:
            self.skip(_BLANK_LINES)
            if self.text[self.at] != "}":
                self.pair(path)
                self.skip(_BLANK_LINES)
            if self.text[self.at] == "}":
                break
            self.at += 1
        self.at += 1
