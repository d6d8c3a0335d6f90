"""Where in the algorithm the actions of its translation come from."""

from __future__ import annotations

from functools import lru_cache

from gristmill.pluscal.locate import find_translation
from gristmill.pluscal.prepare import TranslatedFile
from gristmill.pluscal.translate import Translation, translate
from gristmill.source import SourceError, SourceFile, Span
from gristmill.syntax.tree import Expression


def step_place(action: str, span: Span) -> Span | None:
    """The label that the action stands for whose definition is at `span`, as far as the algorithm still has it.

    None of what is not part of a translation.
    """
    translation = _translation_around(span)
    return None if translation is None else translation.actions.get(action)


def step_process(action: str, span: Span) -> Expression | None:
    """What the process is called that takes the action, if it is no process of a set."""
    translation = _translation_around(span)
    return None if translation is None else translation.identities.get(action)


def _translation_around(span: Span) -> Translation | None:
    try:
        translation = _translation(span.file)
    except SourceError:
        return None
    return translation if translation is not None and _is_inside(span) else None


@lru_cache(maxsize=8)
def _translation(file: SourceFile) -> Translation | None:
    """The one made in memory, or one made now to compare with what is in the file."""
    if isinstance(file, TranslatedFile):
        return file.translation
    return translate(file) if find_translation(file) is not None else None


def _is_inside(span: Span) -> bool:
    region = find_translation(span.file)
    return region is not None and region.start <= span.start < region.end
