"""A module put together from pieces that people wrote at different times, with the way back to each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gristmill.source import Diagnostic, Label, SourceFile, Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A text under the name that messages call it by. `before`: what must stand in front of it in the module."""

    name: str
    text: str
    before: str = ""


class AssembledFile(SourceFile):
    __slots__ = ("places",)

    def __init__(self, path: str, text: str, places: Sequence[tuple[int, int, SourceFile]]) -> None:
        """`places`: where each piece begins, with what stands before it and without, and the piece itself."""
        super().__init__(path, text)
        self.places = places

    def original(self, span: Span) -> Span:
        """In the piece; at its end, what lies behind it, as that is where something is missing."""
        around = [place for place in self.places if place[0] <= span.start]
        _, start, piece = around[-1] if around else self.places[0]
        length = len(piece.text)
        first = min(max(span.start - start, 0), length)
        return Span(piece, first, min(max(span.end - start, first), length))

    def in_pieces(self, diagnostic: Diagnostic) -> Diagnostic:
        def back(span: Span) -> Span:
            return self.original(span) if span.file is self else span

        labels = tuple(Label(back(label.span), label.text) for label in diagnostic.labels)
        return replace(diagnostic, span=diagnostic.span and back(diagnostic.span), labels=labels)


def assembled(module: str, folder: str, pieces: Sequence[Piece]) -> AssembledFile:
    """Each piece begins a line, so that columns, which matter to lists, stay as they were typed."""
    text = f"---- MODULE {module} ----\n"
    places: list[tuple[int, int, SourceFile]] = []
    for piece in pieces:
        places.append((len(text), len(text) + len(piece.before), SourceFile(piece.name, piece.text)))
        text += piece.before + piece.text + "\n"
    return AssembledFile(f"{folder}{module}", text + "====\n", places)
