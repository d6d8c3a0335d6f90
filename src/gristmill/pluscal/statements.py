"""The parser of PlusCal's statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NoReturn

from gristmill.pluscal import tree
from gristmill.source import Diagnostic, Span
from gristmill.syntax import tree as tla
from gristmill.syntax.cursor import ParseFailure
from gristmill.syntax.definitions import DefinitionParser
from gristmill.syntax.literals import string_value
from gristmill.syntax.token import END, IDENTIFIER, STRING, Tokens
from gristmill.syntax.tree import Expression, Name

if TYPE_CHECKING:
    from gristmill.syntax.operator_stack import OperatorStack

_STATEMENT_WORDS = frozenset("if either while with call return goto print assert skip await when".split())
_OTHER_WORDS = frozenset(
    "begin end do then else elsif or variable variables define macro procedure process fair".split()
)
RESERVED = _STATEMENT_WORDS | _OTHER_WORDS
# A `;` may be left out before these.
_SEMICOLON_OPTIONAL = frozenset("end begin else elsif or do macro procedure process fair define".split())
_P_SEQUENCE_END = frozenset(["end", "else", "elsif", "or"])
NOT_LABELS = frozenset(["Done", "Error"])


class StatementParser(DefinitionParser):
    """A parser whose expressions end where PlusCal's own words begin."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__(tokens, stop_operators=frozenset([":=", "||"]))
        self.c = False
        self.in_macro = False
        self.diagnostics: list[Diagnostic] = []

    # ------------------------------------------------------------------------------------------------ tokens

    def word(self, distance: int = 0) -> str:
        """The identifier at a distance, or nothing."""
        if self.peek_at(distance) != IDENTIFIER:
            return ""
        return self.tokens.text(self.index + distance)

    def at_word(self, word: str, distance: int = 0) -> bool:
        return self.word(distance) == word

    def accept_word(self, word: str) -> bool:
        if self.at_word(word):
            self.index += 1
            return True
        return False

    def expect_word(self, word: str, context: str) -> None:
        if not self.accept_word(word):
            self.fail_expecting(f"`{word}`", context)

    def expect_symbol(self, kind: str, context: str) -> None:
        if not self.accept(kind):
            self.fail_expecting(f"`{kind}`", context)

    def new_name(self, context: str) -> Name:
        """A name that the algorithm gives to something."""
        if self.word() in RESERVED:
            self.fail_expecting("a name", context, "PlusCal's keywords cannot be used as names")
        return self.identifier(context)

    def semicolon(self, context: str) -> None:
        if self.accept(";") or self.peek() in ("{", "}") or self.word() in _SEMICOLON_OPTIONAL:
            return
        self.fail_missing_semicolon(context)

    def fail_missing_semicolon(self, context: str) -> NoReturn:
        if self.index and (self.word() or self.peek() == END):
            behind = Span(self.file, self.ends[self.index - 1] - 1, self.ends[self.index - 1])
            self.fail("pluscal-missing-semicolon", f"there is no `;` {context}", behind, help="add `;` here")
        self.fail_expecting("`;`", context)

    def fail_expecting(self, what: str, context: str, help: str | None = None) -> NoReturn:
        found = self.describe()
        if self.kinds[self.index] == END:
            found = "the end of the comment that holds the algorithm"
        self.fail("pluscal-syntax", f"expected {what} {context}, found {found}", help=help)

    def recover(self, failure: ParseFailure) -> None:
        self.diagnostics.append(failure.diagnostic)
        self.limit, self.depth = -1, 0

    # -------------------------------------------------------------------------------------------- expressions

    def operand(self, kind: str, stack: OperatorStack) -> Expression:
        if kind == IDENTIFIER and self.tokens.text(self.index) in RESERVED:
            self.fail_expecting("an expression", "here")
        return super().operand(kind, stack)

    def condition(self, statement: str) -> Expression:
        """The test of `if` or `while`: in parentheses in the syntax with braces."""
        if not self.c:
            return self.expression()
        self.expect_symbol("(", f"behind `{statement}`")
        test = self.expression()
        self.expect_symbol(")", f"behind the test of `{statement}`")
        return test

    def call_arguments(self, name: str) -> tuple[Expression, ...]:
        self.expect_symbol("(", f"behind `{name}`")
        args: list[Expression] = []
        while self.peek() != ")":
            if args:
                self.expect_symbol(",", f"between the arguments of `{name}`")
            args.append(self.expression())
        self.index += 1
        return tuple(args)

    # ---------------------------------------------------------------------------------------------- sequences

    def at_sequence_end(self) -> bool:
        if self.kinds[self.index] == END:
            return True
        return self.peek() == "}" if self.c else self.word() in _P_SEQUENCE_END

    def sequence(self, may_be_empty: bool = False) -> tree.Body:
        """Statements up to what closes them."""
        first = self.index
        statements: list[tree.Statement] = []
        while not self.at_sequence_end():
            statements.extend(self.statements())
        if not statements and not may_be_empty:
            self.fail("pluscal-empty-body", "there is no statement here", self.tokens.span(first), help="use `skip`")
        return tuple(statements)

    def statements(self) -> list[tree.Statement]:
        """One statement, or with braces the statements of a block, with the label before them."""
        self.enter()
        depth = self.depth
        label = self.label()
        if self.c and self.peek() == "{":
            found = self.block(label)
        else:
            found = [self.statement(label)]
        self.depth = depth - 1
        return found

    def block(self, label: tree.Label | None) -> list[tree.Statement]:
        self.index += 1
        statements = list(self.sequence())
        self.expect_symbol("}", "to close the block")
        self.semicolon("behind the block")
        if label is not None:
            inner = statements[0].label
            if inner is not None:
                self.fail(
                    "pluscal-two-labels",
                    f"this statement has two labels, `{label.name}` and `{inner.name}`",
                    inner.span,
                    help="remove one of them",
                )
            statements[0] = replace(statements[0], label=label)
        return statements

    def branch(self) -> tree.Body:
        """What belongs to `if`, `either` and the like: a sequence, or with braces one statement or block."""
        return tuple(self.statements()) if self.c else self.sequence()

    def label(self) -> tree.Label | None:
        if self.peek() != IDENTIFIER or self.peek_at(1) != ":":
            return None
        name = self.new_name("as a label")
        self.index += 1
        if self.in_macro:
            self.fail(
                "pluscal-label-in-macro",
                "the body of a macro has no labels",
                name.span,
                help="make the macro a procedure, or put the label before its call",
            )
        if name.name in NOT_LABELS:
            self.fail(
                "pluscal-reserved-label",
                f"`{name.name}` cannot be a label: it is the value of pc in a process that has ended"
                if name.name == "Done"
                else f"`{name.name}` cannot be a label: it is the value of pc behind the end of a procedure",
                name.span,
            )
        fairness: Literal["", "+", "-"] = ""
        if self.peek() in ("+", "-"):
            fairness = "+" if self.peek() == "+" else "-"
            self.index += 1
        return tree.Label(name.name, fairness, False, name.span)

    # ---------------------------------------------------------------------------------------------- statements

    def statement(self, label: tree.Label | None) -> tree.Statement:
        word = self.word()
        compound = _COMPOUND.get(word)
        if compound is not None:
            return compound(self, label)
        start = self.index
        try:
            return self.simple_statement(word, label)
        except ParseFailure as failure:
            if not self.skip_behind_semicolon(start):
                raise
            depth = self.depth
            self.recover(failure)
            self.depth = depth
            return tree.Skip(label, None, self.tokens.span(start))

    def skip_behind_semicolon(self, start: int) -> bool:
        """Whether the `;` of a simple statement could be found, to go on behind it."""
        at = self.index = max(self.index, start)
        while self.kinds[at] != ";":
            if self.kinds[at] in ("{", "}", END):
                return False
            if self.kinds[at] == IDENTIFIER and self.tokens.text(at) in RESERVED and at > start:
                return False
            at += 1
        self.index = at + 1
        return True

    def simple_statement(self, word: str, label: tree.Label | None) -> tree.Statement:
        first = self.index
        simple = _SIMPLE.get(word)
        if simple is not None:
            self.index += 1
            statement = simple(self, label, first)
        elif word and word not in RESERVED:
            macro_call = self.peek_at(1) == "("
            statement = self.macro_call(label) if macro_call else self.assign(label)
        else:
            self.fail_expecting("a statement", "here")
        self.semicolon(f"behind this {_DESCRIPTIONS.get(word, 'statement')}")
        if isinstance(statement, tree.Call):
            return self.tail_of_call(statement, first)
        return statement

    def assign(self, label: tree.Label | None) -> tree.Statement:
        first = self.index
        assignments = [self.assignment()]
        while self.accept("||"):
            assignments.append(self.assignment())
        return tree.Assign(tuple(assignments), label, None, self.span_from(first))

    def assignment(self) -> tree.Assignment:
        first = self.index
        if self.word() in RESERVED or not self.word():
            self.fail_expecting("a variable", "to assign to")
        left = self.expression()
        target = tree.assignment_target(left)
        if self.peek() != ":=":
            help = "a statement that assigns is written with `:=`" if _looks_like_equation(left) else None
            self.fail_expecting("`:=`", "in this statement", help)
        if target is None:
            self.fail(
                "pluscal-bad-assignment",
                "the left side of `:=` is not a variable",
                left.span,
                help="assign to `x`, `x[i]`, `x.field` or a chain of these",
            )
        self.index += 1
        value = self.expression()
        return tree.Assignment(target[0], target[1], value, self.span_from(first))

    def macro_call(self, label: tree.Label | None) -> tree.Statement:
        first = self.index
        name = self.identifier("here")
        args = self.call_arguments(name.name)
        return tree.MacroCall(name, args, label, None, self.span_from(first))

    def await_(self, label: tree.Label | None, first: int) -> tree.Statement:
        return tree.Await(self.expression(), label, None, self.span_from(first))

    def print_(self, label: tree.Label | None, first: int) -> tree.Statement:
        return tree.Print(self.expression(), label, None, self.span_from(first))

    def assert_(self, label: tree.Label | None, first: int) -> tree.Statement:
        return tree.Assert(self.expression(), label, None, self.span_from(first))

    def skip(self, label: tree.Label | None, first: int) -> tree.Statement:
        return tree.Skip(label, None, self.span_from(first))

    def return_(self, label: tree.Label | None, first: int) -> tree.Statement:
        return tree.Return(label, None, self.span_from(first))

    def goto(self, label: tree.Label | None, first: int) -> tree.Statement:
        if self.peek() == STRING:  # an old habit
            target = Name(string_value(self.tokens.text(self.index)), self.tokens.span(self.index))
            self.index += 1
        else:
            target = self.new_name("behind `goto`")
        return tree.Goto(target, label, None, self.span_from(first))

    def call(self, label: tree.Label | None, first: int) -> tree.Statement:
        name = self.new_name("behind `call`")
        args = self.call_arguments(name.name)
        return tree.Call(name, args, None, label, None, self.span_from(first))

    def tail_of_call(self, call: tree.Call, first: int) -> tree.Statement:
        """An unlabelled `return` or `goto` right behind a call is taken in the same step."""
        at = self.index
        if self.accept_word("return"):
            then: tree.Statement = self.return_(None, at)
        elif self.accept_word("goto"):
            then = self.goto(None, at)
        else:
            return call
        assert isinstance(then, tree.Return | tree.Goto)
        span = self.span_from(first)
        self.semicolon("behind this statement")
        return replace(call, then=then, span=span)

    # -------------------------------------------------------------------------------------------- compound ones

    def while_(self, label: tree.Label | None) -> tree.Statement:
        first = self.index
        self.index += 1
        test = self.condition("while")
        if not self.c:
            self.expect_word("do", "behind the test of `while`")
        body = self.branch()
        span = self.close_statement("while", first)
        return tree.While(test, body, label, None, span)

    def close_statement(self, word: str, first: int) -> Span:
        if self.c:
            return self.span_of(first)
        self.expect_word("end", f"to close this `{word}`")
        self.expect_word(word, f"behind `end`, to close the `{word}` of line {self.line_of(first)}")
        span = self.span_from(first)
        self.semicolon(f"behind `end {word}`")
        return span

    def line_of(self, index: int) -> int:
        return self.file.position(self.starts[index])[0]

    def span_of(self, first: int) -> Span:
        """A compound statement, without the `;` that belongs to the last of its parts."""
        last = self.index - 1
        last -= self.kinds[last] == ";"
        return Span(self.file, self.starts[first], self.ends[last])

    def if_statement(self, label: tree.Label | None) -> tree.Statement:
        first = self.index
        self.index += 1
        return self.if_with_else(first, label) if self.c else self.if_with_elsif(first, label)

    def if_with_else(self, first: int, label: tree.Label | None) -> tree.Statement:
        test = self.condition("if")
        then = self.branch()
        otherwise = self.branch() if self.accept_word("else") else ()
        return tree.If(test, then, otherwise, label, None, self.span_of(first))

    def if_with_elsif(self, first: int, label: tree.Label | None) -> tree.Statement:
        branches: list[tuple[int, Expression, tree.Body]] = []
        at = first
        while True:
            self.enter()
            test = self.expression()
            self.expect_word("then", "behind the test of `if`")
            branches.append((at, test, self.sequence()))
            at = self.index
            if not self.accept_word("elsif"):
                break
        otherwise: tree.Body = self.sequence(may_be_empty=True) if self.accept_word("else") else ()
        span = self.close_statement("if", first)
        for at, test, then in reversed(branches):
            whole = Span(self.file, self.starts[at], span.end)
            otherwise = (tree.If(test, then, otherwise, label if at == first else None, None, whole),)
        return otherwise[0]

    def either(self, label: tree.Label | None) -> tree.Statement:
        first = self.index
        self.index += 1
        clauses = [self.branch()]
        while self.accept_word("or"):
            clauses.append(self.branch())
        span = self.close_statement("either", first)
        if len(clauses) == 1:
            self.fail("pluscal-either-without-or", "this `either` has no `or`", self.tokens.span(first))
        return tree.Either(tuple(clauses), label, None, span)

    def with_(self, label: tree.Label | None) -> tree.Statement:
        first = self.index
        self.index += 1
        if self.c:
            self.expect_symbol("(", "behind `with`")
        bindings = self.bindings()
        body = self.branch()
        span = self.close_statement("with", first)
        for position, (name, is_member, value) in reversed(list(enumerate(bindings))):
            outer = label if position == 0 else None
            body = (tree.With(name, is_member, value, body, outer, None, span),)
        return body[0]

    def bindings(self) -> list[tuple[Name, bool, Expression]]:
        """`x \\in S, y = e` and the `do` or `)` behind them; commas and semicolons do the same."""
        bindings: list[tuple[Name, bool, Expression]] = []
        while True:
            self.enter()
            name = self.new_name("behind `with`")
            if self.peek() not in ("=", "\\in"):
                self.fail_expecting("`=` or `\\in`", f"behind `{name.name}`")
            is_member = self.peek() == "\\in"
            self.index += 1
            bindings.append((name, is_member, self.expression()))
            more = self.accept(",") or self.accept(";")
            if self.accept(")") if self.c else self.accept_word("do"):
                return bindings
            if not more:
                end = "`)`" if self.c else "`do`"
                self.fail_expecting(f"`,` or {end}", "behind a binding of `with`")


def _looks_like_equation(left: Expression) -> bool:
    return isinstance(left, tla.Apply) and left.operator.name == "="


_Compound = Callable[[StatementParser, tree.Label | None], tree.Statement]
_Simple = Callable[[StatementParser, tree.Label | None, int], tree.Statement]

_COMPOUND: dict[str, _Compound] = {
    "if": StatementParser.if_statement,
    "either": StatementParser.either,
    "while": StatementParser.while_,
    "with": StatementParser.with_,
}
_SIMPLE: dict[str, _Simple] = {
    "await": StatementParser.await_,
    "when": StatementParser.await_,
    "print": StatementParser.print_,
    "assert": StatementParser.assert_,
    "skip": StatementParser.skip,
    "return": StatementParser.return_,
    "goto": StatementParser.goto,
    "call": StatementParser.call,
}
_DESCRIPTIONS = {word: f"`{word}`" for word in _SIMPLE}
