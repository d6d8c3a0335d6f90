"""A position in the tokens, and what every part of the parser does with it."""

from functools import cached_property
from typing import NoReturn

from gristmill.source import Diagnostic, Span
from gristmill.source.stack import MAX_NESTING
from gristmill.syntax.foreign import meant_operator, written_in_tla
from gristmill.syntax.token import END, IDENTIFIER, KEYWORDS, UNICODE_IDENTIFIERS, Tokens
from gristmill.syntax.tree import Name

# What the parser sees instead of a token that stands too far left for the junction list it is in.
OUTDENT = "outdent"

_FIELD_NAME_KINDS = frozenset(KEYWORDS.values()) | {IDENTIFIER, "WF_", "SF_"}

_OPENED_BY = {")": "(", "]": "[", "]_": "[", "}": "{"}
_OPENING = frozenset(_OPENED_BY.values())


class ParseFailure(Exception):
    """Parsing cannot go on here. Caught at the next definition boundary."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


class Cursor:
    """`limit` is the column of the innermost junction list: only what stands right of it belongs to its item."""

    def __init__(self, tokens: Tokens, index: int = 0) -> None:
        self.tokens = tokens
        self.file = tokens.file
        self.kinds, self.columns = tokens.kinds, tokens.columns
        self.starts, self.ends = tokens.starts, tokens.ends
        self.index = index
        self.limit = -1
        self.depth = 0

    def peek(self) -> str:
        index = self.index
        return self.kinds[index] if self.columns[index] > self.limit else OUTDENT

    def peek_at(self, distance: int) -> str:
        index = self.index + distance
        if index >= len(self.kinds):
            return END
        return self.kinds[index] if self.columns[index] > self.limit else OUTDENT

    def accept(self, kind: str) -> bool:
        """Step over the token if it is of that kind."""
        if self.peek() == kind:
            self.index += 1
            return True
        return False

    def expect(self, kind: str, context: str, help: str | None = None) -> int:
        """Step over a token that must be of that kind; returns its index."""
        if self.peek() != kind:
            self.fail_expecting(f"`{kind}`", context, help)
        self.index += 1
        return self.index - 1

    def expect_closing(self, kind: str, opening: int) -> None:
        """Step over the bracket that must close the one at the index `opening`."""
        if self.peek() != kind:
            line = self.file.position(self.starts[opening])[0]
            self.fail_expecting(f"`{kind}`", f"to close the `{self.tokens.text(opening)}` of line {line}")
        self.index += 1

    @cached_property
    def closing_brackets(self) -> dict[int, int]:
        """From the index of every bracket to that of the one that closes it; not of those that nothing closes."""
        closing: dict[int, int] = {}
        waiting: list[int] = []
        for index, kind in enumerate(self.kinds):
            if kind in _OPENING:
                waiting.append(index)
            elif kind in _OPENED_BY:
                while waiting and self.kinds[waiting[-1]] != _OPENED_BY[kind]:
                    waiting.pop()
                if waiting:
                    closing[waiting.pop()] = index
        return closing

    def span_from(self, first: int) -> Span:
        """From the token `first` to the one before the cursor."""
        return Span(self.file, self.starts[first], self.ends[self.index - 1])

    def identifier(self, context: str) -> Name:
        index = self.index
        if self.peek() != IDENTIFIER:
            self.fail_expecting("an identifier", context)
        self.index += 1
        text = self.tokens.text(index)
        return Name(UNICODE_IDENTIFIERS.get(text, text), self.tokens.span(index))

    def at_field_name(self, distance: int = 0) -> bool:
        return self.peek_at(distance) in _FIELD_NAME_KINDS

    def field_name(self, context: str) -> str:
        """The name of a field or a module: keywords may be used for them."""
        if not self.at_field_name():
            self.fail_expecting("a name", context)
        self.index += 1
        return self.tokens.text(self.index - 1)

    def enter(self) -> None:
        """Count one more level of nesting; every caller takes it back by `self.depth -= 1`."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.fail(
                "too-deeply-nested",
                f"expressions are nested more than {MAX_NESTING:,} deep here",
                help="give the inner parts names of their own",
            )

    def describe(self) -> str:
        """The token at the cursor, for a message."""
        kind = self.kinds[self.index]
        if kind == END:
            return "the end of the file"
        if kind == "end-module":
            return "the end of the module"
        text = self.tokens.text(self.index)
        return f"`{text if len(text) <= 40 else text[:40] + '…'}`"

    def fail_expecting(self, what: str, context: str, help: str | None = None) -> NoReturn:
        found = self.describe()
        if self.peek() == OUTDENT and self.kinds[self.index] != END:
            found += ", which stands left of the list item it would belong to"
        self.fail("syntax-error", f"expected {what} {context}, found {found}", help=help or self.foreign_hint())

    def foreign_hint(self) -> str | None:
        """If another language writes something as it stands here: how TLA+ does."""
        word = self.tokens.text(self.index)
        if (
            word == "!"
            and self.tokens.text(self.index + 1) == "="
            and self.starts[self.index + 1] == self.starts[self.index] + 1
        ):
            word = "!="
        return written_in_tla(word) or self.misspelt_operator()

    def misspelt_operator(self) -> str | None:
        """`\\im`, which reads as a difference of sets, `\\ im`: at the cursor, or just before it."""
        for at in (self.index, self.index - 2):
            reads_so = at >= 0 and self.kinds[at] == "\\" and self.kinds[at + 1] == IDENTIFIER
            if reads_so and self.starts[at + 1] == self.starts[at] + 1:
                return meant_operator("\\" + self.tokens.text(at + 1))
        return None

    def fail(self, id: str, message: str, span: Span | None = None, help: str | None = None) -> NoReturn:
        raise ParseFailure(Diagnostic(id, message, span or self.tokens.span(self.index), help=help))
