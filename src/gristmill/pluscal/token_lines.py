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

    def move_with_anchors(self) -> None:
        for index, (line, anchor) in enumerate(zip(self.lines, self.anchors, strict=True)):
            if anchor is not None:
                token, column = anchor
                self.anchors[index] = (token, token.column)
                for moved in line:
                    moved.column += token.column - column

    # ------------------------------------------------------------------------------------------ substitution

    def substitute(self, replacements: Mapping[str, TokenLines], parens: bool) -> None:
        """Replace every token that is one of the names, except names of fields."""
        position: tuple[int, int] | None = (0, 0)
        while position is not None and (found := self.find(replacements.keys(), position)) is not None:
            name = self.lines[found[0]][found[1]].text
            position = self.replace(found, replacements[name], parens)

    def step(self, position: tuple[int, int] | None, count: int = 1) -> tuple[int, int] | None:
        for _ in range(count):
            if position is None:
                return None
            line, index = position[0], position[1] + 1
            while line < len(self.lines) and index >= len(self.lines[line]):
                line, index = line + 1, 0
            position = (line, index) if line < len(self.lines) else None
        return position

    def at(self, position: tuple[int, int]) -> Token:
        return self.lines[position[0]][position[1]]

    def find(self, names: object, start: tuple[int, int]) -> tuple[int, int] | None:
        assert hasattr(names, "__contains__")
        position: tuple[int, int] | None = start if self.lines else None
        while position is not None:
            token = self.at(position)
            if token.is_string:
                position = self.step(position)
            elif token.text == ".":
                position = self.step(position, 2)
            elif token.text in ("[", ",") and self.before_field(position):
                position = self.step(position, 3)
            elif token.text in names:
                return position
            else:
                position = self.step(position)
        return None

    def before_field(self, position: tuple[int, int]) -> bool:
        """Whether `name |->` or `name :` follows."""
        after = self.step(position, 2)
        if after is None:
            return False
        token = self.at(after)
        return not token.is_string and token.text in (":", "|->", "↦")

    def replace(self, position: tuple[int, int], new: TokenLines, parens: bool) -> tuple[int, int] | None:
        """Put an expression in the place of a token; returns the position behind it."""
        if self.single is not None:
            copy = new.copy()
            self.lines, self.anchors = copy.lines, copy.anchors
            return None
        at, index = position
        line = self.lines[at]
        token, rest = line[index], line[index + 1 :]
        gap = rest[0].column - token.end if rest else 0
        only = new.single
        if only is not None:
            token.text, token.is_string, token.is_name = only.text, only.is_string, only.is_name
            del line[index + 1 :]
        else:
            del line[index:]
            at = self.insert(at, token.column, new.copy(), parens)
            line = self.lines[at]
        behind = (at, len(line) - 1)
        if rest:
            shift = line[-1].end + gap - rest[0].column
            for moved in rest:
                moved.column += shift
            line.extend(rest)
        self.move_with_anchors()
        return self.step(behind)

    def insert(self, at: int, column: int, new: TokenLines, parens: bool) -> int:
        """Add an expression to the end of a line, its further lines below; returns the index of its last line."""
        line = self.lines[at]
        if parens:
            line.append(Token("(", column))
        for token in new.lines[0]:
            token.column += column + (1 if parens else 0)
            line.append(token)
        self.lines[at + 1 : at + 1] = new.lines[1:]
        self.anchors[at + 1 : at + 1] = new.anchors[1:]
        at += len(new.lines) - 1
        if parens:
            last = self.lines[at][-1]
            self.lines[at].append(Token(")", last.end))
        return at

    def append(self, other: TokenLines) -> TokenLines:
        """`x[1]` and `.f` as one."""
        if not self.lines or not other.lines:
            return self.copy() if self.lines else other.copy()
        mine, others = self.copy(), other.copy()
        end = mine.lines[-1][-1].end
        for token in others.lines[0]:
            token.column += end
        return TokenLines([*mine.lines[:-1], mine.lines[-1] + others.lines[0], *others.lines[1:]])


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
