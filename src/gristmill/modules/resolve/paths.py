"""Compound names: into instances (`I(x)!Op(y)`), and to pieces of definitions (`Op(a)!2!(b)!<<`, `Op!label(x)`).

A path begins with the name of a definition, which may have several parts, each behind an instance. What follows goes
down from there: by labels, by the number of an operand, by `!(…)` or `!@` into the scope of bound names, by name into
a LET, where a definition is named again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gristmill.modules.resolve import operands
from gristmill.modules.resolve.references import (
    arguments,
    check_is_expression,
    check_operator,
    not_an_expression,
    wrong_arity,
)
from gristmill.modules.resolve.state import Handler, Resolution, Wanted
from gristmill.modules.specification import OperatorReference, Reference, Selection
from gristmill.modules.symbols import (
    Defined,
    Fact,
    Instance,
    Instanced,
    Label,
    NamedInstance,
    Operator,
    Parameter,
    ProofStep,
    Symbol,
)
from gristmill.source import Span
from gristmill.syntax import tree
from gristmill.syntax.foreign import written_in_tla


class BadPath(Exception):
    """The path denotes nothing; a diagnostic has been given."""


def path(r: Resolution, node: tree.Path) -> None:
    """A compound name as an expression."""
    resolve_path(r, node, Wanted())


def resolve_path(r: Resolution, node: tree.Path, wanted: Wanted) -> Reference | None:
    walk = PathWalk(r, node, wanted)
    try:
        reference = walk.run()
    except BadPath:
        return None
    r.program.references[id(node)] = reference
    return reference


class PathWalk:
    """How far along a path we are, and what has been gathered on the way."""

    def __init__(self, r: Resolution, node: tree.Path, wanted: Wanted) -> None:
        self.r = r
        self.path = node
        self.wanted = wanted
        self.segments = node.segments
        self.index = 0
        self.params: list[Parameter] = []
        self.args: list[tree.Expression] = []
        self.instances: list[Instance] = []
        self.first: Defined | None = None  # the definition that the piece is taken from

    # ------------------------------------------------------------------------------------------ helpers

    def fail(self, message: str, span: Span, help: str | None = None, id: str = "bad-path") -> BadPath:
        self.r.report(id, message, span, help)
        return BadPath()

    def next_is_name(self) -> bool:
        return self.index < len(self.segments) and isinstance(self.segments[self.index], tree.NameSegment)

    def take_arguments(self, segment: tree.NameSegment | tree.ArgumentsSegment) -> tuple[tree.Expression, ...]:
        if segment.args and (self.wanted.arity or self.wanted.definition):
            raise self.fail("a name stands here without its arguments", segment.span, id="wrong-arity")
        return segment.args

    # --------------------------------------------------------------------------------------- the walk

    def run(self) -> Reference:
        names: Mapping[str, Symbol] = self.r.scope.names
        while True:
            symbol, args = self.named(names)
            if self.index == len(self.segments):
                return self.named_result(symbol, args)
            node = self.into(symbol, args)
            if self.next_is_name():
                node = self.follow_labels(symbol)
            while self.index < len(self.segments) and not self.next_is_name():
                node = self.step(node)
            if self.index == len(self.segments):
                return self.piece(node)
            names = self.names_in_let(node)

    def named(self, names: Mapping[str, Symbol]) -> tuple[Symbol, list[tree.Expression]]:
        """The definition that the next segments name, behind any number of instances, and all its arguments."""
        segment = self.segments[self.index]
        assert isinstance(segment, tree.NameSegment)
        symbol = names.get(operands.step_key(segment.name, self.r.proof_levels))
        if symbol is None:
            self.r.unknown(segment.name, segment.span)
            raise BadPath
        self.r.note(segment, symbol)
        args: list[tree.Expression] = []
        self.add_arguments(symbol, segment, args)
        while isinstance(symbol, NamedInstance) and self.index + 1 < len(self.segments):
            self.index += 1
            segment = self.segments[self.index]
            symbol = self.member(symbol, segment)
            assert isinstance(segment, tree.NameSegment)
            self.r.note(segment, symbol)
            self.add_arguments(symbol, segment, args)
        self.index += 1
        return symbol, args

    def member(self, instance: NamedInstance, segment: tree.Segment) -> Symbol:
        if not isinstance(segment, tree.NameSegment):
            raise self.fail(f"a name of the instance `{instance.name}` must follow here", segment.span)
        found = instance.find(segment.name)
        if found is None:
            if self.r.module.names_unknown:
                self.r.module.has_errors = True
                raise BadPath
            module = (instance.inner or instance).instance.module.name
            close = operands.close_name(segment.name, instance.names())
            message = f"the module {module}, of which `{instance.name}` is an instance, defines no `{segment.name}`"
            raise self.fail(message, segment.span, close, "unknown-name")
        return found

    def add_arguments(self, symbol: Symbol, segment: tree.NameSegment, args: list[tree.Expression]) -> None:
        """Arguments are counted part by part: those of the instance, then those of the operator in it."""
        given = self.take_arguments(segment)
        if self.wanted.arity or self.wanted.definition:
            return
        if len(args) + len(given) != symbol.arity:
            wrong_arity(self.r, symbol, len(args) + len(given), segment.span)
            raise BadPath
        arguments(self.r, symbol, given, len(args))
        args.extend(given)

    def named_result(self, symbol: Symbol, args: list[tree.Expression]) -> Reference:
        """The path ends with the name of a definition."""
        if self.first is not None:
            return self.inner_definition(symbol, args)
        if self.wanted.arity:
            check_operator(self.r, symbol, self.wanted.arity, self.wanted.place, self.path.span)
        elif not self.wanted.fact and not self.wanted.definition:
            check_is_expression(self.r, symbol, self.path.span)
        return OperatorReference(symbol, tuple(args))

    def inner_definition(self, symbol: Symbol, args: list[tree.Expression]) -> Selection:
        """The path ends with a definition of a LET that it went into."""
        assert self.first is not None
        if not isinstance(symbol, Operator):
            raise self.fail(f"`{symbol.name}` cannot be named from outside its LET", self.path.span)
        self.params += symbol.params
        self.args += args
        return self.selection(symbol.body)

    def into(self, symbol: Symbol, args: list[tree.Expression]) -> operands.Node:
        """The body of a definition, of which the rest of the path selects a piece."""
        if not isinstance(symbol, Operator | Instanced | Fact):
            hint = written_in_tla("!=") if self.path.span.text.endswith("!=") else None
            raise self.fail(f"`{symbol.name}` has no parts that could be selected", self.path.span, hint)
        if self.first is None:
            self.first = symbol
        self.params += symbol.params
        self.args += args
        while isinstance(symbol, Instanced):
            self.instances.append(symbol.instance)
            symbol = symbol.operator
        if isinstance(symbol, Fact):
            return operands.statement(symbol.statement)
        if symbol.definition is None or symbol in self.r.functions:
            raise self.fail(f"a part of `{symbol.name}` is selected inside its definition", self.path.span)
        if isinstance(symbol.definition, tree.FunctionDefinition):
            return symbol.definition
        return symbol.definition.body

    def follow_labels(self, symbol: Symbol) -> operands.Node:
        assert isinstance(symbol, Operator | Instanced | Fact)
        labels = symbol.labels
        label: Label | None = None
        while self.next_is_name():
            segment = self.segments[self.index]
            assert isinstance(segment, tree.NameSegment)
            label = labels.get(segment.name)
            if label is None:
                close = operands.close_name(segment.name, labels)
                raise self.fail(f"there is no label `{segment.name}` here", segment.span, close, "unknown-label")
            self.r.note(segment, label)
            self.check_label_scope(label, segment.span)
            self.label_arguments(label, segment)
            labels = label.labels
            self.index += 1
        assert label is not None
        return operands.label_body(label.node)

    def label_arguments(self, label: Label, segment: tree.NameSegment) -> None:
        given = self.take_arguments(segment)
        self.params += label.params
        if self.wanted.arity:
            return
        if len(given) != label.arity:
            message = f"the label `{label.name}` takes {label.arity} arguments but is given {len(given)}"
            raise self.fail(message, segment.span, id="wrong-arity")
        self.resolve_all(given)

    def resolve_all(self, given: Sequence[tree.Expression]) -> None:
        for arg in given:
            self.r.expression(arg)
        self.args += given

    def check_label_scope(self, label: Label, span: Span) -> None:
        goal = label.goal
        if goal is None:
            return
        statement = goal.statement.statement if isinstance(goal.statement, tree.AssertStep) else goal.statement
        if (
            isinstance(statement, tree.AssumeProve)
            and operands.declares_before(statement, label.clause)
            and not goal.in_scope
        ):
            raise self.fail(f"`{label.name}` stands below a NEW that is not known here", span)

    # ------------------------------------------------------------------------------------- going down

    def step(self, node: operands.Node) -> operands.Node:
        """One selector further down."""
        segment = self.segments[self.index]
        self.index += 1
        if isinstance(segment, tree.SelectorSegment) and segment.kind == ":":
            self.check_colon(segment)
            return node
        node = operands.bare(node)
        if isinstance(segment, tree.ArgumentsSegment) or getattr(segment, "kind", None) == "@":
            return self.into_scope(node, segment)
        if isinstance(node, tree.Case):
            return self.into_case(node, segment)
        if isinstance(node, tree.AssumeProve):
            return self.into_assume(node, segment)
        parts = operands.parts(node, self.r.program)
        position = operands.position(segment, len(parts))
        if position is None:
            raise self.fail(f"there is no operand `!{segment.span.text.lstrip('!')}` here", segment.span)
        return parts[position]

    def check_colon(self, segment: tree.SelectorSegment) -> None:
        """`!:` only says that a definition as a whole is meant, not what follows its labels."""
        before = self.segments[self.index - 2]
        if not isinstance(before, tree.NameSegment) or not (self.index == len(self.segments) or self.next_is_name()):
            raise self.fail("`!:` can stand only behind a name, at the end or before another name", segment.span)

    def into_scope(self, node: operands.Node, segment: tree.Segment) -> operands.Node:
        """`!(e1, e2)` and `!@`: the body under bound names."""
        scope = operands.scope(node)
        if scope is None:
            raise self.fail("the expression selected here binds no names", segment.span)
        names, body = scope
        bound = [symbol for name in names if isinstance(symbol := self.r.program.symbols.get(id(name)), Parameter)]
        self.params += bound
        if isinstance(segment, tree.ArgumentsSegment):
            given = self.take_arguments(segment)
            if len(given) != len(bound):
                message = f"{len(bound)} names are bound here, but {len(given)} arguments are given"
                raise self.fail(message, segment.span, id="wrong-arity")
            self.resolve_all(given)
        return body

    def into_case(self, node: tree.Case, segment: tree.Segment) -> operands.Node:
        position = operands.position(segment, len(node.arms))
        if position is None or self.index == len(self.segments):
            raise self.fail("a part of a CASE is selected as `!i!j`", segment.span)
        arm = node.arms[position]
        segment = self.segments[self.index]
        self.index += 1
        side = operands.position(segment, 2)
        part = (arm.guard, arm.value)[side] if side is not None else None
        if part is None:
            raise self.fail("an arm of a CASE has a guard, `!1` (but for OTHER), and a value, `!2`", segment.span)
        return part

    def into_assume(self, node: tree.AssumeProve, segment: tree.Segment) -> operands.Node:
        parts: list[operands.Node] = [*node.assumptions, node.goal]
        position = operands.position(segment, len(parts))
        if position is None:
            raise self.fail("there is no such part of this ASSUME … PROVE", segment.span)
        goal = self.first if isinstance(self.first, Fact) else None
        if operands.declares_before(node, position) and not (goal is not None and goal.in_scope):
            raise self.fail("this part stands below a NEW that is not known here", segment.span)
        part = parts[position]
        if isinstance(part, tree.NewSymbol) and self.index < len(self.segments):
            raise self.fail("a NEW has no parts that could be selected", segment.span)
        return part

    def names_in_let(self, node: operands.Node) -> Mapping[str, Symbol]:
        node = operands.bare(node)
        if not isinstance(node, tree.Let):
            span = self.segments[self.index].span
            raise self.fail("a name can follow here only if a LET is selected", span)
        return self.r.program.let_names[id(node)]

    def piece(self, node: operands.Node) -> Selection:
        """The path ends with a piece of a definition."""
        if isinstance(node, tree.FunctionDefinition):
            node = operands.as_literal(node, self.r.program)
        self.check_wanted(node)
        return self.selection(node)

    def selection(self, node: operands.Node) -> Selection:
        assert self.first is not None
        assert not isinstance(node, tree.FunctionDefinition)
        if self.wanted.arity and self.wanted.arity != len(self.params):
            message = (
                f"{self.wanted.place} must be an operator with {self.wanted.arity} arguments, "
                f"but what is selected takes {len(self.params)}"
            )
            raise self.fail(message, self.path.span, id="operator-argument-arity")
        if not self.wanted.arity and len(self.params) != len(self.args):
            message = f"what is selected takes {len(self.params)} arguments but is given {len(self.args)}"
            raise self.fail(message, self.path.span, id="wrong-arity")
        return Selection(node, tuple(self.params), tuple(self.args), tuple(self.instances), self.first)

    def check_wanted(self, node: operands.Node) -> None:
        if self.wanted.definition:
            raise self.fail("a definition must be named here", self.path.span, id="not-a-definition")
        if self.wanted.fact:
            return
        match node:
            case tree.AssumeProve() | tree.NewSymbol():
                message = "what is selected is not an expression"
                raise self.fail(message, self.path.span, id="assume-prove-not-expression")
            case tree.Lambda():
                raise self.fail("an operator is selected where an expression must stand", self.path.span)
            case _:
                pass
        if isinstance(self.first, Fact) and operands.is_step_body(node) and not_an_expression(self.first):
            check_is_expression(self.r, self.first, self.path.span)
            raise BadPath


def step_name(r: Resolution, node: tree.StepName) -> None:
    """`<1>2` as an expression: what the step claims."""
    symbol = find_step(r, node.name, node.span)
    if symbol is not None:
        r.note(node, symbol)
        check_is_expression(r, symbol, node.span)


def find_step(r: Resolution, name: str, span: Span) -> Fact | ProofStep | None:
    symbol = r.scope.names.get(operands.step_key(name, r.proof_levels))
    if isinstance(symbol, Fact | ProofStep):
        return symbol
    if symbol is None and not r.module.names_unknown:
        r.report("unknown-step", f"there is no step {name} that could be named here", span)
    r.module.has_errors = True
    return None


PATHS: dict[type, Handler] = {tree.Path: path, tree.StepName: step_name}
