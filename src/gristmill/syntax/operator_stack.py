"""Operators and operands of an expression, put together by precedence.

Precedences in TLA+ are ranges. Of two neighbouring operators, the one whose range is wholly above binds tighter;
ranges that overlap are an error, except for one and the same left-associative operator.
"""

from typing import NoReturn

from gristmill.source import Diagnostic, Label
from gristmill.source.stack import MAX_CHAIN
from gristmill.syntax import tree
from gristmill.syntax.cursor import Cursor, ParseFailure
from gristmill.syntax.foreign import written_in_tla
from gristmill.syntax.operators import NEGATION, Operator
from gristmill.syntax.tree import Apply, Expression, Name

MAX_SHOWN = 30  # characters of an operand in a message


class OperatorStack:
    """Operators and operands of one expression that are still waiting for their right neighbours."""

    __slots__ = ("chain", "operands", "operators", "parser")

    def __init__(self, parser: Cursor) -> None:
        self.parser = parser
        self.operands: list[Expression] = []
        self.operators: list[tuple[Operator, int]] = []
        self.chain = 0

    def push_infix(self, operator: Operator, index: int) -> None:
        self.reduce_for(operator, index)
        self.operators.append((operator, index))

    def reduce_for(self, right: Operator, index: int) -> None:
        """Apply every operator on the stack that binds tighter than the one that comes now."""
        while self.operators:
            left, at = self.operators[-1]
            if left.low > right.high or (left is right and left.left):
                self.reduce()
            elif left.high < right.low:
                self.check_below_negation(left, right, index)
                return
            else:
                self.conflict(left, at, right, index)

    def check_below_negation(self, left: Operator, right: Operator, index: int) -> None:
        """In `a * -b * c` the minus must not pull `b * c` away from an operator that binds tighter than it."""
        if left.name == NEGATION and len(self.operators) > 1:
            below, at = self.operators[-2]
            if below.low > left.high and not below.high < right.low:
                one, two = self.parser.tokens.text(at), self.parser.tokens.text(index)
                operand = self.shown(self.operands[-1], "b")
                message = f"`-` binds less tightly than the `{one}` before it and needs parentheses"
                self.fail(message, f"write `{one} (-{operand}) {two} …`", self.operators[-1][1], at)

    def reduce(self) -> None:
        operator, index = self.operators.pop()
        name = Name(operator.name, self.parser.tokens.span(index))
        right = self.operands.pop()
        if operator.fixity == "prefix":
            self.operands.append(Apply(name, (right,), name.span.to(right.span)))
        else:
            left = self.operands.pop()
            span = left.span.to(right.span)
            if operator.name == "\\X":
                factors = left.factors if isinstance(left, tree.CrossProduct) else (left,)
                self.operands.append(tree.CrossProduct((*factors, right), span))
            else:
                self.operands.append(Apply(name, (left, right), span))
        self.count_chain()

    def count_chain(self) -> None:
        self.chain += 1
        if self.chain > MAX_CHAIN:
            self.fail_too_long()

    def fail_too_long(self) -> NoReturn:
        self.parser.fail(
            "too-long-chain",
            f"more than {MAX_CHAIN:,} operators follow one another in this expression",
            help="write it as a bulleted list, or give parts of it names of their own",
        )

    def finish(self) -> Expression:
        while self.operators:
            self.reduce()
        return self.operands[0]

    def conflict(self, left: Operator, left_index: int, right: Operator, right_index: int) -> NoReturn:
        tokens = self.parser.tokens
        one, two = tokens.text(left_index), tokens.text(right_index)
        if left is right:
            message = f"`{one}` is not associative: a chain of it needs parentheses"
        else:
            message = f"`{one}` and `{two}` have overlapping precedences and need parentheses"
        inner = self.shown(self.operands[-1], "b")
        rest = two if right.fixity == "postfix" else f" {two} …"
        if left.fixity == "prefix":
            space = " " if one.isalpha() else ""
            remedy = f"write `({one}{space}{inner}){rest}` or `{one}{space}({inner}{rest})`"
        else:
            outer = self.shown(self.operands[-2], "a")
            remedy = f"write `({outer} {one} {inner}){rest}` or `{outer} {one} ({inner}{rest})`"
        between = (tokens.text(index) for index in range(left_index + 1, right_index))
        foreign = next((each for each in between if each in ("&&", "||")), None)
        remedy = written_in_tla(foreign) or remedy if foreign is not None else remedy
        self.fail(message, remedy, right_index, left_index)

    def shown(self, operand: Expression, letter: str) -> str:
        """The text of an operand for a message, or a letter in its place if it is long."""
        text = operand.span.text
        return text if len(text) <= MAX_SHOWN and "\n" not in text else letter

    def fail(self, message: str, remedy: str, index: int, other: int) -> NoReturn:
        tokens = self.parser.tokens
        label = Label(tokens.span(other), "the other operator")
        raise ParseFailure(Diagnostic("precedence-conflict", message, tokens.span(index), help=remedy, labels=(label,)))
