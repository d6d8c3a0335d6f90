"""One module of a workspace, with all that is known about it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gristmill.language.algorithm import AlgorithmNames, algorithm_names
from gristmill.language.occurrences import Occurrence, occurrences
from gristmill.language.positions import Positions
from gristmill.modules.resolve.state import Program
from gristmill.modules.specification import ResolvedModule
from gristmill.source import Diagnostic, SourceFile, Span
from gristmill.source.stack import with_deep_stack
from gristmill.syntax.lexer import lex_module
from gristmill.syntax.token import Tokens


@dataclass(eq=False)
class Analysis:
    """`file` is the text that the editor shows; `root.file` may have a translation in addition, made in memory.

    `root` is None if nothing of a module could be made out.
    """

    file: SourceFile
    root: ResolvedModule | None
    program: Program
    diagnostics: tuple[Diagnostic, ...]

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def text(self) -> str:
        return self.file.text

    @property
    def is_whole(self) -> bool:
        """Whether the text parses; else some of its definitions are missing here."""
        return self.root is not None and not self.root.names_unknown

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.text)

    @cached_property
    def tokens(self) -> Tokens:
        """Of the text that the editor shows."""
        if self.root is not None and self.root.file is self.file and self.root.tokens is not None:
            return self.root.tokens
        return lex_module(self.file)[0]

    @cached_property
    def algorithm(self) -> AlgorithmNames | None:
        return with_deep_stack(lambda: algorithm_names(self.file, self.root, self.program))

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Every name in the text that is known to denote something, in the order of the text."""
        return with_deep_stack(self._occurrences)

    def _occurrences(self) -> list[Occurrence]:
        found: dict[tuple[int, int], Occurrence] = {}
        if self.root is not None:
            for each in occurrences(self.root, self.program):
                place = in_text_of(self.file, Span(self.root.file, each.start, each.end))
                if place is not None:
                    found[place] = Occurrence(*place, each.target, each.defines)
        if self.algorithm is not None:
            found |= {(each.start, each.end): each for each in self.algorithm.occurrences}
        return sorted(found.values(), key=lambda each: (each.start, each.end))

    @cached_property
    def _starts(self) -> list[int]:
        return [each.start for each in self.occurrences]

    def occurrence_at(self, offset: int) -> Occurrence | None:
        """The name at an offset, or right before it. Of several, the shortest."""
        index = bisect_right(self._starts, offset)
        around = [each for each in self.occurrences[max(0, index - 8) : index] if each.start <= offset <= each.end]
        return min(around, key=lambda each: (offset == each.end, each.end - each.start), default=None)

    @property
    def name(self) -> str:
        return self.root.name if self.root is not None else Path(self.path).stem


def in_text_of(file: SourceFile, span: Span) -> tuple[int, int] | None:
    """Offsets in the text a person sees, of what stands there letter by letter; None for what was translated."""
    original = span.file.original(span)
    if original.file.path != file.path or original.end - original.start != span.end - span.start:
        return None
    if original is not span and file.text[original.start : original.end] != span.file.text[span.start : span.end]:
        return None
    return original.start, original.end
