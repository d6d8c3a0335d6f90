"""Reading a file with an algorithm the way it is meant: with a translation that is up to date."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from gristmill.pluscal.checksum import FAIR_CHECKSUM, possible_checksums, text_checksum
from gristmill.pluscal.locate import AlgorithmRegion, find_algorithm, find_further_algorithm
from gristmill.pluscal.options import read_options
from gristmill.pluscal.parser import parse_algorithm
from gristmill.pluscal.translate import Translation, translate
from gristmill.source import Diagnostic, Label, SourceError, SourceFile, Span
from gristmill.source.stack import with_deep_stack

State = Literal["none", "missing", "fresh", "stale", "edited", "unknown"]


class TranslatedFile(SourceFile):
    """A file whose translation was made in memory: its text is not the one on the disk."""

    __slots__ = ("translation",)

    def __init__(self, translation: Translation) -> None:
        assert translation.text is not None
        super().__init__(translation.file.path, translation.text)
        self.translation = translation

    def original(self, span: Span) -> Span:
        return self.translation.original(span)


def translation_state(file: SourceFile) -> State:
    """How the translation in a file stands to its algorithm. Raises `SourceError` if the markers do not match.

    Without checksums nothing can be said about it (`unknown`); `edited` means that it belongs to this algorithm and
    was changed by hand.
    """
    region = find_algorithm(file)
    if region is None or not region.plausible:
        return "none"
    if region.translation is None or not region.translation.text.strip():
        return "missing"
    return with_deep_stack(lambda: _compare(file, region))


def _compare(file: SourceFile, region: AlgorithmRegion) -> State:
    assert region.translation is not None
    old = region.translation
    if old.pcal_checksum is not None:
        options, _ = read_options(file)
        try:
            known = possible_checksums(parse_algorithm(file, region, options), options)
        except SourceError:
            return "stale"
        if region.fair and old.own_checksum is None:
            known = {FAIR_CHECKSUM}
        written = old.own_checksum if region.fair and old.own_checksum else old.pcal_checksum
        if written.lower() not in known:
            return "stale"
    if old.tla_checksum is not None and old.tla_checksum.lower() != text_checksum(old.text):
        return "edited"
    return "unknown" if old.pcal_checksum is None else "fresh"


def prepare(file: SourceFile) -> tuple[SourceFile, list[Diagnostic]]:
    """The file to read instead: the same, or one with a translation made in memory, and what to say about that.

    A translation that was edited by hand for the algorithm as it is now is the user's, and stays. An algorithm that
    cannot be translated gives errors, whatever translation the file has.
    """
    try:
        state = translation_state(file)
        region = find_algorithm(file)
    except SourceError as error:
        return file, list(error.diagnostics)
    if region is None or state == "none":
        return file, []
    further = _of_further_algorithm(region)
    if _was_translated(region, state):
        return file, further
    translation = translate(file)
    if translation.text is None:
        return file, [*translation.diagnostics, *further]
    if state not in ("missing", "stale"):
        return file, further
    warnings = [d for d in translation.diagnostics if d.severity != "note"]
    return TranslatedFile(translation), [_notice(state, region), *warnings, *further]


def _of_further_algorithm(region: AlgorithmRegion) -> list[Diagnostic]:
    span = find_further_algorithm(region)
    if span is None:
        return []
    message = "this algorithm is not looked at: a module has the translation of its first algorithm only"
    help = "move it to a module of its own, or remove it"
    return [Diagnostic("pluscal-second-algorithm", message, span, severity="warning", help=help)]


def _was_translated(region: AlgorithmRegion, state: State) -> bool:
    """Whether a checksum shows that the algorithm, as it is now, has been translated before."""
    by_checksum = region.translation is not None and not (region.fair and region.translation.own_checksum is None)
    return by_checksum and state in ("fresh", "edited")


def _notice(state: State, region: AlgorithmRegion) -> Diagnostic:
    help = "write it into the file with `gristmill translate`"
    if state == "missing":
        message = "this algorithm has no translation; one was made in memory"
        return Diagnostic("pluscal-untranslated", message, region.keyword, severity="note", help=help)
    message = "the translation of this algorithm is out of date; a new one was made in memory"
    return Diagnostic("pluscal-stale", message, region.keyword, severity="warning", help=help)


def point_back(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics with every span in a translation made in memory moved to where the user wrote it."""
    return [
        replace(
            d,
            span=original_span(d.span) if d.span else None,
            labels=tuple(Label(original_span(label.span), label.text) for label in d.labels),
        )
        for d in diagnostics
    ]


def original_span(span: Span) -> Span:
    return span.file.original(span)
