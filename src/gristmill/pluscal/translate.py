"""The whole way from a file with an algorithm to the file with its translation."""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.pluscal.checksum import FAIR_CHECKSUM, own_checksum
from gristmill.pluscal.generate import Generator
from gristmill.pluscal.insert import insert_translation
from gristmill.pluscal.labels import add_labels
from gristmill.pluscal.locate import AlgorithmRegion, find_algorithm
from gristmill.pluscal.macros import expand_macros
from gristmill.pluscal.names import Renaming, resolve_names
from gristmill.pluscal.options import read_options
from gristmill.pluscal.parser import parse_algorithm
from gristmill.pluscal.shape import shape_of
from gristmill.pluscal.writer import Origin
from gristmill.source import Diagnostic, SourceError, SourceFile, Span
from gristmill.source.stack import with_deep_stack
from gristmill.syntax.tree import Expression


@dataclass(frozen=True, slots=True)
class Translation:
    """What became of a file.

    `text` is the new text of the file, `module_text` the part of it between the markers; both are None if there are
    errors among the diagnostics. `origins` say for stretches of `text` where in the algorithm they come from.
    `actions` has the span of every action: labels, procedures, processes; `identities` what the process is called that
    takes it, if only one does.
    """

    file: SourceFile
    diagnostics: tuple[Diagnostic, ...]
    text: str | None = None
    module_text: str | None = None
    origins: tuple[Origin, ...] = ()
    actions: dict[str, Span] = field(default_factory=dict)
    identities: dict[str, Expression] = field(default_factory=dict)
    algorithm: Span | None = None
    changed_from: int = 0
    changed_to: int = 0  # what stands in `text` before the one and behind the other was there before

    def original(self, span: Span) -> Span:
        """Where in the user's file a stretch of the new text comes from; the whole algorithm, if it is ours."""
        if self.text is None or span.end <= self.changed_from:
            return Span(self.file, span.start, span.end)
        if span.start >= self.changed_to:
            shift = len(self.file.text) - len(self.text)
            return Span(self.file, span.start + shift, span.end + shift)
        around = [o for o in self.origins if o.start <= span.start and span.end <= o.end]
        if around:
            return min(around, key=lambda o: o.end - o.start).span
        return self.algorithm or Span(self.file, 0, 0)


def translate(file: SourceFile) -> Translation:
    """Translate the algorithm of a file."""
    return with_deep_stack(lambda: _translate(file))


def _translate(file: SourceFile) -> Translation:
    try:
        region = find_algorithm(file)
        if region is None:
            raise SourceError(_no_algorithm(file))
        return _translate_region(file, region)
    except SourceError as error:
        return Translation(file, error.diagnostics)


def _no_algorithm(file: SourceFile) -> Diagnostic:
    return Diagnostic(
        "pluscal-no-algorithm",
        "there is no PlusCal algorithm in this file",
        file.span(0, 0),
        help="an algorithm stands in a comment and begins with `--algorithm Name`",
    )


def _translate_region(file: SourceFile, region: AlgorithmRegion) -> Translation:
    options, warnings = read_options(file)
    parsed = parse_algorithm(file, region, options)
    labelled = add_labels(expand_macros(parsed), options)
    resolved = resolve_names(labelled)
    generator = Generator(resolved, options, shape_of(resolved.algorithm, options))
    generator.generate()
    if generator.diagnostics:
        raise SourceError(_in_order(generator.diagnostics))
    own = own_checksum(parsed, options)
    checksum = FAIR_CHECKSUM if region.fair else own
    inserted = insert_translation(region, generator.writer.text(), generator.writer.origins, checksum, own)
    return Translation(
        file,
        (*warnings, *map(_renaming, resolved.renamings)),
        inserted.text,
        inserted.module_text,
        inserted.origins,
        generator.actions.origins,
        generator.actions.identities,
        resolved.algorithm.span,
        inserted.start,
        inserted.end,
    )


def _renaming(renaming: Renaming) -> Diagnostic:
    message = f"the {renaming.description} is called `{renaming.new_name}` in the translation"
    return Diagnostic("pluscal-renamed", message, renaming.span, severity="note")


def _in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    unique = list(dict.fromkeys(diagnostics))
    return sorted(unique, key=lambda d: d.span.start if d.span else 0)
