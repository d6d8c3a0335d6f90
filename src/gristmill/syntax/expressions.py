"""The parser of expressions: an operator-precedence parser (`OperatorStack`) around recursive descent."""

from abc import ABC, abstractmethod
from typing import NoReturn

from gristmill.source import Span
from gristmill.source.stack import MAX_CHAIN
from gristmill.syntax import tree
from gristmill.syntax.cursor import Cursor
from gristmill.syntax.literals import number_value, string_value
from gristmill.syntax.operator_stack import OperatorStack
from gristmill.syntax.operators import INFIX, NEGATION, OPERATORS, POSTFIX, PREFIX
from gristmill.syntax.token import DECIMAL, IDENTIFIER, NUMBER, STEP, STRING, Tokens
from gristmill.syntax.tree import Apply, Expression, Name

_BEFORE_OPERAND = frozenset(["-", *PREFIX])
_BEHIND_OPERAND = frozenset([".", "[", *POSTFIX])
_SET_OF_FUNCTIONS = "`[x \\in S |-> e]` is a function; `[S -> T]` is the set of all functions from S to T"
_NO_ELSE = "an IF has a value in both cases: say which with ELSE; an action may do nothing, ELSE UNCHANGED …"
_BULLETS = frozenset(["/\\", "∧", "\\/", "∨"])


