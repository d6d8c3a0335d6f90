"""Declarations as words, for the two languages that are read here: braces, names, numbers; comments are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[A-Za-z_][\w.]*|\d+|[{}<>;,=()\[\]]|\"[^\"\n]*\"|\S")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Words:
    """Goes along a declaration. Raises `ValueError`, which says where it stands."""

    def __init__(self, text: str) -> None:
        bare = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
        self._words = [(found[0], bare.count("\n", 0, found.start()) + 1) for found in _WORD.finditer(bare)]
        self._at = 0

    @property
    def next(self) -> str:
        """The next word; nothing at the end."""
        return self._words[self._at][0] if self._at < len(self._words) else ""

    def take(self, *wanted: str) -> str:
        """The next word, which is one of these."""
        found = self.next
        if wanted and found not in wanted:
            raise self.wrong(" or ".join(map(repr, wanted)))
        self._at += 1
        return found

    def name(self) -> str:
        if not re.fullmatch(r"[A-Za-z_][\w.]*", self.next):
            raise self.wrong("a name")
        return self.take()

    def number(self) -> int:
        if not self.next.isdecimal():
            raise self.wrong("a number")
        return int(self.take())

    def skip_to(self, end: str) -> None:
        while self.next != end:
            if not self.next:
                raise self.wrong(repr(end))
            self._at += 1
        self._at += 1

    def skip_block(self) -> None:
        """To the end of what stands in braces."""
        self.skip_to("{")
        depth = 1
        while depth:
            found = self.take()
            if not found:
                raise self.wrong("'}'")
            depth += {"{": 1, "}": -1}.get(found, 0)

    def wrong(self, wanted: str) -> ValueError:
        line = self._words[min(self._at, len(self._words) - 1)][1] if self._words else 1
        found = repr(self.next) if self.next else "its end"
        return ValueError(f"line {line} of the declaration: {wanted} was expected, and not {found}")


def known_as(name: str, known: Sequence[str]) -> str:
    """The name of a declared message: itself, or its last part if it was named with those around it."""
    for each in (name, name.rpartition(".")[2]):
        if each in known:
            return each
    raise ValueError(f"{name} is not declared; {', '.join(known) or 'nothing'} is")
