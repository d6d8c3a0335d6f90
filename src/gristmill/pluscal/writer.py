"""Text under construction that remembers where each part of it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

from gristmill.pluscal.user_layout import laid_out
from gristmill.source import Span
from gristmill.syntax.operators import OPERATORS
from gristmill.syntax.tree import Apply, Expression, Junction, Parens

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Origin:
    """Characters `start` to `end` of the translation come from `span` of the algorithm."""

    start: int
    end: int
    span: Span


class Writer:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.offset = 0
        self.column = 0
        self.origins: list[Origin] = []

    def text(self) -> str:
        return "".join(self.parts)

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.offset += len(text)
        newline = text.rfind("\n")
        self.column = self.column + len(text) if newline < 0 else len(text) - newline - 1

    def newline(self, column: int = 0) -> None:
        self.write("\n" + " " * column)

    def blank_line(self) -> None:
        self.write("\n\n")

    @contextmanager
    def coming_from(self, span: Span) -> Iterator[None]:
        start = self.offset
        yield
        self.origins.append(Origin(start, self.offset, span))

    def expression(self, expression: Expression, names: Mapping[str, Expression] = MappingProxyType({})) -> None:
        """An expression the way it is written in the algorithm, but for the `names`."""
        with self.coming_from(expression.span):
            self.write(laid_out(expression, expression.span, names, self.column))

    def operand(self, expression: Expression, names: Mapping[str, Expression] = MappingProxyType({})) -> None:
        """The right side of `=` or `\\in`."""
        if as_right_side(expression) is expression:
            self.expression(expression, names)
        else:
            self.write("(")
            self.expression(expression, names)
            self.write(")")

    def names(self, before: str, names: Sequence[str], after: str) -> None:
        """`before a, b, c after`, on as many lines as it takes."""
        self.write(before)
        column = self.column
        for index, name in enumerate(names):
            last = index == len(names) - 1
            piece = name + (after if last else ",")
            if index and self.column + 1 + len(piece) > WIDTH:
                self.newline(column)
            elif index:
                self.write(" ")
            self.write(piece)


def as_right_side(expression: Expression) -> Expression:
    """In parentheses, if an operator in it does not bind tighter than `=`."""
    match expression:
        case Junction():
            return Parens(expression, expression.span)
        case Apply(operator, args) if operator.name in OPERATORS:
            symbol = OPERATORS[operator.name]
            if (symbol.fixity == "infix" and symbol.low <= 5) or (len(args) == 2 and isinstance(args[0], Junction)):
                return Parens(expression, expression.span)
    return expression