class ExpressionParser(Cursor, ABC):
    """Parses expressions at a cursor. `stop_operators` are infix operators that end an expression (PlusCal)."""

    def __init__(self, tokens: Tokens, index: int = 0, stop_operators: frozenset[str] = frozenset()) -> None:
        super().__init__(tokens, index)
        self.stop_operators = stop_operators
        self.height = 0  # of the tallest tree among the operands parsed so far

    # ------------------------------------------------------------------------------- operators and operands

    def expression(self) -> Expression:
        """The longest expression that begins at the cursor."""
        self.enter()
        tallest, self.height = self.height, 0
        stack = OperatorStack(self)
        while True:
            kind = self.peek()
            if kind in _BEFORE_OPERAND:
                self.prefix_operators(stack)
                kind = self.peek()
            open_form = _OPEN_FORMS.get(kind)
            if open_form is not None:
                stack.operands.append(open_form(self))
                break
            stack.operands.append(self.operand(kind, stack))
            kind = self.peek()
            if kind in _BEHIND_OPERAND:
                self.postfix_operators(stack)
                kind = self.peek()
            if kind == "::":
                self.labelled(stack)
                break
            operator = INFIX.get(kind)
            if operator is None or kind in self.stop_operators:
                break
            stack.push_infix(operator, self.index)
            self.index += 1
        self.depth -= 1
        expression = stack.finish()
        height = self.height + stack.chain + 1
        if height > MAX_CHAIN:
            stack.fail_too_long()
        self.height = height if height > tallest else tallest
        return expression

    def prefix_operators(self, stack: OperatorStack) -> None:
        while True:
            kind = self.peek()
            if kind == "-":
                if self.peek_at(1) in (",", ")"):
                    return
                operator = PREFIX[NEGATION]
            elif kind in PREFIX and kind != NEGATION:
                if self.peek_at(1) in (",", ")"):
                    return
                operator = PREFIX[kind]
            else:
                return
            stack.operators.append((operator, self.index))
            self.index += 1

    def postfix_operators(self, stack: OperatorStack) -> None:
        """`'`, `^+`, …, and the tightest of all: `.field` and `[argument]`."""
        operands = stack.operands
        while True:
            kind = self.peek()
            if kind in POSTFIX:
                stack.reduce_for(POSTFIX[kind], self.index)
                self.index += 1
                name = Name(kind, self.tokens.span(self.index - 1))
                operand = operands[-1]
                operands[-1] = Apply(name, (operand,), operand.span.to(name.span))
            elif kind == ".":
                self.index += 1
                field = self.field_name("behind `.`")
                record = operands[-1]
                operands[-1] = tree.FieldAccess(record, field, self.span_behind(record))
            elif kind == "[":
                self.index += 1
                args = self.expressions("the arguments of a function")
                self.expect("]", "to close the arguments of a function")
                function = operands[-1]
                operands[-1] = tree.FunctionApply(function, args, self.span_behind(function))
            else:
                return
            stack.count_chain()

    def span_behind(self, expression: Expression) -> Span:
        """From the beginning of an expression to the token before the cursor."""
        return Span(self.file, expression.span.start, self.ends[self.index - 1])

    def operand(self, kind: str, stack: OperatorStack) -> Expression:
        form = _CLOSED_FORMS.get(kind)
        if form is not None:
            return form(self)
        if kind in ("/\\", "\\/") and self.tokens.text(self.index) in _BULLETS:
            return self.junction()
        if kind in OPERATORS and self.peek_at(1) in ("(", "!"):
            return self.general_name()
        if kind == "." and self.peek_at(1) == NUMBER and self.starts[self.index + 1] == self.ends[self.index]:
            self.index += 2
            return tree.Decimal(self.span_from(self.index - 2).text, self.span_from(self.index - 2))
        if kind in OPERATORS:
            self.fail_missing_operand()
        context = "here"
        if stack.operators:
            operator, at = stack.operators[-1]
            shown = self.tokens.text(at)
            context = f"{'after' if operator.fixity == 'infix' else 'behind'} `{shown}`"
        self.fail_expecting("an expression", context)

    def fail_missing_operand(self) -> NoReturn:
        text, end = self.tokens.text(self.index), self.ends[self.index]
        hint = None
        if text in ("\\", "\\o") and self.file.text[end : end + 1].isalnum():
            hint = "numbers in base 2, 8 and 16 are written \\b01, \\o17 and \\hFF"
        elif text == "'" and self.file.text[end : end + 1].isalnum():
            hint = 'a string is written with double quotes: "…"'
        self.fail("missing-operand", f"there is no expression before `{text}`", help=hint)

    def junction(self) -> Expression:
        """A list bulleted by `/\\` or `\\/`, all bullets in one column, everything else right of it."""
        first, kind = self.index, self.peek()
        column, outer = self.columns[first], self.limit
        items = []
        while self.kinds[self.index] == kind and self.columns[self.index] == column and column > outer:
            if self.tokens.text(self.index) not in _BULLETS:
                break
            self.index += 1
            self.limit = column
            try:
                items.append(self.expression())
            finally:
                self.limit = outer
        return tree.Junction(kind, tuple(items), self.span_from(first))  # type: ignore[arg-type]

    def labelled(self, stack: OperatorStack) -> None:
        """`lab(x) :: e`; the label must not change how its surroundings are read."""
        label = stack.operands.pop()
        match label:
            case Name(name):
                params: tuple[Name, ...] = ()
            case Apply(Name(name), args) if all(isinstance(a, Name) for a in args):
                params = tuple(a for a in args if isinstance(a, Name))
            case _:
                self.fail("bad-label", "what stands before `::` is not a label")
        self.index += 1
        body = self.expression()
        if stack.operators and isinstance(body, Apply) and body.operator.name in OPERATORS:
            outer, _ = stack.operators[-1]
            inner = OPERATORS[body.operator.name]
            if inner.fixity != "prefix" and not outer.high < inner.low:
                self.fail(
                    "label-changes-parse",
                    f"without the label `{name}` this expression would be read differently",
                    label.span,
                    help="put the labelled expression in parentheses",
                )
        stack.operands.append(tree.Labelled(name, params, body, label.span.to(body.span)))

    # --------------------------------------------------------------------------------------- closed operands

    def number(self) -> Expression:
        index = self.index
        self.index += 1
        text, span = self.tokens.text(index), self.tokens.span(index)
        value = number_value(text)
        if value is None:
            self.fail("number-too-long", "this number has too many digits", span)
        return tree.Number(value, text, span)

    def decimal(self) -> Expression:
        self.index += 1
        return tree.Decimal(self.tokens.text(self.index - 1), self.tokens.span(self.index - 1))

    def string(self) -> Expression:
        self.index += 1
        return tree.String(string_value(self.tokens.text(self.index - 1)), self.tokens.span(self.index - 1))

    def at(self) -> Expression:
        self.index += 1
        return tree.At(self.tokens.span(self.index - 1))

    def step_name(self) -> Expression:
        text = self.tokens.text(self.index)
        if text.endswith((">", ".", "*", "-")):
            self.fail("syntax-error", f"`{text}` begins a proof step; an expression is expected here")
        if self.peek_at(1) in ("!", "("):
            return self.general_name()
        self.index += 1
        return tree.StepName(text, self.tokens.span(self.index - 1))

    def parens(self) -> Expression:
        first = self.index
        self.index += 1
        body = self.expression()
        self.expect_closing(")", first)
        return tree.Parens(body, self.span_from(first))

    def general_name(self) -> Expression:
        """`Op`, `Op(a, b)`, `I(x)!Op(y)`, `Op!1!<<`: a name, arguments, and what hangs on by `!`."""
        first = self.index
        if self.kinds[first] == IDENTIFIER and self.kinds[first + 1] not in ("(", "!"):
            return self.identifier("here")
        segment = self.name_segment()
        if self.peek() != "!":
            name = Name(segment.name, self.tokens.span(first))
            return Apply(name, segment.args, segment.span) if segment.args else name
        segments: list[tree.Segment] = [segment]
        while self.accept("!"):
            segments.append(self.path_segment())
        return tree.Path(tuple(segments), self.span_from(first))

    def name_segment(self) -> tree.NameSegment:
        first = self.index
        kind = self.peek()
        if kind == IDENTIFIER:
            name = self.identifier("here").name
        else:
            name = self.tokens.text(first) if kind == STEP else kind
            self.index += 1
        args = self.arguments() if self.peek() == "(" else ()
        return tree.NameSegment(name, args, self.span_from(first))

    def path_segment(self) -> tree.Segment:
        first, kind = self.index, self.peek()
        if kind == IDENTIFIER or kind in OPERATORS:
            return self.name_segment()
        if kind == "(":
            args = self.arguments()
            return tree.ArgumentsSegment(args, self.span_from(first))
        if kind == NUMBER:
            number = self.number()
            assert isinstance(number, tree.Number)
            return tree.IndexSegment(number.value, number.span)
        if kind in ("<<", ">>", "@", ":"):
            self.index += 1
            return tree.SelectorSegment(kind, self.tokens.span(first))  # type: ignore[arg-type]
        self.fail_expecting("a name or a selector", "behind `!`")

    def arguments(self) -> tuple[Expression, ...]:
        """`(a, +, LAMBDA x : e)`."""
        opening = self.expect("(", "before arguments")
        args = [self.operator_or_expression()]
        while self.accept(","):
            args.append(self.operator_or_expression())
        self.expect_closing(")", opening)
        return tuple(args)

    def operator_or_expression(self) -> Expression:
        """An argument, or what a substitution puts in place of a name."""
        kind = self.peek()
        if kind == "LAMBDA":
            return self.lambda_()
        if kind not in OPERATORS or self.peek_at(1) not in (",", ")"):
            return self.expression()
        self.index += 1
        return Name(kind, self.tokens.span(self.index - 1))

    def lambda_(self) -> Expression:
        first = self.index
        self.index += 1
        params = [self.identifier("as a parameter of LAMBDA")]
        while self.accept(","):
            params.append(self.identifier("as a parameter of LAMBDA"))
        self.expect(":", "behind the parameters of LAMBDA")
        body = self.expression()
        return tree.Lambda(tuple(params), body, self.span_from(first))

    def expressions(self, context: str) -> tuple[Expression, ...]:
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        return tuple(items)

    def tuple_or_action(self) -> Expression:
        first = self.index
        self.index += 1
        items: tuple[Expression, ...] = ()
        if self.peek() not in (">>", ">>_"):
            items = self.expressions("a tuple")
        if self.accept(">>_"):
            if len(items) != 1:
                self.fail("syntax-error", "`<<A>>_v` takes exactly one action", self.span_from(first))
            subscript = self.subscript()
            return tree.AngleAction(items[0], subscript, self.span_from(first))
        self.expect_closing(">>", first)
        return tree.Tuple(items, self.span_from(first))

    def braces(self) -> Expression:
        """`{a, b}`, `{x \\in S : P}`, `{e : x \\in S}`."""
        first = self.index
        self.index += 1
        if self.accept("}"):
            return tree.SetEnumeration((), self.span_from(first))
        item = self.expression()
        if self.accept(":"):
            return self.comprehension(first, item)
        items = [item]
        while self.accept(","):
            items.append(self.expression())
        self.expect_closing("}", first)
        return tree.SetEnumeration(tuple(items), self.span_from(first))

    def comprehension(self, first: int, item: Expression) -> Expression:
        bound = _as_bound(item)
        if bound is not None:
            predicate = self.expression()
            self.expect_closing("}", first)
            return tree.SetFilter(bound, predicate, self.span_from(first))
        if isinstance(item, Apply) and item.operator.name == "\\in":
            self.fail(
                "ambiguous-set",
                "`{a \\in b : c \\in d}` can be read in two ways",
                item.span,
                help="parenthesise `a \\in b` if a set of truth values is meant",
            )
        bounds = self.bounds()
        self.expect_closing("}", first)
        return tree.SetMap(item, bounds, self.span_from(first))

    def brackets(self) -> Expression:
        """What begins with `[`: functions, records, their sets, EXCEPT, `[A]_v`."""
        first = self.index
        self.index += 1
        if self.at_bound() and not self.is_box_action(first):
            bounds = self.bounds()
            self.expect("|->", "behind the bounds of a function", _SET_OF_FUNCTIONS if self.peek() == "->" else None)
            body = self.expression()
            self.expect_closing("]", first)
            return tree.FunctionLiteral(bounds, body, self.span_from(first))
        if self.at_field_name() and self.peek_at(1) == "|->":
            fields = self.fields("|->")
            self.expect_closing("]", first)
            return tree.Record(fields, self.span_from(first))
        if self.at_field_name() and self.peek_at(1) == ":":
            fields = self.fields(":")
            self.expect_closing("]", first)
            return tree.RecordSet(fields, self.span_from(first))
        return self.bracketed_expression(first)

    def is_box_action(self, first: int) -> bool:
        """Whether a `[` is closed by `]_`: `[x \\in S /\\ …]_v` begins like a function."""
        closing = self.closing_brackets.get(first)
        return closing is not None and self.kinds[closing] == "]_"

    def bracketed_expression(self, first: int) -> Expression:
        inner = self.expression()
        if self.accept("->"):
            range_ = self.expression()
            self.expect_closing("]", first)
            return tree.FunctionSet(inner, range_, self.span_from(first))
        if self.accept("EXCEPT"):
            updates = [self.update()]
            while self.accept(","):
                updates.append(self.update())
            self.expect_closing("]", first)
            return tree.Except(inner, tuple(updates), self.span_from(first))
        if self.accept("]_"):
            subscript = self.subscript()
            return tree.BoxAction(inner, subscript, self.span_from(first))
        self.fail_expecting("`->`, `EXCEPT`, `|->` or `]_`", "in this bracket")

    def fields(self, arrow: str) -> tuple[tree.FieldValue, ...]:
        fields = []
        while True:
            first = self.index
            name = self.field_name("as a field of the record")
            self.expect(arrow, f"behind the field `{name}`")
            value = self.expression()
            fields.append(tree.FieldValue(name, value, self.span_from(first)))
            if not self.accept(","):
                return tuple(fields)

    def update(self) -> tree.Update:
        first = self.expect("!", "in EXCEPT")
        path: list[tree.IndexStep | tree.FieldStep] = []
        while (kind := self.peek()) in (".", "["):
            at = self.index
            self.index += 1
            if kind == ".":
                name = self.field_name("behind `!.`")
                path.append(tree.FieldStep(name, self.span_from(at)))
            else:
                args = self.expressions("EXCEPT")
                self.expect("]", "behind the argument of EXCEPT")
                path.append(tree.IndexStep(args, self.span_from(at)))
        if not path:
            self.fail_expecting("`[` or `.`", "behind the `!` of EXCEPT")
        self.expect("=", "in EXCEPT")
        value = self.expression()
        return tree.Update(tuple(path), value, self.span_from(first))

    def subscript(self) -> Expression:
        """Behind `]_` and `>>_`: a name with arguments, or something in brackets."""
        kind = self.peek()
        if kind == IDENTIFIER:
            return self.general_name()
        form = _BRACKETED_FORMS.get(kind)
        if form is None:
            self.fail_expecting("a name, or an expression in brackets,", "as a subscript")
        self.enter()
        subscript = form(self)
        self.depth -= 1
        return subscript

    def fairness(self) -> Expression:
        """`WF_v(A)`; of `WF_f(a)(A)`, `f(a)` is the subscript."""
        first = self.index
        kind = self.peek()[:2]
        self.index += 1
        if self.peek() == IDENTIFIER:
            subscript, action = self.fairness_operands()
        else:
            subscript = self.subscript()
            self.expect("(", f"before the action of {kind}")
            action = self.expression()
            self.expect(")", f"behind the action of {kind}")
        return tree.Fairness(kind, subscript, action, self.span_from(first))  # type: ignore[arg-type]

    def fairness_operands(self) -> tuple[Expression, Expression]:
        name = self.general_name()
        if self.accept("("):
            action = self.expression()
            self.expect(")", "behind the action")
            return name, action
        match name:
            case Apply(operator, (action,)):
                return operator, action
            case tree.Path((*before, tree.NameSegment(last, (action,), span))):
                bare = tree.NameSegment(last, (), span)
                return tree.Path((*before, bare), name.span), action
            case _:
                self.fail_expecting("an action in parentheses", "behind the subscript")

    # ------------------------------------------------------------------------------------------ bounds

    def at_bound(self) -> bool:
        """Whether `x, y \\in` or `<<x, y>> \\in` begins here."""
        tuple_ = self.peek() == "<<"
        at = 1 if tuple_ else 0
        while self.peek_at(at) == IDENTIFIER:
            at += 1
            if self.peek_at(at) != ",":
                break
            at += 1
        if tuple_:
            return self.peek_at(at) == ">>" and self.peek_at(at + 1) == "\\in"
        return at > 0 and self.peek_at(at) == "\\in"

    def bounds(self) -> tuple[tree.Bound, ...]:
        bounds = [self.bound()]
        while self.accept(","):
            bounds.append(self.bound())
        return tuple(bounds)

    def bound(self) -> tree.Bound:
        """`x, y \\in S` or `<<x, y>> \\in S`."""
        first = self.index
        names, is_tuple = self.bound_names()
        self.expect("\\in", "behind the bound name")
        domain = self.expression()
        return tree.Bound(names, is_tuple, domain, self.span_from(first))

    def bound_names(self) -> tuple[tuple[Name, ...], bool]:
        if not self.accept("<<"):
            return self.names("as a bound name"), False
        names = self.names("in the tuple of bound names")
        self.expect(">>", "to close the tuple of bound names")
        return names, True

    def names(self, context: str) -> tuple[Name, ...]:
        names = [self.identifier(context)]
        while self.accept(","):
            names.append(self.identifier(context))
        return tuple(names)

    def bounded_or_not(self) -> tuple[tree.Bound, ...]:
        """Bounds, or one `Bound` without a domain for `x, y`."""
        if self.at_bound() or self.peek() == "<<":
            return self.bounds()
        first = self.index
        names = self.names("as a bound name")
        return (tree.Bound(names, False, None, self.span_from(first)),)

    # ---------------------------------------------------------------------------------- open forms

    def quantified(self) -> Expression:
        first, kind = self.index, self.peek()
        self.index += 1
        if kind in ("\\AA", "\\EE"):
            names = self.names(f"behind `{kind}`")
            bounds: tuple[tree.Bound, ...] = (tree.Bound(names, False, None, self.span_from(first + 1)),)
        else:
            bounds = self.bounded_or_not()
        self.expect(":", "behind the bounds of a quantifier")
        body = self.expression()
        return tree.Quantified(kind, bounds, body, self.span_from(first))  # type: ignore[arg-type]

    def choose(self) -> Expression:
        first = self.index
        self.index += 1
        at = self.index
        if self.peek() == "<<":
            names, is_tuple = self.bound_names()
        else:
            names, is_tuple = (self.identifier("behind CHOOSE"),), False
        domain = self.expression() if self.accept("\\in") else None
        bound = tree.Bound(names, is_tuple, domain, self.span_from(at))
        self.expect(":", "behind the bound name of CHOOSE")
        body = self.expression()
        return tree.Choose(bound, body, self.span_from(first))

    def if_(self) -> Expression:
        first = self.index
        self.index += 1
        condition = self.expression()
        self.expect("THEN", "behind the condition of IF")
        then = self.expression()
        self.expect("ELSE", "behind the THEN of IF", _NO_ELSE)
        otherwise = self.expression()
        return tree.If(condition, then, otherwise, self.span_from(first))

    def case(self) -> Expression:
        first = self.index
        self.index += 1
        arms = [self.arm()]
        while arms[-1].guard is not None and self.peek() == "[]":
            self.index += 1
            arms.append(self.other_arm() if self.peek() == "OTHER" else self.arm())
        return tree.Case(tuple(arms), self.span_from(first))

    def arm(self) -> tree.Arm:
        first = self.index
        guard = self.expression()
        self.expect("->", "behind the guard of a CASE arm")
        value = self.expression()
        return tree.Arm(guard, value, self.span_from(first))

    def other_arm(self) -> tree.Arm:
        first = self.index
        self.index += 1
        self.expect("->", "behind OTHER")
        value = self.expression()
        return tree.Arm(None, value, self.span_from(first))

    def let(self) -> Expression:
        first = self.index
        self.index += 1
        definitions = [self.definition()]
        while self.peek() != "IN":
            if self.peek() not in _DEFINITION_STARTS:
                self.fail_expecting("`IN` or another definition", "in LET")
            definitions.append(self.definition())
        self.index += 1
        body = self.expression()
        return tree.Let(tuple(definitions), body, self.span_from(first))

    @abstractmethod
    def definition(self) -> tree.Definition:
        """A definition of LET (or of a module without LOCAL); see `DefinitionParser`."""


