"""Where the text of a composition comes from: places in the files of the grains, for messages."""

from __future__ import annotations

import re
from bisect import bisect_left
from pathlib import Path

from gristmill.compose.system import Composition
from gristmill.source import SourceFile, Span, read_source

_SPACE = re.compile(r"\s+")
_EXTENDS = re.compile(r"^\s*EXTENDS\s+([\w,\s]+?)$", re.MULTILINE)


class Origins:
    """Finds the same words in the file that an action was taken from: a composition is laid out anew."""

    def __init__(self, composed: Composition, source: SourceFile) -> None:
        self._source = source
        self._actions = {each.name: each for each in composed.actions}
        self._texts: dict[Path, list[_Text]] = {}  # of the file of a grain and those that it extends

    def locate(self, action: str, span: Span) -> Span:
        """The place in the original of a place in the composition; the definition of the action if it is not found."""
        known = self._actions.get(action)
        if span.file is not self._source or known is None:
            return span
        if known.file not in self._texts:
            self._texts[known.file] = _with_extended(known.file)
        for text in self._texts[known.file]:
            defined = text.definition(known.origin or known.name)
            if defined is not None:
                return text.find(_SPACE.sub("", span.text), defined.start) or defined
        return span


class _Text:
    """A file, without spaces."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self._positions = [at for at, character in enumerate(file.text) if not character.isspace()]
        self._words = "".join(file.text[at] for at in self._positions)

    def definition(self, name: str) -> Span | None:
        found = re.search(rf"^\s*({re.escape(name)})\s*(\([^)]*\))?\s*(==|≜)", self.file.text, re.MULTILINE)
        return None if found is None else self.file.span(*found.span(1))

    def find(self, words: str, start: int) -> Span | None:
        """The first place from `start` on with these characters, spaces aside."""
        at = self._words.find(words, bisect_left(self._positions, start))
        if at < 0 or not words:
            return None
        return self.file.span(self._positions[at], self._positions[at + len(words) - 1] + 1)


def _with_extended(path: Path) -> list[_Text]:
    """A file, and those beside it that it extends."""
    found: dict[Path, _Text] = {}
    waiting = [path]
    while waiting:
        each = waiting.pop(0)
        if each in found or not each.is_file():
            continue
        found[each] = _Text(read_source(each))
        for names in _EXTENDS.findall(found[each].file.text):
            waiting += [each.with_name(f"{name.strip()}.tla") for name in names.split(",")]
    return list(found.values())
