"""Rewrite a module's symbols in Unicode or in ASCII, keeping everything else: comments, line breaks, alignment.

Symbols change their widths, and columns mean something in TLA+. So a line inside a junction list moves along with the
first bullet of that list, and a line behind a list stays left of where its bullets now are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from gristmill.source import InternalError, SourceFile
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.columns import Columns, column_behind
from gristmill.syntax.lexer import lex
from gristmill.syntax.operators import POSTFIX
from gristmill.syntax.parser import Parsed, parse_module
from gristmill.syntax.spelling import spelling
from gristmill.syntax.token import DECIMAL, IDENTIFIER, NUMBER, STEP, STRING, UNICODE_IDENTIFIERS, Tokens

_ENDS_OPERAND = frozenset([IDENTIFIER, NUMBER, DECIMAL, STRING, STEP, ")", "]", "}", ">>", "@", *POSTFIX])


def respell(module: tree.Module, tokens: Tokens, unicode: bool) -> str:
    """The text of the file with the symbols of its module respelled."""
    return with_deep_stack(lambda: _Respeller(module, tokens, unicode).run())


def respell_verified(file: SourceFile, parsed: Parsed, unicode: bool) -> str:
    """The new text, which is sure to parse to the very same module."""
    assert parsed.module is not None
    text = respell(parsed.module, parsed.tokens, unicode)
    again = parse_module(SourceFile(file.path, text))
    if again.diagnostics or not with_deep_stack(lambda: again.module == parsed.module):
        raise InternalError(f"the new text of {file.path} would be another module; it was not written")
    return text


@dataclass(slots=True)
class _Piece:
    """A token or a comment: old position, new text."""

    start: int
    end: int
    column: int
    text: str
    kind: str


@dataclass(slots=True)
class _List:
    """A junction list: where it was, and the column its first bullet has now."""

    start: int
    end: int
    old_column: int = 0
    new_column: int = 0


class _Respeller:
    def __init__(self, module: tree.Module, tokens: Tokens, unicode: bool) -> None:
        self.tokens, self.source = tokens, tokens.file.text
        self.spell, self.unicode = spelling(unicode), unicode
        self.lists = sorted((_List(*span) for span in _junction_spans(module)), key=lambda found: found.start)
        self.open: list[_List] = []
        self.closed: list[_List] = []  # since the token before
        self.next_list = 0
        self.out: list[str] = []
        self.column = 0
        self.columns = Columns(self.source)

    def run(self) -> str:
        pieces = self.pieces()
        self.out.append(self.source[: pieces[0].start])
        self.column = pieces[0].column
        previous: _Piece | None = None
        for piece in pieces:
            if previous is None or previous.kind != "comment":
                self.closed = []
            self.enter_lists(piece)
            if previous is not None:
                self.gap(previous, piece)
            self.place_first_bullet(piece)
            self.out.append(piece.text)
            self.advance(piece.text)
            previous = piece
        assert previous is not None
        self.out.append(self.source[previous.end :])
        return "".join(self.out)

    def pieces(self) -> list[_Piece]:
        tokens = self.tokens
        pieces = [
            _Piece(tokens.starts[i], tokens.ends[i], tokens.columns[i], self.new_text(i), tokens.kinds[i])
            for i in range(len(tokens) - 1)
        ]
        columns = Columns(self.source)
        for start, end in tokens.comments:
            text = self.source[start:end].rstrip("\r")
            pieces.append(_Piece(start, end, columns.column_of(start), text, "comment"))
        pieces.sort(key=lambda piece: piece.start)
        return pieces

    def new_text(self, index: int) -> str:
        """The new spelling, unless the old one is already of the wanted kind."""
        text, kind = self.tokens.text(index), self.tokens.kinds[index]
        if kind == IDENTIFIER:
            return text if self.unicode else UNICODE_IDENTIFIERS.get(text, text)
        if kind not in self.spell or text == "-" or text.isascii() != self.unicode:
            return text
        if text in ("\\land", "\\lor") and not self.is_infix(index):
            return text  # `/\\` and `∧` would be bullets here
        return self.spell[kind]

    def is_infix(self, index: int) -> bool:
        """Whether there is an operand before a token, on the same line."""
        tokens = self.tokens
        same_line = "\n" not in self.source[tokens.ends[index - 1] : tokens.starts[index]]
        return same_line and (tokens.kinds[index - 1] in _ENDS_OPERAND or tokens.text(index - 1).isalnum())

    def enter_lists(self, piece: _Piece) -> None:
        while self.open and self.open[-1].end <= piece.start:
            self.closed.append(self.open.pop())
        while self.next_list < len(self.lists) and self.lists[self.next_list].start <= piece.start:
            self.open.append(self.lists[self.next_list])
            self.next_list += 1

    def gap(self, previous: _Piece, piece: _Piece) -> None:
        between = self.source[previous.end : piece.start]
        if "\n" in between:
            kept = between[: between.rfind("\n") + 1]
            self.out.append(kept)
            self.column = self.line_column(piece)
            self.out.append(" " * self.column)
            return
        if "\t" in between:
            between = " " * max(1, piece.column - self.columns.column_of(previous.end))
        elif not between and (self.respelled(previous) or self.respelled(piece)) and _merge(previous, piece):
            between = " "
        self.out.append(between)
        self.column += len(between)

    def respelled(self, piece: _Piece) -> bool:
        return self.source[piece.start : piece.end] != piece.text

    def line_column(self, piece: _Piece) -> int:
        """Where the first piece of a line goes."""
        inner = self.open[-1] if self.open else None
        if inner is not None and inner.start == piece.start:  # the first bullet of a list moves with what is around
            inner = self.open[-2] if len(self.open) > 1 else None
        column = piece.column + (inner.new_column - inner.old_column if inner else 0)
        for left_behind in self.closed:
            strictly = piece.column < left_behind.old_column  # the same column may be a bullet's
            column = min(column, left_behind.new_column - strictly)
        return max(column, 0)

    def place_first_bullet(self, piece: _Piece) -> None:
        for found in reversed(self.open):
            if found.start != piece.start:
                break
            found.old_column, found.new_column = piece.column, self.column

    def advance(self, text: str) -> None:
        self.column = column_behind(text, self.column)


def _merge(left: _Piece, right: _Piece) -> bool:
    """Whether two pieces without a gap, one of them respelled, would be read differently side by side."""
    if "comment" in (left.kind, right.kind):
        return False
    if left.text[-1].isalnum() and right.text[0].isalnum():
        return True
    if left.kind == "(" and right.text == "\\X":  # with a `)` behind it, it would be `(\X)`
        return True
    tokens, _ = lex(SourceFile("", left.text + right.text))
    return tokens.kinds[:-1] != [left.kind, right.kind] or tokens.starts[1] != len(left.text)


def _junction_spans(module: tree.Module) -> Iterator[tuple[int, int]]:
    """(start, end) of every junction list in a module."""
    parts_of: dict[type, list[str]] = {}
    waiting: list[Any] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif is_dataclass(node):
            if isinstance(node, tree.Junction):
                yield node.span.start, node.span.end
            if type(node) not in parts_of:
                parts_of[type(node)] = [part.name for part in fields(node) if part.compare]
            waiting.extend(getattr(node, name) for name in parts_of[type(node)])
