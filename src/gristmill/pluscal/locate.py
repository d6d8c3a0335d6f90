"""Where in a file the algorithm stands, and its translation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gristmill.source import Diagnostic, SourceError, SourceFile, Span

_BEGIN_LINE = re.compile(r"^[^\n]*?BEGIN *TRANSLATION[^\n]*", re.MULTILINE)
_END_LINE = re.compile(r"^[^\n]*?END *TRANSLATION[^\n]*", re.MULTILINE)
CHECKSUMS = re.compile(
    r"""\(\s* (?i:ch(?:ec)?ksum\(p(?:lus)?cal\)) \s* (?: = \s* "(?P<pcal>[0-9A-Fa-f]*)" | \\in \s* STRING ) \s*
    /\\ \s*   (?i:ch(?:ec)?ksum\(tla\+?\)) \s*       (?: = \s* "(?P<tla>[0-9A-Fa-f]*)"  | \\in \s* STRING ) \s*\)""",
    re.VERBOSE,
)
# For a --fair algorithm only, as its checksum says nothing: what the algorithm was when that translation was made.
OWN_CHECKSUM = re.compile(r" \(algorithm (?P<algorithm>[0-9a-f]+) at (?P<tla>[0-9a-f]+)\)")
_START = re.compile(r"--(?:(fair)\s+)?algorithm\b|--fair\b")
# What can follow the name of an algorithm; prose that mentions `--algorithm` goes on with something else.
_PLAUSIBLE = re.compile(
    r"\s+[A-Za-z0-9_]+\s*"
    r"(?:\{|(?>\(\*.*?\*\)|\\\*[^\n]*\n|\s)*+"
    r"(?:\{|(?:variables?|define|macro|procedure|process|fair|begin)\b))",
    re.DOTALL,
)
# A keyword that opens its comment, with statements behind it, is no prose, whatever is wrong with what follows it.
_COMMENT_OPENED = re.compile(r"\(\*[\s*]*\Z")
_STATEMENTS = re.compile(r"\bbegin\b|:=|\{")
_MODULE_END = re.compile(r"^====", re.MULTILINE)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")


@dataclass(frozen=True, slots=True)
class TranslationRegion:
    """The lines between the markers: `start` is behind the line `BEGIN TRANSLATION`, `end` before `END TRANSLATION`.

    `marker` is the first marker line without its end of line; the checksums are None where it gives none.
    `own_checksum` is ours, and None also when another tool has made a new translation since.
    """

    marker: Span
    start: int
    end: int
    pcal_checksum: str | None
    tla_checksum: str | None
    own_checksum: str | None

    @property
    def text(self) -> str:
        return self.marker.file.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class AlgorithmRegion:
    """The algorithm's text is `start` (at its name) to `end`, where the comment around it is closed.

    `comment_end` is the offset behind that `*)`, None when the comment is never closed. `keyword` covers
    `--algorithm`. `plausible` is false when this looks like prose rather than an algorithm, mistaken or not.
    """

    keyword: Span
    fair: bool
    start: int
    end: int
    comment_end: int | None
    plausible: bool
    translation: TranslationRegion | None


def find_algorithm(file: SourceFile) -> AlgorithmRegion | None:
    """The first algorithm of a file. Raises `SourceError` when the markers of its translation do not match."""
    if "--algorithm" not in file.text and "--fair" not in file.text:
        return None
    translation = find_translation(file)
    first = None
    for start in _START.finditer(file.text):
        if translation is not None and translation.start <= start.start() < translation.end:
            continue
        if start[0] != "--fair" and _PLAUSIBLE.match(file.text, start.end()):
            return _region(file, start, True, translation)
        first = first or start
    return _region(file, first, False, translation) if first else None


def find_further_algorithm(region: AlgorithmRegion) -> Span | None:
    """The keyword of a second algorithm in the same module, which is never translated."""
    file, behind = region.keyword.file, region.end
    end = _MODULE_END.search(file.text, behind)
    for start in _START.finditer(file.text, behind, end.start() if end else len(file.text)):
        old = region.translation
        if old is not None and old.start <= start.start() < old.end:
            continue
        if start[0] != "--fair" and _PLAUSIBLE.match(file.text, start.end()):
            return file.span(start.start(), start.end())
    return None


def find_translation(file: SourceFile) -> TranslationRegion | None:
    """The lines between the markers, if there are any."""
    text = file.text
    begin = _BEGIN_LINE.search(text)
    if begin is None:
        return None
    end = _END_LINE.search(text, begin.end())
    marker = file.span(begin.start(), begin.start() + len(begin[0].rstrip("\r")))
    if end is None:
        raise SourceError(
            Diagnostic(
                "pluscal-unclosed-translation",
                "there is no line `\\* END TRANSLATION` behind this one",
                marker,
                help="add that line behind the translation, or remove this one to have both written anew",
            )
        )
    sums = CHECKSUMS.search(begin[0])
    own = OWN_CHECKSUM.search(begin[0])
    return TranslationRegion(
        marker,
        begin.end() + 1,
        end.start(),
        sums["pcal"] if sums else None,
        sums["tla"] if sums else None,
        own["algorithm"] if own and sums and own["tla"] == sums["tla"] else None,
    )


def _region(
    file: SourceFile, start: re.Match[str], plausible: bool, translation: TranslationRegion | None
) -> AlgorithmRegion:
    comment_end = _comment_end(file.text, start.end())
    end = len(file.text) if comment_end is None else comment_end - 2
    return AlgorithmRegion(
        file.span(start.start(), start.end()),
        start[0].startswith("--fair"),
        start.end(),
        end,
        comment_end,
        plausible or _is_meant(file.text, start, end),
        translation,
    )


def _is_meant(text: str, keyword: re.Match[str], end: int) -> bool:
    opened = _COMMENT_OPENED.search(text, max(0, keyword.start() - 500), keyword.start())
    return opened is not None and _STATEMENTS.search(text, keyword.end(), end) is not None


def _comment_end(text: str, start: int) -> int | None:
    """The offset behind the `*)` that closes the comment in which `start` stands."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge[0] == "(*" else -1
        if depth == 0:
            return edge.end()
    return None