def _as_bound(expression: Expression) -> tree.Bound | None:
    """`x \\in S` and `<<x, y>> \\in S`, read as an expression, as the bound of a set filter."""
    match expression:
        case Apply(Name("\\in"), (Name() as name, domain), span):
            return tree.Bound((name,), False, domain, span)
        case Apply(Name("\\in"), (tree.Tuple(items), domain), span):
            names = tuple(item for item in items if isinstance(item, Name))
            if names and len(names) == len(items):
                return tree.Bound(names, True, domain, span)
    return None


_DEFINITION_STARTS = frozenset([IDENTIFIER, "RECURSIVE", "LOCAL", *PREFIX])

_OPEN_FORMS = {
    "\\A": ExpressionParser.quantified,
    "\\E": ExpressionParser.quantified,
    "\\AA": ExpressionParser.quantified,
    "\\EE": ExpressionParser.quantified,
    "CHOOSE": ExpressionParser.choose,
    "IF": ExpressionParser.if_,
    "CASE": ExpressionParser.case,
    "LET": ExpressionParser.let,
}

_BRACKETED_FORMS = {
    "(": ExpressionParser.parens,
    "{": ExpressionParser.braces,
    "[": ExpressionParser.brackets,
    "<<": ExpressionParser.tuple_or_action,
}

_CLOSED_FORMS = {
    **_BRACKETED_FORMS,
    IDENTIFIER: ExpressionParser.general_name,
    NUMBER: ExpressionParser.number,
    DECIMAL: ExpressionParser.decimal,
    STRING: ExpressionParser.string,
    STEP: ExpressionParser.step_name,
    "@": ExpressionParser.at,
    "WF_": ExpressionParser.fairness,
    "SF_": ExpressionParser.fairness,
}
