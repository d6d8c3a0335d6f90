"""The parser of declarations and definitions, of modules and of LET."""

from gristmill.source import Span
from gristmill.syntax import tree
from gristmill.syntax.cursor import OUTDENT
from gristmill.syntax.expressions import ExpressionParser
from gristmill.syntax.operators import INFIX, OPERATORS, POSTFIX, PREFIX
from gristmill.syntax.token import END, END_MODULE, IDENTIFIER, MODULE, SEPARATOR, STEP

# With an operand behind it, each of these begins an expression.
_BEFORE_OPERAND = frozenset(["-", "/\\", "\\/", *PREFIX])

# Behind an operator symbol these show that the symbol itself is meant: `Fold(+, 0, s)`, `BY DEF ++`.
_AFTER_OPERATOR_NAME = frozenset(
    [
        *(",", ")", END, END_MODULE, SEPARATOR, MODULE, STEP, OUTDENT),
        *"LOCAL INSTANCE THEOREM PROPOSITION ASSUME ASSUMPTION CONSTANT VARIABLE RECURSIVE USE HIDE IN".split(),
    ]
)


class DefinitionParser(ExpressionParser):
    def definition(self, local: bool = False) -> tree.Definition:
        """`Op(x) == e`, `f[x \\in S] == e`, `a ++ b == e`, `I == INSTANCE M`, `RECURSIVE F(_)`."""
        kind, follows = self.peek(), self.peek_at(1)
        if kind == "RECURSIVE" and not local:
            return self.recursive()
        if kind in PREFIX:
            return self.prefix_definition(local)
        if kind != IDENTIFIER:
            self.fail_expecting("a definition", "here")
        if follows == "[":
            return self.function_definition(local)
        if follows in POSTFIX:
            return self.postfix_definition(local)
        if follows in INFIX and (follows != "=" or self.at_definition()):
            return self.infix_definition(local)
        return self.operator_definition(local)

    def at_definition(self) -> bool:
        """Whether a definition begins at the cursor, decided by looking ahead for its `==`."""
        kind, follows = self.peek(), self.peek_at(1)
        if kind in PREFIX:
            return follows == IDENTIFIER and self.peek_at(2) == "=="
        if kind != IDENTIFIER:
            return False
        if follows in INFIX:
            return self.peek_at(2) == IDENTIFIER and self.peek_at(3) == "=="
        if follows in POSTFIX:
            return self.peek_at(2) == "=="
        if follows in ("(", "["):
            closing = self.closing_brackets.get(self.index + 1)
            return closing is not None and self.kinds[closing + 1] == "=="
        return follows == "=="

    def at_operator_name(self) -> bool:
        """Whether an operator symbol stands for itself here, perhaps with a new unit behind it."""
        kind, follows = self.peek(), self.peek_at(1)
        if kind not in OPERATORS:
            return False
        if follows != IDENTIFIER:
            return follows in _AFTER_OPERATOR_NAME
        if kind not in _BEFORE_OPERAND:
            return True
        self.index += 1
        definition_follows = self.at_definition()
        self.index -= 1
        return definition_follows

    def operator_definition(self, local: bool) -> tree.Definition:
        first = self.index
        name = self.identifier("to define")
        params = self.parameters() if self.peek() == "(" else ()
        self.definition_sign(name.name)
        if self.peek() == "INSTANCE":
            instance = self.instance()
            return tree.InstanceDefinition(name.name, params, instance, local, name.span, self.span_from(first))
        body = self.expression()
        return tree.OperatorDefinition(name.name, params, body, local, name.span, self.span_from(first))

    def definition_sign(self, name: str) -> None:
        if self.peek() != "==":
            hint = "a definition is written with `==`" if self.peek() == "=" else None
            self.fail_expecting("`==`", f"to define `{name}`", hint)
        self.index += 1

    def function_definition(self, local: bool) -> tree.Definition:
        first = self.index
        name = self.identifier("to define")
        self.index += 1
        bounds = self.bounds()
        self.expect("]", f"behind the arguments of `{name.name}`")
        self.definition_sign(name.name)
        body = self.expression()
        return tree.FunctionDefinition(name.name, bounds, body, local, name.span, self.span_from(first))

    def prefix_definition(self, local: bool) -> tree.Definition:
        symbol = self.index
        self.index += 1
        operand = self.plain_parameter()
        return self.symbol_definition(symbol, (operand,), symbol, local)

    def postfix_definition(self, local: bool) -> tree.Definition:
        first = self.index
        operand = self.plain_parameter()
        self.index += 1
        return self.symbol_definition(first + 1, (operand,), first, local)

    def infix_definition(self, local: bool) -> tree.Definition:
        first = self.index
        left = self.plain_parameter()
        self.index += 1
        right = self.plain_parameter()
        return self.symbol_definition(first + 1, (left, right), first, local)

    def symbol_definition(
        self, symbol: int, params: tuple[tree.Parameter, ...], first: int, local: bool
    ) -> tree.Definition:
        name, span = self.kinds[symbol], self.tokens.span(symbol)
        self.definition_sign(name)
        body = self.expression()
        return tree.OperatorDefinition(name, params, body, local, span, self.span_from(first))

    def plain_parameter(self) -> tree.Parameter:
        name = self.identifier("as an operand of the operator to define")
        return tree.Parameter(name.name, 0, name.span)

    def parameters(self) -> tuple[tree.Parameter, ...]:
        """`(x, F(_, _), _ + _)`."""
        self.expect("(", "before parameters")
        params = [self.parameter()]
        while self.accept(","):
            params.append(self.parameter())
        self.expect(")", "behind the parameters")
        return tuple(params)

    def parameter(self) -> tree.Parameter:
        """A declaration: `x`, `F(_, _)`, `_ + _`, `-. _`, `_ ^#`."""
        first, kind = self.index, self.peek()
        if kind == IDENTIFIER:
            name = self.identifier("here").name
            arity = self.underscores() if self.peek() == "(" else 0
            return tree.Parameter(name, arity, self.span_from(first))
        if kind in PREFIX:
            self.index += 1
            self.expect("_", f"behind `{kind}`, for its operand")
            return tree.Parameter(kind, 1, self.span_from(first))
        if kind != "_":
            self.fail_expecting("a name to declare", "here")
        symbol = self.peek_at(1)
        if symbol not in INFIX and symbol not in POSTFIX:
            self.index += 1
            self.fail_expecting("an operator symbol", "behind `_`")
        self.index += 2
        if symbol in INFIX:
            self.expect("_", f"behind `{symbol}`, for its second operand")
        return tree.Parameter(symbol, 2 if symbol in INFIX else 1, self.span_from(first))

    def underscores(self) -> int:
        self.index += 1
        count = 0
        while True:
            self.expect("_", "for an argument of the declared operator")
            count += 1
            if not self.accept(","):
                self.expect(")", "behind the arguments of the declared operator")
                return count

    def declarations(self) -> tuple[tree.Parameter, ...]:
        params = [self.parameter()]
        while self.accept(","):
            params.append(self.parameter())
        return tuple(params)

    def recursive(self) -> tree.Recursive:
        first = self.index
        self.index += 1
        params = self.declarations()
        return tree.Recursive(params, self.span_from(first))

    def instance(self) -> tree.Instance:
        """`INSTANCE M WITH x <- e, + <- ++`."""
        first = self.index
        self.index += 1
        module, module_span = self.module_name("behind INSTANCE")
        substitutions: list[tree.Substitution] = []
        if self.accept("WITH"):
            substitutions.append(self.substitution())
            while self.peek() == "," and self.at_substitution(1):
                self.index += 1
                substitutions.append(self.substitution())
        return tree.Instance(module, tuple(substitutions), module_span, self.span_from(first))

    def module_name(self, context: str) -> tuple[str, Span]:
        name = self.field_name(context)
        return name, self.tokens.span(self.index - 1)

    def at_substitution(self, distance: int) -> bool:
        return self.peek_at(distance + 1) == "<-"

    def substitution(self) -> tree.Substitution:
        first, kind = self.index, self.peek()
        if kind == IDENTIFIER:
            name = self.identifier("to substitute").name
        elif kind in PREFIX or kind in INFIX or kind in POSTFIX:
            name = kind
            self.index += 1
        else:
            self.fail_expecting("a name", "to substitute")
        self.expect("<-", f"behind `{name}`")
        if self.at_operator_name():
            self.index += 1
            value: tree.Expression = tree.Name(self.kinds[self.index - 1], self.tokens.span(self.index - 1))
        else:
            value = self.operator_or_expression()
        return tree.Substitution(name, value, self.span_from(first))
