"""Where things are defined, as an editor can go there; and which definitions are one and the same."""

from __future__ import annotations

from typing import NamedTuple

from gristmill.language.algorithm import AlgorithmNames, translation_of
from gristmill.language.analysis import Analysis, in_text_of
from gristmill.language.targets import AlgorithmPart, Target, name_span, origin_of, whole_span
from gristmill.language.workspace import Workspace
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Operator
from gristmill.pluscal import TranslatedFile
from gristmill.source import SourceFile, Span


class Place(NamedTuple):
    """Characters of the text of a file, as an editor shows it."""

    path: str
    start: int
    end: int


def place_of(workspace: Workspace, target: Target) -> Place | None:
    """The name where `target` is defined. What only a translation made in memory defines is where the algorithm
    declares it, or at least the algorithm."""
    return _visible(workspace, name_span(target), target)


def whole_place(workspace: Workspace, target: Target) -> Place | None:
    """All of the definition of `target`."""
    return _visible(workspace, whole_span(target), target)


def _visible(workspace: Workspace, span: Span | None, target: Target) -> Place | None:
    if span is None:
        return None
    if not isinstance(span.file, TranslatedFile):
        return Place(span.file.path, span.start, span.end)
    seen = in_text_of(span.file.translation.file, span)
    if seen is not None:
        return Place(span.file.path, *seen)
    declared = _declared(workspace, span.file, _name(target))
    original = declared or span.file.original(span)
    return Place(original.file.path, original.start, original.end)


def identity(workspace: Workspace, target: Target) -> Place | None:
    """Equal for all that is one definition, in whatever analysis it was met.

    What an algorithm declares and its translation declares once more is the same thing.
    """
    span = name_span(target)
    if span is None:
        return None
    own = origin_of(target)
    if isinstance(own, ResolvedModule):
        return Place(span.file.path, span.start, span.end)
    if isinstance(span.file, TranslatedFile) or _in_translation(span):
        declared = _declared(workspace, span.file, _name(target))
        if declared is not None:
            return Place(declared.file.path, declared.start, declared.end)
    return _visible(workspace, span, target)


def _in_translation(span: Span) -> bool:
    region = translation_of(span.file)
    return region is not None and region[0] <= span.start < region[1]


def _declared(workspace: Workspace, file: SourceFile, name: str) -> Span | None:
    names = algorithm_in(workspace, file)
    found = names.declared.get(name) if names is not None else None
    return None if found is None else name_span(found)


def algorithm_in(workspace: Workspace, file: SourceFile) -> AlgorithmNames | None:
    analysis: Analysis | None = workspace.find(file.path)
    return None if analysis is None else analysis.algorithm


def _name(target: Target) -> str:
    own = origin_of(target)
    if isinstance(own, Operator | AlgorithmPart):
        return own.name
    return target.name
