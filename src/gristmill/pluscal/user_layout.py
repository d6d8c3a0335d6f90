"""Expressions of the translation as the user laid them out and spelt them, with names replaced.

The tree says what the expression must be. Its tokens in the algorithm, with names replaced one by one, say how it
should look. What looks right is used only if it reads back as that very tree: a bound name that hides a variable, or
an argument of a macro, makes it another one, and then the printer of trees has to do.
"""

from __future__ import annotations

from collections.abc import Mapping

from gristmill.pluscal.token_lines import TokenLines, tokens_of
from gristmill.source import SourceError, SourceFile, Span
from gristmill.syntax.parser import parse_expression
from gristmill.syntax.printer import print_expression
from gristmill.syntax.tree import Expression, Name, Number, String

# Longer lines were not laid out by hand.
_MAX_CHARACTERS = 20_000


def laid_out(expression: Expression, source: Span, names: Mapping[str, Expression], column: int) -> str:
    """The text of an expression that begins in `column`, written at `source` with `names` instead of what they are."""
    if isinstance(expression, Name | Number | String):
        return print_expression(expression, column)
    if source.end - source.start <= _MAX_CHARACTERS:
        lines = tokens_of(source)
        used = {token.text for line in lines.lines for token in line} & names.keys()
        lines.substitute({name: _as_tokens(names[name]) for name in used}, parens=False)
        text = _text(lines, column)
        if _reads_as(text, column, expression):
            return text
    return print_expression(expression, column)


def _as_tokens(expression: Expression) -> TokenLines:
    """The tokens to put in the place of a name."""
    text = print_expression(expression)
    return tokens_of(Span(SourceFile("", text), 0, len(text)))


def _text(lines: TokenLines, column: int) -> str:
    shown: list[str] = []
    for line in filter(None, lines.lines):
        text = " " * column if shown else ""
        end = 0
        for token in line:
            text += " " * (token.column - end) + (f'"{token.text}"' if token.is_string else token.text)
            end = token.end
        shown.append(text)
    return "\n".join(shown)


def _reads_as(text: str, column: int, expression: Expression) -> bool:
    try:
        return parse_expression(SourceFile("", " " * column + text)) == expression
    except SourceError:
        return False
