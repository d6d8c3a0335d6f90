"""Expressions as pcal.trans sees them: lines of tokens with columns, in which names are replaced token by token.

Only checksums need this. They are taken over a text that contains the tokens of every expression, for `/\\` and `\\/`
with the column, after macros are expanded and names changed; so columns have to move the way they move there. A line
hangs on an *anchor*: the last token above that does not stand right of its first one. When that moves, the line does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gristmill.source import Span
from gristmill.syntax.lexer import lex
from gristmill.syntax.token import DECIMAL, END, IDENTIFIER, STRING

_DECIMAL_PARTS = re.compile(r"\d+|\.")


@dataclass(slots=True)
class Token:
    text: str
    column: int = 0
    is_string: bool = False
    is_name: bool = False

    @property
    def end(self) -> int:
        return self.column + len(self.text) + (2 if self.is_string else 0)

    def copy(self) -> Token:
        return Token(self.text, self.column, self.is_string, self.is_name)

    def shown(self) -> str:
        if self.is_string:
            return f'"\\"", "{self.text}", "\\""'
        if self.text in ("/\\", "\\/"):
            return f'"(col{self.column}) {self.text.replace(chr(92), chr(92) * 2)}"'
        if self.text.startswith("\\"):
            return f'"\\{self.text}"'
        return f'"{self.text}"'


@dataclass(slots=True)
class TokenLines:
    lines: list[list[Token]]
    anchors: list[tuple[Token, int] | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.normalize()

    def copy(self) -> TokenLines:
        return TokenLines([[token.copy() for token in line] for line in self.lines])

    def shown(self) -> str:
        """The tokens in quotes, with a line break for each that the expression has."""
        text, separator = "<< ", ""
        for index, line in enumerate(self.lines):
            text += "\n" if index else ""
            for token in line:
                text += separator + token.shown()
                separator = ", "
        return text + " >>"

    @property
    def single(self) -> Token | None:
        """The only token, if there is only one."""
        return self.lines[0][0] if len(self.lines) == 1 and len(self.lines[0]) == 1 else None

    # ----------------------------------------------------------------------------------------------- columns

    def normalize(self) -> None:
        """No empty lines around, the leftmost line in column 0, and every line on its anchor."""
        while self.lines and not self.lines[0]:
            self.lines.pop(0)
        while self.lines and not self.lines[-1]:
            self.lines.pop()
        margin = min((line[0].column for line in self.lines if line), default=0)
        for line in self.lines:
            for token in line:
                token.column -= margin
        self.anchors = [self.find_anchor(index) for index in range(len(self.lines))]

    def find_anchor(self, index: int) -> tuple[Token, int] | None:
        line = self.lines[index]
        if not line:
            return None
        column = line[0].column
        for above in reversed(self.lines[:index]):
            if above and above[0].column <= column:
                last = 0
                while last + 1 < len(above) and above[last + 1].column <= column:
                    last += 1
                return above[last], above[last].column
        return None

    # ------------------------------------------------------------------------------------------ substitution

    def substitute(self, replacements: Mapping[str, TokenLines], parens: bool) -> None:
        """Replace every token that is one of the names, except names of fields."""
        found = self.find(replacements)
        if not found:
            return
        if self.single is not None:
            copy = replacements[self.lines[0][0].text].copy()
            self.lines, self.anchors = copy.lines, copy.anchors
            return
        result = _Rewriting(replacements, parens, found)
        for line, anchor in zip(self.lines, self.anchors, strict=True):
            result.line(line, anchor)
        self.lines, self.anchors = result.lines, result.anchors

    def find(self, replacements: Mapping[str, TokenLines]) -> set[int]:
        """The tokens to replace, by identity."""
        tokens = [token for line in self.lines for token in line]
        found, at = set(), 0
        while at < len(tokens):
            token = tokens[at]
            if token.is_string:
                at += 1
            elif token.text == ".":
                at += 2
            elif token.text in ("[", ",") and _is_field_sign(tokens, at + 2):
                at += 3
            else:
                if token.text in replacements:
                    found.add(id(token))
                at += 1
        return found

    def append(self, other: TokenLines) -> TokenLines:
        """`x[1]` and `.f` as one."""
        if not self.lines or not other.lines:
            return self.copy() if self.lines else other.copy()
        mine, others = self.copy(), other.copy()
        end = mine.lines[-1][-1].end
        for token in others.lines[0]:
            token.column += end
        return TokenLines([*mine.lines[:-1], mine.lines[-1] + others.lines[0], *others.lines[1:]])


class _Rewriting:
    """New lines under construction, from top to bottom; lines move with their anchors, which stand above them."""

    def __init__(self, replacements: Mapping[str, TokenLines], parens: bool, found: set[int]) -> None:
        self.replacements, self.parens, self.found = replacements, parens, found
        self.lines: list[list[Token]] = []
        self.anchors: list[tuple[Token, int] | None] = []

    def line(self, line: list[Token], anchor: tuple[Token, int] | None) -> None:
        shift = 0 if anchor is None else anchor[0].column - anchor[1]
        self.begin([], anchor)
        end = 0  # of the previous token where it stood
        for index, token in enumerate(line):
            old_end = token.end
            if index == 0:
                token.column += shift
            else:
                token.column = self.lines[-1][-1].end + token.column - end
            end = old_end
            if id(token) in self.found:
                self.replace(token)
            else:
                self.lines[-1].append(token)

    def begin(self, line: list[Token], anchor: tuple[Token, int] | None) -> None:
        self.lines.append(line)
        self.anchors.append(None if anchor is None else (anchor[0], anchor[0].column))

    def replace(self, token: Token) -> None:
        new = self.replacements[token.text].copy()
        only = new.single
        if only is not None:
            token.text, token.is_string, token.is_name = only.text, only.is_string, only.is_name
            self.lines[-1].append(token)
            return
        if self.parens:
            self.lines[-1].append(Token("(", token.column))
        for inner in new.lines[0]:
            inner.column += token.column + (1 if self.parens else 0)
        self.lines[-1].extend(new.lines[0])
        for line, anchor in zip(new.lines[1:], new.anchors[1:], strict=True):
            shift = 0 if anchor is None else anchor[0].column - anchor[1]
            for inner in line:
                inner.column += shift
            self.begin(line, anchor)
        if self.parens:
            self.lines[-1].append(Token(")", self.lines[-1][-1].end))


def _is_field_sign(tokens: list[Token], at: int) -> bool:
    return at < len(tokens) and not tokens[at].is_string and tokens[at].text in (":", "|->", "↦")


def tokens_of(span: Span) -> TokenLines:
    """The tokens of a stretch of the algorithm."""
    found, _ = lex(span.file, span.start, span.end)
    lines: list[list[Token]] = [[]]
    position = span.start
    for index, kind in enumerate(found.kinds):
        if kind == END:
            break
        lines.extend([] for _ in range(span.file.text.count("\n", position, found.starts[index])))
        position = found.starts[index]
        lines[-1].extend(_tokens(kind, found.text(index), found.columns[index]))
    return TokenLines(lines)


def _tokens(kind: str, text: str, column: int) -> list[Token]:
    if kind == STRING:
        return [Token(text[1:-1], column, is_string=True)]
    if kind == DECIMAL:
        return [Token(part[0], column + part.start()) for part in _DECIMAL_PARTS.finditer(text)]
    return [Token(text, column, is_name=kind == IDENTIFIER)]


def name_lines(name: str) -> TokenLines:
    return TokenLines([[Token(name, 0, is_name=True)]])


def made_up(*lines: str) -> TokenLines:
    """Lines of tokens separated by blanks; those in quotes are strings."""
    return TokenLines(
        [
            [Token(t[1:-1], is_string=True) if t.startswith('"') else Token(t) for t in line.split(" ") if t]
            for line in lines
        ]
    )
