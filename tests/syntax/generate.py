"""Random well-formed trees: those that some text parses to. Names mean nothing; nobody resolves them.

`Trees` draws its decisions from a function, so that hypothesis and `random` can both drive it. Operands that do not
fit beside an operator get parentheses by a rule that is written here a second time, independent of the printer's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from gristmill.source import SourceFile, Span
from gristmill.syntax import tree
from gristmill.syntax.operators import INFIX_OPERATORS, OPERATORS, POSTFIX_OPERATORS, PREFIX_OPERATORS, Operator
from gristmill.syntax.tree import Apply, Expression, Name, Parens

NOWHERE = Span(SourceFile("<generated>", ""), 0, 0)
NAMES = "a b c x y z Foo Bar_1 _u N1 state InitX".split()
OPEN_FORMS = (tree.Quantified, tree.Choose, tree.If, tree.Case, tree.Let, tree.Lambda, tree.Labelled)

Choose = Callable[[int], int]  # a number from 0 to n - 1
Item = TypeVar("Item")


@st.composite
def modules(draw: st.DrawFn, fuel: int = 60) -> tree.Module:
    return Trees(lambda n: draw(st.integers(0, n - 1)), fuel).module()


@st.composite
def expressions(draw: st.DrawFn, fuel: int = 40) -> Expression:
    return Trees(lambda n: draw(st.integers(0, n - 1)), fuel).expression()


class Trees:
    """Every node costs one unit of `fuel`; without fuel, only names and literals are made."""

    def __init__(self, choose: Choose, fuel: int) -> None:
        self.choose, self.fuel = choose, fuel

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.choose(len(items))]

    def some(self, make: Callable[[], Item], least: int = 1, most: int = 3) -> tuple[Item, ...]:
        return tuple(make() for _ in range(least + self.choose(most - least + 1)))

    def maybe(self) -> bool:
        return self.choose(2) == 1

    def text(self) -> str:
        return self.pick(NAMES)

    def name(self) -> Name:
        return Name(self.text(), NOWHERE)

    def names(self) -> tuple[Name, ...]:
        return self.some(self.name)

    # ---------------------------------------------------------------------------------------------- expressions

    def expression(self) -> Expression:
        """Anything that may stand between brackets or behind `==`."""
        self.fuel -= 1
        if self.fuel <= 0:
            return self.atom()
        kinds = [self.closed, self.operation, self.operation, self.junction, self.quantified, self.choose_form]
        return self.pick([*kinds, self.if_, self.case, self.let, self.labelled])()

    def atom(self) -> Expression:
        number = self.pick([(7, "7"), (0, "00"), (5, "\\b101"), (15, "\\o17"), (255, "\\hFf")])
        atoms = [
            self.name(),
            tree.Number(*number, NOWHERE),
            tree.Decimal("3.14", NOWHERE),
            tree.String(self.pick(["", "a b", 'q"\\', "\t\n", "(* \\* no comment"]), NOWHERE),
            tree.At(NOWHERE),
            tree.StepName("<1>2a", NOWHERE),
        ]
        return self.pick([self.name(), *atoms])

    def closed(self) -> Expression:
        """An expression that is complete at its last token."""
        self.fuel -= 1
        if self.fuel <= 0:
            return self.atom()
        return self.pick(
            [
                self.atom,
                self.application,
                self.path,
                self.parens,
                self.tuple_or_set,
                self.set_filter,
                self.set_map,
                self.function_literal,
                self.function_set,
                self.function_apply,
                self.record,
                self.field_access,
                self.except_,
                self.action,
                self.fairness,
            ]
        )()

    def application(self) -> Expression:
        return Apply(self.name(), self.some(self.argument), NOWHERE)

    def argument(self) -> Expression:
        match self.choose(8):
            case 0:
                return Name(self.pick([*OPERATORS]), NOWHERE)
            case 1:
                return tree.Lambda(self.names(), self.expression(), NOWHERE)
        return self.expression()

    def path(self) -> Expression:
        return tree.Path((self.name_segment(), *self.some(self.segment)), NOWHERE)

    def name_segment(self) -> tree.NameSegment:
        return tree.NameSegment(self.text(), self.some(self.argument, least=0, most=2), NOWHERE)

    def segment(self) -> tree.Segment:
        match self.choose(5):
            case 0:
                return tree.NameSegment(self.pick(["+", "!!", "/\\", "-.", "^*", "\\X"]), (), NOWHERE)
            case 1:
                return tree.IndexSegment(1 + self.choose(12), NOWHERE)
            case 2:
                return tree.ArgumentsSegment(self.some(self.expression), NOWHERE)
            case 3:
                return tree.SelectorSegment(self.pick(["<<", ">>", "@", ":"]), NOWHERE)  # type: ignore[arg-type]
        return self.name_segment()

    def parens(self) -> Expression:
        return Parens(self.expression(), NOWHERE)

    def tuple_or_set(self) -> Expression:
        form = self.pick([tree.Tuple, tree.SetEnumeration])
        return form(self.some(self.expression, least=0), NOWHERE)

    def bound(self) -> tree.Bound:
        return tree.Bound(self.names(), self.maybe(), self.expression(), NOWHERE)

    def single_bound(self) -> tree.Bound:
        is_tuple = self.maybe()
        return tree.Bound(self.names() if is_tuple else (self.name(),), is_tuple, self.expression(), NOWHERE)

    def bounds(self) -> tuple[tree.Bound, ...]:
        return self.some(self.bound, most=2)

    def set_filter(self) -> Expression:
        bound = self.single_bound()
        assert bound.domain is not None
        domain = self.right_of(OPERATORS["\\in"], bound.domain)
        if isinstance(domain, tree.Labelled):  # it is read as an operand of `\in`
            domain = Parens(domain, NOWHERE)
        return tree.SetFilter(tree.Bound(bound.names, bound.is_tuple, domain, NOWHERE), self.expression(), NOWHERE)

    def set_map(self) -> Expression:
        body = self.expression()
        if isinstance(body, Apply) and body.operator.name == "\\in":
            body = Parens(body, NOWHERE)
        return tree.SetMap(body, self.bounds(), NOWHERE)

    def function_literal(self) -> Expression:
        return tree.FunctionLiteral(self.bounds(), self.expression(), NOWHERE)

    def no_bound(self) -> Expression:
        """What may begin a bracket without looking like the bound of a function."""
        node = self.expression()
        return Parens(node, NOWHERE) if operator_of(node) is not None else node

    def function_set(self) -> Expression:
        return tree.FunctionSet(self.no_bound(), self.expression(), NOWHERE)

    def function_apply(self) -> Expression:
        return tree.FunctionApply(self.closed(), self.some(self.expression), NOWHERE)

    def field(self) -> tree.FieldValue:
        return tree.FieldValue(self.field_name(), self.expression(), NOWHERE)

    def field_name(self) -> str:
        return self.pick([*NAMES, "IN", "CASE", "WITNESS"])

    def record(self) -> Expression:
        form = self.pick([tree.Record, tree.RecordSet])
        return form(self.some(self.field), NOWHERE)

    def field_access(self) -> Expression:
        record = self.closed()
        if isinstance(record, tree.Number | tree.Decimal):  # `7.x` is fine, `7.1` is not what is meant
            record = Parens(record, NOWHERE)
        return tree.FieldAccess(record, self.field_name(), NOWHERE)

    def except_(self) -> Expression:
        return tree.Except(self.no_bound(), self.some(self.update, most=2), NOWHERE)

    def update(self) -> tree.Update:
        return tree.Update(self.some(self.update_step), self.expression(), NOWHERE)

    def update_step(self) -> tree.IndexStep | tree.FieldStep:
        if self.maybe():
            return tree.FieldStep(self.field_name(), NOWHERE)
        return tree.IndexStep(self.some(self.expression, most=2), NOWHERE)

    def subscript(self) -> Expression:
        return self.pick([self.name, self.application, self.path, self.parens, self.tuple_or_set, self.record])()

    def action(self) -> Expression:
        form = self.pick([tree.BoxAction, tree.AngleAction])
        return form(self.expression(), self.subscript(), NOWHERE)

    def fairness(self) -> Expression:
        return tree.Fairness(self.pick(["WF", "SF"]), self.subscript(), self.expression(), NOWHERE)  # type: ignore[arg-type]

    # ------------------------------------------------------------------------------------------------ operators

    def operation(self) -> Expression:
        match self.choose(8):
            case 0:
                operator = self.pick(POSTFIX_OPERATORS)
                return Apply(Name(operator.name, NOWHERE), (self.operand_of_postfix(),), NOWHERE)
            case 1 | 2:
                operator = self.pick(PREFIX_OPERATORS)
                operand = self.right_of(operator, self.expression())
                return Apply(Name(operator.name, NOWHERE), (operand,), NOWHERE)
            case 3:
                return self.cross_product()
            case 4:
                operator = self.pick([op for op in INFIX_OPERATORS if op.name not in ("-", "/\\", "\\/")])
                return Apply(Name(operator.name, NOWHERE), (self.expression(), self.expression()), NOWHERE)
        operator = self.pick([op for op in INFIX_OPERATORS if op.name != "\\X"])
        left, right = self.left_of(operator, self.expression()), self.right_of(operator, self.expression())
        return Apply(Name(operator.name, NOWHERE), (left, right), NOWHERE)

    def operand_of_postfix(self) -> Expression:
        node = self.closed()
        return Apply(Name("'", NOWHERE), (node,), NOWHERE) if self.maybe() else node

    def cross_product(self) -> Expression:
        product = OPERATORS["\\X"]
        first, *others = self.some(self.expression, least=2, most=3)
        left = self.left_of(product, first)
        if isinstance(left, tree.CrossProduct):
            left = Parens(left, NOWHERE)
        right = [self.right_of(product, other) for other in others]
        # Only the last factor may run on to the end of the expression.
        closed = [self.left_of(product, factor) for factor in right[:-1]]
        return tree.CrossProduct((left, *closed, right[-1]), NOWHERE)

    def left_of(self, operator: Operator, node: Expression) -> Expression:
        edge = right_edge(node)
        tighter = all(o.low > operator.high or (o is operator and o.left) for o in edge)
        return node if tighter and not ends_open(node) else Parens(node, NOWHERE)

    def right_of(self, operator: Operator, node: Expression) -> Expression:
        inner = operator_of(node)
        if isinstance(node, tree.Labelled):
            return Parens(node, NOWHERE)
        if inner is None:
            return node
        if inner.fixity == "prefix":
            assert isinstance(node, Apply)
            fits = inner.name != "-." or operator.low <= inner.high or operator_of(node.args[0]) is None
        else:
            fits = operator.high < inner.low and all(operator.high < o.low for o in left_edge(node))
        return node if fits else Parens(node, NOWHERE)

    def junction(self) -> Expression:
        return tree.Junction(self.pick(["/\\", "\\/"]), self.some(self.expression), NOWHERE)  # type: ignore[arg-type]

    # ----------------------------------------------------------------------------------------------- open forms

    def quantified(self) -> Expression:
        kind = self.pick(["\\A", "\\E", "\\AA", "\\EE"])
        bounds = self.bounds()
        if kind in ("\\AA", "\\EE") or self.maybe():
            bounds = (tree.Bound(self.names(), False, None, NOWHERE),)
        return tree.Quantified(kind, bounds, self.expression(), NOWHERE)  # type: ignore[arg-type]

    def choose_form(self) -> Expression:
        bound = self.single_bound()
        if self.maybe():
            bound = tree.Bound(bound.names, bound.is_tuple, None, NOWHERE)
        return tree.Choose(bound, self.expression(), NOWHERE)

    def if_(self) -> Expression:
        return tree.If(self.expression(), self.expression(), self.expression(), NOWHERE)

    def case(self) -> Expression:
        arms = list(self.some(self.arm))
        if self.maybe():
            arms.append(tree.Arm(None, self.expression(), NOWHERE))
        return tree.Case(tuple(arms), NOWHERE)

    def arm(self) -> tree.Arm:
        guard, value = self.expression(), self.expression()
        if ends_open(value):  # perhaps in another CASE, which would take the arms that follow
            value = Parens(value, NOWHERE)
        return tree.Arm(guard, value, NOWHERE)

    def let(self) -> Expression:
        return tree.Let(self.some(self.definition), self.expression(), NOWHERE)

    def labelled(self) -> Expression:
        return tree.Labelled(self.text(), self.some(self.name, least=0), self.expression(), NOWHERE)

    # ---------------------------------------------------------------------------------------------- definitions

    def parameter(self) -> tree.Parameter:
        if self.choose(4):
            return tree.Parameter(self.text(), self.choose(3), NOWHERE)
        operator = self.pick([*OPERATORS.values()])
        return tree.Parameter(operator.name, operator.arity, NOWHERE)

    def definition(self, local: bool = False) -> tree.Definition:
        match self.choose(5 if local else 6):
            case 0:
                return tree.FunctionDefinition(self.text(), self.bounds(), self.expression(), local, NOWHERE, NOWHERE)
            case 1:
                params = self.some(self.parameter, least=0)
                return tree.InstanceDefinition(self.text(), params, self.instance(), local, NOWHERE, NOWHERE)
            case 2:
                operator = self.pick([*OPERATORS.values()])
                operands = tuple(tree.Parameter(self.text(), 0, NOWHERE) for _ in range(operator.arity))
                return tree.OperatorDefinition(operator.name, operands, self.expression(), local, NOWHERE, NOWHERE)
            case 5:
                return tree.Recursive(self.some(self.parameter), NOWHERE)
        params = self.some(self.parameter, least=0)
        return tree.OperatorDefinition(self.text(), params, self.expression(), local, NOWHERE, NOWHERE)

    def instance(self) -> tree.Instance:
        return tree.Instance(self.text(), self.some(self.substitution, least=0, most=2), NOWHERE, NOWHERE)

    def substitution(self) -> tree.Substitution:
        name = self.pick([self.text(), self.pick([*OPERATORS])])
        return tree.Substitution(name, self.argument_of_substitution(), NOWHERE)

    def argument_of_substitution(self) -> Expression:
        value = self.argument()
        if isinstance(value, Name):  # `+` is one only before `,` or the next unit
            return self.name()
        # `x <- - <1>2` could be the operator `-` before a proof step.
        return Parens(value, NOWHERE) if operator_of(value) or isinstance(value, tree.Junction) else value

    # ----------------------------------------------------------------------------------------------- statements

    def statement(self) -> tree.Statement:
        return self.assume_prove() if self.choose(4) == 0 else self.expression()

    def assume_prove(self) -> tree.AssumeProve:
        label = self.text() if self.choose(4) == 0 else None
        return tree.AssumeProve(self.some(self.assumption), self.expression(), self.maybe(), label, NOWHERE)

    def assumption(self) -> tree.Assumption:
        self.fuel -= 1
        match self.choose(4 if self.fuel > 0 else 2):
            case 0:
                return self.new_symbol()
            case 3:
                return self.assume_prove()
        return self.expression()

    def new_symbol(self) -> tree.NewSymbol:
        kind = self.pick(["", "CONSTANT", "VARIABLE", "STATE", "ACTION", "TEMPORAL"])
        parameter = self.parameter()
        with_domain = kind in ("", "CONSTANT") and parameter.arity == 0 and self.maybe()
        return tree.NewSymbol(kind, parameter, self.expression() if with_domain else None, NOWHERE)  # type: ignore[arg-type]

    # --------------------------------------------------------------------------------------------------- proofs

    def proof(self, level: int) -> tree.Proof:
        self.fuel -= 3
        if self.fuel <= 0 or self.maybe():
            kind = self.pick(["OBVIOUS", "OMITTED", "BY"])
            only, facts, definitions = self.facts() if kind == "BY" else (False, (), ())
            return tree.LeafProof(kind, only, facts, definitions, self.maybe(), NOWHERE)  # type: ignore[arg-type]
        steps = self.some(lambda: self.step(level + 1), least=0)
        return tree.StepsProof((*steps, self.qed_step(level + 1)), self.maybe(), NOWHERE)

    def facts(self) -> tuple[bool, tuple[tree.Fact, ...], tuple[tree.Fact, ...]]:
        definitions = self.some(self.fact, least=0, most=2)
        return self.maybe(), self.some(self.fact, least=0 if definitions else 1, most=2), definitions

    def fact(self) -> tree.Fact:
        if self.choose(4) == 0:
            return tree.ModuleFact(self.text(), NOWHERE)
        fact = self.expression()
        # `BY -<1>2` would be the operator `-`, and a step behind it.
        return Parens(fact, NOWHERE) if operator_of(fact) is not None else fact

    def step_token(self, level: int) -> str:
        return f"<{level}>" + self.pick(["", "1", "2.", "a3", "b..", "."])

    def step(self, level: int) -> tree.Step:
        body = self.step_body()
        provable = isinstance(body, tree.AssertStep | tree.CaseStep | tree.PickStep)
        proof = self.proof(level) if provable and self.maybe() else None
        return tree.Step(self.step_token(level), body, proof, NOWHERE)

    def qed_step(self, level: int) -> tree.Step:
        proof = self.proof(level) if self.maybe() else None
        return tree.Step(self.step_token(level), tree.QedStep(NOWHERE), proof, NOWHERE)

    def bounded_or_not(self) -> tuple[tree.Bound, ...]:
        return self.bounds() if self.maybe() else (tree.Bound(self.names(), False, None, NOWHERE),)

    def step_body(self) -> tree.StepBody:
        match self.choose(10):
            case 0:
                return tree.CaseStep(self.expression(), NOWHERE)
            case 1:
                return tree.HaveStep(self.expression(), NOWHERE)
            case 2:
                return tree.TakeStep(self.bounded_or_not(), NOWHERE)
            case 3:
                return tree.WitnessStep(self.some(self.expression), NOWHERE)
            case 4:
                return tree.PickStep(self.bounded_or_not(), self.expression(), NOWHERE)
            case 5:
                return tree.DefineStep(self.some(self.definition_of_step), self.maybe(), NOWHERE)
            case 6:
                return tree.InstanceStep(self.instance(), NOWHERE)
            case 7:
                return self.use_or_hide()
        statement = self.statement()
        if isinstance(statement, tree.Case):  # CASE is another kind of step
            statement = Parens(statement, NOWHERE)
        return tree.AssertStep(statement, self.maybe(), NOWHERE)

    def definition_of_step(self) -> tree.Definition:
        definition = self.definition(local=True)
        values = {field: getattr(definition, field) for field in type(definition).__match_args__}
        return type(definition)(**{**values, "local": False})

    def use_or_hide(self) -> tree.UseOrHide:
        return tree.UseOrHide(self.pick(["USE", "HIDE"]), *self.facts(), NOWHERE)  # type: ignore[arg-type]

    # -------------------------------------------------------------------------------------------------- modules

    def unit(self) -> tree.Unit:
        self.fuel -= 1
        match self.choose(12 if self.fuel > 0 else 2):
            case 0:
                return tree.Separator(NOWHERE)
            case 1:
                return tree.VariableDeclaration(self.names(), NOWHERE)
            case 2:
                return tree.ConstantDeclaration(self.some(self.parameter), NOWHERE)
            case 3:
                return tree.InstanceUnit(self.instance(), self.maybe(), NOWHERE)
            case 4:
                keyword = self.pick(["ASSUME", "ASSUMPTION", "AXIOM"])
                return tree.Assume(keyword, self.statement_name(), self.expression(), NOWHERE)
            case 5 | 6:
                keyword = self.pick(["THEOREM", "LEMMA", "PROPOSITION", "COROLLARY"])
                proof = self.proof(-1) if self.maybe() else None
                return tree.Theorem(keyword, self.statement_name(), self.statement(), proof, NOWHERE)
            case 7:
                return self.use_or_hide()
            case 8:
                return self.module()
        return self.definition(local=self.choose(4) == 0)

    def statement_name(self) -> Name | None:
        return self.name() if self.maybe() else None

    def module(self) -> tree.Module:
        return tree.Module(self.text(), self.some(self.name, least=0), self.some(self.unit), NOWHERE, NOWHERE)


# ----------------------------------------------------------------------------------------- edges of expressions


def operator_of(node: Expression) -> Operator | None:
    if isinstance(node, tree.CrossProduct):
        return OPERATORS["\\X"]
    return OPERATORS.get(node.operator.name) if isinstance(node, Apply) else None


def right_edge(node: Expression) -> list[Operator]:
    """The operators that a further operator behind the expression competes with."""
    edge = []
    while (operator := operator_of(node)) is not None and operator.fixity != "postfix":
        edge.append(operator)
        node = node.factors[-1] if isinstance(node, tree.CrossProduct) else node.args[-1]  # type: ignore[union-attr]
    return edge


def left_edge(node: Expression) -> list[Operator]:
    """The operators that an operator before the expression competes with."""
    edge = []
    while (operator := operator_of(node)) is not None and operator.fixity != "prefix":
        edge.append(operator)
        node = node.factors[0] if isinstance(node, tree.CrossProduct) else node.args[0]  # type: ignore[union-attr]
    return edge


def ends_open(node: Expression) -> bool:
    while (operator := operator_of(node)) is not None and operator.fixity != "postfix":
        node = node.factors[-1] if isinstance(node, tree.CrossProduct) else node.args[-1]  # type: ignore[union-attr]
    return isinstance(node, OPEN_FORMS)
