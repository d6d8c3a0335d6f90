"""The line `PlusCal options (…)`, which may stand anywhere in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from gristmill.source import Diagnostic, SourceFile

_OPTIONS_LINE = re.compile(r"(?<!\S)PlusCal(?![A-Za-z_])\s+options(?![A-Za-z0-9_])\s*(\(([^)]*)\))?")
_WORD = re.compile(r"[^\s,]+")
_LABEL_ROOT = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_VERSION = re.compile(r"[0-9]+(\.[0-9]{1,3})?")

_FAIRNESS = frozenset(["wf", "sf", "wfNext", "nof"])
# Those speak to another program, about files it writes or how it lays them out.
_WITHOUT_EFFECT = {"noold": 0, "nocfg": 0, "lineWidth": 1, "spec": 1, "myspec": 1}


@dataclass(frozen=True, slots=True)
class Options:
    """`fairness` is "", or one of wf, sf, wfNext, nof; `version` of the language, times a thousand."""

    add_labels: bool = False
    label_root: str = "Lbl_"
    fairness: str = ""
    termination: bool = False
    done_disjunct: bool = True
    version: int = 10_000


def read_options(file: SourceFile) -> tuple[Options, list[Diagnostic]]:
    """What the options line says; a word that is not understood gets a warning and has no effect."""
    line = _OPTIONS_LINE.search(file.text)
    if line is None:
        return Options(), []
    if line[1] is None:
        span = file.span(line.start(), line.end())
        return Options(), [_warning(file, span.start, span.end, "`PlusCal options` needs its options in parentheses")]
    words = [(m[0], m.start(), m.end()) for m in _WORD.finditer(file.text, line.start(2), line.end(2))]
    return _Reader(file, words).read()


class _Reader:
    def __init__(self, file: SourceFile, words: list[tuple[str, int, int]]) -> None:
        self.file, self.words = file, words
        self.options = Options()
        self.diagnostics: list[Diagnostic] = []

    def read(self) -> tuple[Options, list[Diagnostic]]:
        while self.words:
            word, start, end = self.words.pop(0)
            if not self.option(word.removeprefix("-")):
                message = f"`{word}` is not an option of PlusCal"
                self.diagnostics.append(_warning(self.file, start, end, message))
        options = self.options
        if options.termination and not options.fairness:
            options = replace(options, fairness="wf")
        return options, self.diagnostics

    def option(self, word: str) -> bool:
        """Whether the word, with the argument behind it, was understood."""
        if word == "label":
            self.options = replace(self.options, add_labels=True)
        elif word == "termination":
            self.options = replace(self.options, termination=True)
        elif word == "noDoneDisjunct":
            self.options = replace(self.options, done_disjunct=False)
        elif word in _FAIRNESS:
            self.options = replace(self.options, fairness=word)
        elif word == "labelRoot" and self.words and _LABEL_ROOT.fullmatch(self.words[0][0]):
            self.options = replace(self.options, label_root=self.words.pop(0)[0])
        elif word == "version" and self.words and _VERSION.fullmatch(self.words[0][0]):
            self.options = replace(self.options, version=round(float(self.words.pop(0)[0]) * 1000))
        elif word in _WITHOUT_EFFECT:
            del self.words[: _WITHOUT_EFFECT[word]]
        else:
            return False
        return True


def _warning(file: SourceFile, start: int, end: int, message: str) -> Diagnostic:
    return Diagnostic(
        "pluscal-unknown-option",
        message,
        file.span(start, end),
        severity="warning",
        help="the options are label, labelRoot NAME, termination, wf, sf, wfNext, nof, noDoneDisjunct, version N",
    )
