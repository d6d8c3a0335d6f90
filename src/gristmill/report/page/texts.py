"""The texts of a page's data, each once: most of them occur often."""

from __future__ import annotations

from gristmill.report.style import printable


class Texts:
    """`texts(text)` is the number of a text; `list(texts.numbers)` are all of them, in order."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(printable(text), len(self.numbers))
