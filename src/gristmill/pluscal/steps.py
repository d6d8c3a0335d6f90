"""From labelled statements to steps: what happens between one label and the next, with control made explicit.

The statements of a step are only assignments, tests, choices and the like; loops, jumps, calls and returns have become
assignments to `pc` and `stack`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gristmill.pluscal import tree
from gristmill.pluscal.macros import wrong_arguments
from gristmill.source import Diagnostic, SourceError, Span
from gristmill.syntax import tree as tla
from gristmill.syntax.tree import Expression, Name

DEFAULT_INITIAL_VALUE = "defaultInitValue"


@dataclass(frozen=True, slots=True)
class Step:
    """An action of the translation. `has_guard` is false when there is no `pc` to look at."""

    label: str
    statements: tree.Body
    has_guard: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """A label and the statements up to the next one."""

    label: tree.Label
    statements: tree.Body


@dataclass(frozen=True, slots=True)
class _Ending:
    """Statements of a step that end in jumps, the steps that hang on them, and whether a jump is still missing."""

    statements: tree.Body
    steps: list[Step]
    needs_jump: bool


class StepMaker:
    """Makes the steps of one body. `self_` is the identity of the process, None if there is only one."""

    def __init__(
        self,
        procedures: Sequence[tree.Procedure],
        procedure: tree.Procedure | None,
        self_: Expression | None,
        omit_pc: bool,
    ) -> None:
        self.procedures = {p.name.name: p for p in procedures}
        self.procedure = procedure
        self.self_ = self_
        self.omit_pc = omit_pc
        self.diagnostics: list[Diagnostic] = []

    def steps(self, body: tree.Body) -> list[Step]:
        _, groups = split(body)
        return self.of_groups(groups, "Error" if self.procedure else "Done")

    def of_groups(self, groups: Sequence[Group], next: str) -> list[Step]:
        labels = [*(group.label.name for group in groups[1:]), next]
        return [step for group, label in zip(groups, labels, strict=False) for step in self.of_group(group, label)]

    def of_group(self, group: Group, next: str) -> list[Step]:
        first = group.statements[0]
        if isinstance(first, tree.While):
            return self.loop(group, first, next)
        ending = self.jump(self.ending(group.statements, next), next, group.statements[-1].span)
        return [self.step(group, ending.statements), *ending.steps]

    def step(self, group: Group, statements: tree.Body) -> Step:
        start = group.statements[0].span if group.label.added else group.label.span
        span = start.to(group.statements[-1].span)
        if span.end <= span.start:  # a macro above its call
            span = group.statements[0].span
        return Step(group.label.name, statements, not self.omit_pc, span)

    def loop(self, group: Group, loop: tree.While, next: str) -> list[Step]:
        """`while` is an `if` whose first branch comes back to the label."""
        unlabelled, groups = split(loop.body)
        inside = groups[0].label.name if groups else group.label.name
        body = self.jump(self.ending(unlabelled, inside), inside, loop.span)
        behind = self.jump(self.ending(group.statements[1:], next), next, loop.span)
        later = self.of_groups(groups, group.label.name) + body.steps
        if is_true(loop.test):
            return [self.step(group, body.statements), *later]
        test = tree.If(loop.test, body.statements, behind.statements, None, loop.call, loop.span)
        return [self.step(group, (test,)), *later, *behind.steps]

    # ------------------------------------------------------------------------------------------ how a step ends

    def jump(self, ending: _Ending, next: str, span: Span) -> _Ending:
        if not ending.needs_jump:
            return ending
        return replace(ending, statements=(*ending.statements, self.set_pc(next, span)), needs_jump=False)

    def ending(self, statements: tree.Body, next: str) -> _Ending:
        """The statements with the last one made explicit about where control goes."""
        if not statements:
            return _Ending((), [], not self.omit_pc)
        *before, last = statements
        ending = self.last(last, next)
        return replace(ending, statements=(*before, *ending.statements))

    def last(self, s: tree.Statement, next: str) -> _Ending:
        match s:
            case tree.Goto(target):
                return _Ending((self.set_pc(target.name, s.span),), [], False)
            case tree.Return():
                return _Ending(self.return_(s.span), [], False)
            case tree.Call():
                return _Ending(self.call(s, next), [], False)
            case tree.If() | tree.Either() if has_label(s):
                return self.broken_branches(s, next)
            case tree.If() | tree.Either():
                return self.branches(s, next)
            case tree.With(body=body):
                ending = self.ending(body, next)
                return replace(ending, statements=(replace(s, body=ending.statements),))
            case _:
                return _Ending((s,), [], not self.omit_pc)

    def branches(self, s: tree.If | tree.Either, next: str) -> _Ending:
        """If no branch jumps, the jump goes behind the statement; if one does, into all others."""
        endings = [self.ending(body, next) for body in tree.bodies_of(s)]
        needs_jump = all(e.needs_jump for e in endings)
        if not needs_jump:
            endings = [self.jump(e, next, s.span) for e in endings]
        steps = [step for e in endings for step in e.steps]
        return _Ending((_with_bodies(s, endings),), steps, needs_jump)

    def broken_branches(self, s: tree.If | tree.Either, next: str) -> _Ending:
        """Labels inside the branches: each goes to its first label, and from its last to what comes next."""
        endings, labelled = [], []
        for body in tree.bodies_of(s):
            unlabelled, groups = split(body)
            target = groups[0].label.name if groups else next
            endings.append(self.jump(self.ending(unlabelled, target), target, s.span))
            labelled.append(self.of_groups(groups, next))
        if isinstance(s, tree.If):
            steps = [step for group in (*labelled, *(e.steps for e in endings)) for step in group]
        else:
            steps = [step for e, group in zip(endings, labelled, strict=True) for step in (*e.steps, *group)]
        return _Ending((_with_bodies(s, endings),), steps, False)

    # ---------------------------------------------------------------------------------------- calls and returns

    def set_pc(self, label: str, span: Span) -> tree.Assign:
        return _assign(span, ("pc", tla.String(label, span)))

    def stack(self, span: Span) -> Expression:
        stack = Name("stack", span)
        return stack if self.self_ is None else tla.FunctionApply(stack, (self.self_,), span)

    def on_stack(self, operator: str, span: Span) -> Expression:
        return tla.Apply(Name(operator, span), (self.stack(span),), span)

    def saved(self, name: str, span: Span) -> Expression:
        return tla.FieldAccess(self.on_stack("Head", span), name, span)

    def call(self, s: tree.Call, next: str) -> tree.Body:
        procedure = self.procedures.get(s.procedure.name)
        if procedure is None:
            self.report_unknown(s)
            return ()
        if len(procedure.params) != len(s.args):
            found, expected = len(s.args), len(procedure.params)
            self.diagnostics.append(wrong_arguments("procedure", procedure.name, expected, found, s.span))
            return ()
        arguments = [(p.name.name, arg) for p, arg in zip(procedure.params, s.args, strict=True)]
        if isinstance(s.then, tree.Return):
            pushed = self.tail_call(s, procedure)
        else:
            back = tla.String(s.then.target.name if s.then else next, s.span)
            pushed = [("stack", self.push(procedure, back, self.stack(s.span), s.span))]
        at_once = (*pushed, *arguments)
        locals_ = [_assign(s.span, (v.name.name, initial_value(v))) for v in procedure.variables]
        entered = (_assign(s.span, *at_once),) if at_once else ()
        return (*entered, *locals_, self.set_pc(first_label(procedure.body), s.span))

    def push(self, procedure: tree.Procedure, back: Expression, rest: Expression, span: Span) -> Expression:
        """The stack with a record of the values that the procedure will overwrite."""
        name = tla.String(procedure.name.name, span)
        fields = [tla.FieldValue("procedure", name, span), tla.FieldValue("pc", back, span)]
        for v in (*procedure.variables, *procedure.params):
            fields.append(tla.FieldValue(v.name.name, Name(v.name.name, span), span))
        top = tla.Tuple((tla.Record(tuple(fields), span),), span)
        return tla.Apply(Name("\\o", span), (top, rest), span)

    def tail_call(self, s: tree.Call, procedure: tree.Procedure) -> list[tuple[str, Expression]]:
        """`call P(…); return`: P returns to where this procedure would have; its record takes the place of ours."""
        if self.procedure is None:
            self.report_return(s.then.span if s.then else s.span)
            return []
        if self.procedure.name.name == procedure.name.name:
            return []
        restored = [(v.name.name, self.saved(v.name.name, s.span)) for v in self.procedure.variables]
        back, rest = self.saved("pc", s.span), self.on_stack("Tail", s.span)
        return [*restored, ("stack", self.push(procedure, back, rest, s.span))]

    def return_(self, span: Span) -> tree.Body:
        if self.procedure is None:
            self.report_return(span)
            return ()
        restored = [v.name.name for v in (*self.procedure.variables, *self.procedure.params)]
        values = [("pc", self.saved("pc", span)), *((name, self.saved(name, span)) for name in restored)]
        values.append(("stack", self.on_stack("Tail", span)))
        return tuple(_assign(span, value) for value in values)

    def report_unknown(self, s: tree.Call) -> None:
        message = f"there is no procedure `{s.procedure.name}`"
        help = "a macro is called by its name alone, without `call`"
        self.diagnostics.append(Diagnostic("pluscal-unknown-procedure", message, s.procedure.span, help=help))

    def report_return(self, span: Span) -> None:
        message = "`return` stands outside of a procedure"
        self.diagnostics.append(
            Diagnostic("pluscal-return-outside-procedure", message, span, help="to end a process, use `goto Done`")
        )

    def check(self) -> None:
        if self.diagnostics:
            raise SourceError(self.diagnostics)


def _assign(span: Span, *values: tuple[str, Expression]) -> tree.Assign:
    assignments = tuple(tree.Assignment(Name(name, span), (), value, span) for name, value in values)
    return tree.Assign(assignments, None, None, span)


def _with_bodies(s: tree.If | tree.Either, endings: Sequence[_Ending]) -> tree.Statement:
    bodies = tuple(e.statements for e in endings)
    if isinstance(s, tree.Either):
        return replace(s, clauses=bodies)
    return replace(s, then=bodies[0], otherwise=bodies[1])


def split(body: tree.Body) -> tuple[tree.Body, list[Group]]:
    """The statements before the first label, and from there on by labels."""
    starts = [i for i, s in enumerate(body) if s.label is not None]
    groups = []
    for start, end in zip(starts, [*starts[1:], len(body)], strict=False):
        label = body[start].label
        assert label is not None
        groups.append(Group(label, body[start:end]))
    return body[: starts[0]] if starts else body, groups


def has_label(s: tree.Statement) -> bool:
    return any(inner.label is not None for body in tree.bodies_of(s) for inner in tree.walk(body))


def first_label(body: tree.Body) -> str:
    label = body[0].label
    assert label is not None
    return label.name


def is_true(test: Expression) -> bool:
    return test == Name("TRUE", test.span) or (isinstance(test, tla.Parens) and test.body == Name("TRUE", test.span))


def initial_value(declaration: tree.VariableDeclaration) -> Expression:
    return declaration.value or Name(DEFAULT_INITIAL_VALUE, declaration.span)
