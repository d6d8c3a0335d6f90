"""From a step to the action of TLA+ that describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

from gristmill.pluscal import tree
from gristmill.pluscal.steps import Step
from gristmill.pluscal.substitute import in_parens, substitute
from gristmill.pluscal.writer import Writer
from gristmill.source import Diagnostic, Span
from gristmill.syntax import tree as tla
from gristmill.syntax.literals import string_text
from gristmill.syntax.printer import print_expression
from gristmill.syntax.tree import Expression, Name

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names in a statement mean.

    `subscripted` are the variables with one value for each process, `self_` is the process that takes the step (None
    if there is only one), `changed` what the step has assigned so far, `hidden` what `with` has bound. In a process
    of its own `self` is another word for its identity (`single_identity`). `span` is for names that we make up,
    `renamed` has the new names of variables that have one.
    """

    variables: tuple[str, ...]
    subscripted: Names
    self_: Expression | None
    single_identity: bool
    span: Span
    renamed: Mapping[str, str]
    changed: Names = frozenset()
    hidden: Names = frozenset()

    def replacements(self) -> dict[str, Expression]:
        """What stands for a name in the action: its new value once it has one, its value for this process."""
        replaced: dict[str, Expression] = {}
        if self.single_identity and self.self_ is not None:
            replaced["self"] = in_parens(self.self_)
        span = self.span
        for name in self.changed | self.subscripted:
            value: Expression = Name(name, span)
            if name in self.changed:
                value = tla.Apply(Name("'", span), (value,), span)
            if name in self.subscripted and self.self_ is not None:
                value = tla.FunctionApply(value, (self.self_,), span)
            replaced[name] = value
        for name in self.hidden:
            replaced.pop(name, None)
        return replaced

    def on(self, expression: Expression) -> Expression:
        new = substitute(expression, self.replacements())
        return replace(new, span=expression.span)

    def by_old_names(self) -> dict[str, Expression]:
        """The same as `replacements`, by the names that stand in the algorithm."""
        replaced = self.replacements()
        return replaced | {old: replaced.get(new, Name(new, self.span)) for old, new in self.renamed.items()}

    def after(self, assigned: Iterable[str]) -> Scope:
        return replace(self, changed=self.changed.union(assigned))

    def has_value_per_process(self, variable: str) -> bool:
        return self.self_ is not None and (variable in self.subscripted or variable in ("pc", "stack"))


def assigned_in(body: tree.Body) -> Names:
    """The variables that the statements may assign."""
    names: set[str] = set()
    for s in tree.walk(body):
        if isinstance(s, tree.Assign):
            names.update(a.variable.name for a in s.assignments)
    return frozenset(names)


class ActionWriter:
    """Writes conjuncts into a `Writer`; `column` is always that of the bullets."""

    def __init__(self, writer: Writer, diagnostics: list[Diagnostic]) -> None:
        self.writer = writer
        self.diagnostics = diagnostics

    def action(self, name: str, step: Step, scope: Scope) -> None:
        """`name == /\\ pc = … /\\ … /\\ UNCHANGED …`."""
        w = self.writer
        with w.coming_from(step.span):
            w.write(f"{name} ==")
            items: list[Callable[[], None]] = []
            if step.has_guard:
                items.append(lambda: self.guard(step.label, scope))
            items.extend(self.conjuncts(step.statements, scope))
            assigned = assigned_in(step.statements)
            unchanged = [v for v in scope.variables if v not in assigned]
            if unchanged:
                items.append(lambda: self.unchanged(unchanged))
            w.newline(4)
            self.junction("/\\", items)

    def guard(self, label: str, scope: Scope) -> None:
        self.writer.write("pc")
        if scope.self_ is not None:
            self.writer.write("[")
            self.writer.expression(scope.self_)
            self.writer.write("]")
        self.writer.write(f" = {string_text(label)}")

    def unchanged(self, names: Sequence[str]) -> None:
        if len(names) == 1:
            self.writer.write(f"UNCHANGED {names[0]}")
        else:
            self.writer.names("UNCHANGED <<", names, ">>")

    def junction(self, bullet: str, items: Sequence[Callable[[], None]]) -> None:
        """The items, bulleted in the column where the writer stands; one item needs no bullet."""
        w = self.writer
        column = w.column
        for index, item in enumerate(items):
            if index:
                w.newline(column)
            if len(items) > 1:
                w.write(bullet + " ")
            item()

    # --------------------------------------------------------------------------------------------- statements

    def conjuncts(self, body: tree.Body, scope: Scope) -> list[Callable[[], None]]:
        """Each statement sees the assignments of those before it."""
        items: list[Callable[[], None]] = []
        for s in body:
            items.extend(self.statement(s, scope))
            scope = scope.after(assigned_in((s,)))
        return items

    def branch(self, body: tree.Body, scope: Scope, others: Names) -> None:
        """A branch, and what only other branches change."""
        items = self.conjuncts(body, scope)
        assigned = assigned_in(body)
        unchanged = [v for v in scope.variables if v in others and v not in assigned and v not in scope.changed]
        if unchanged:
            items.append(lambda: self.unchanged(unchanged))
        self.junction("/\\", items or [lambda: self.writer.write("TRUE")])

    def statement(self, s: tree.Statement, scope: Scope) -> list[Callable[[], None]]:
        match s:
            case tree.Assign():
                return self.assign(s, scope)
            case tree.Await(condition=tla.Junction("/\\", items)):
                return [self.mapped(s, partial(self.expression, item, scope)) for item in items]
            case tree.Await(condition):
                return [self.mapped(s, partial(self.expression, condition, scope))]
            case tree.Print(value):
                return [self.mapped(s, lambda: self.call("PrintT", value, None, scope))]
            case tree.Assert(condition):
                return [self.mapped(s, lambda: self.call("Assert", condition, _failure(s), scope))]
            case tree.Skip():
                return [self.mapped(s, lambda: self.writer.write("TRUE"))]
            case tree.If():
                return [self.mapped(s, lambda: self.if_(s, scope))]
            case tree.Either():
                return [self.mapped(s, lambda: self.either(s, scope))]
            case tree.With():
                return [self.mapped(s, lambda: self.with_(s, scope))]
            case tree.While() | tree.Goto() | tree.Call() | tree.Return() | tree.MacroCall():
                raise AssertionError(f"{type(s).__name__} in a step")
            case _:
                assert_never(s)

    def mapped(self, s: tree.Statement, write: Callable[[], None]) -> Callable[[], None]:
        def item() -> None:
            whole = self.writer.coming_from(s.call) if s.call is not None else nullcontext()
            with whole, self.writer.coming_from(s.span):
                write()

        return item

    def expression(self, expression: Expression, scope: Scope) -> None:
        self.writer.expression(scope.on(expression), scope.by_old_names())

    def call(self, operator: str, argument: Expression, text: str | None, scope: Scope) -> None:
        self.writer.write(f"{operator}(")
        self.expression(argument, scope)
        self.writer.write(f", {string_text(text)})" if text else ")")

    def if_(self, s: tree.If, scope: Scope) -> None:
        w = self.writer
        column = w.column
        changed = assigned_in((s,))
        w.write("IF ")
        self.expression(s.test, scope)
        for word, body in (("THEN ", s.then), ("ELSE ", s.otherwise)):
            w.newline(column)
            w.write(word)
            self.branch(body, scope, changed)

    def either(self, s: tree.Either, scope: Scope) -> None:
        changed = assigned_in((s,))
        self.junction("\\/", [partial(self.branch, body, scope, changed) for body in s.clauses])

    def with_(self, s: tree.With, scope: Scope) -> None:
        w = self.writer
        column = w.column
        w.write(f"\\E {s.name.name} \\in " if s.is_member else f"LET {s.name.name} == ")
        self.expression(s.value, scope)
        w.write(" :" if s.is_member else " IN")
        self.check_bound_name(s, scope)
        inner = replace(scope, hidden=scope.hidden | {s.name.name})
        w.newline(column + 4)
        self.junction("/\\", self.conjuncts(s.body, inner))

    def check_bound_name(self, s: tree.With, scope: Scope) -> None:
        if s.name.name in scope.variables or s.name.name in scope.hidden:
            self.diagnostics.append(
                Diagnostic(
                    "pluscal-bound-variable",
                    f"`with` cannot bind `{s.name.name}`: there is a variable of this name",
                    s.name.span,
                    help="use another name",
                )
            )

    # ------------------------------------------------------------------------------------------- assignments

    def assign(self, s: tree.Assign, scope: Scope) -> list[Callable[[], None]]:
        """One conjunct for each variable; assignments to several places of one become one EXCEPT."""
        by_variable: dict[str, list[tree.Assignment]] = {}
        for assignment in s.assignments:
            by_variable.setdefault(assignment.variable.name, []).append(assignment)
        for variable, assignments in by_variable.items():
            self.check_assignment(variable, assignments, s, scope)
        return [self.mapped(s, partial(self.assignment, a, scope)) for a in by_variable.values()]

    def check_assignment(self, variable: str, assignments: list[tree.Assignment], s: tree.Assign, scope: Scope) -> None:
        if variable not in scope.variables:
            self.diagnostics.append(
                Diagnostic(
                    "pluscal-undeclared-variable",
                    f"`{variable}` is assigned but not declared as a variable of the algorithm",
                    assignments[0].variable.span,
                    help="declare it with `variables`; what `with` or a constant names cannot be assigned",
                )
            )
        elif variable in scope.changed:
            self.second(variable, s.span)
        elif len(assignments) > 1 and not all(a.path for a in assignments):
            self.second(variable, assignments[1].span)

    def second(self, variable: str, span: Span) -> None:
        self.diagnostics.append(
            Diagnostic(
                "pluscal-second-assignment",
                f"`{variable}` is assigned twice in one step",
                span,
                help="put a label between the assignments",
            )
        )

    def assignment(self, assignments: list[tree.Assignment], scope: Scope) -> None:
        w = self.writer
        variable = assignments[0].variable.name
        per_process = scope.has_value_per_process(variable)
        w.write(f"{variable}' = ")
        if not per_process and not assignments[0].path:
            self.value(assignments[0].value, scope, w.operand)
            return
        w.write(f"[{variable} EXCEPT ")
        column = w.column
        for index, assignment in enumerate(assignments):
            if index:
                w.write(",")
                w.newline(column)
            with w.coming_from(assignment.span):
                self.update(assignment, per_process, scope)
        w.write("]")

    def update(self, assignment: tree.Assignment, per_process: bool, scope: Scope) -> None:
        """`![self][i].f = value`."""
        w = self.writer
        w.write("!")
        if per_process and scope.self_ is not None:
            w.write("[")
            w.expression(scope.self_)
            w.write("]")
        for step in assignment.path:
            match step:
                case tla.FieldStep(name):
                    w.write(f".{name}")
                case tla.IndexStep(args):
                    w.write("[")
                    for index, arg in enumerate(args):
                        w.write(", " if index else "")
                        self.expression(arg, scope)
                    w.write("]")
        w.write(" = ")
        self.value(assignment.value, scope, w.expression)

    def value(
        self, value: Expression, scope: Scope, write: Callable[[Expression, dict[str, Expression]], None]
    ) -> None:
        """A new value; that of the stack, which is ours, over several lines."""
        match value:
            case tla.Apply(Name("\\o"), (tla.Tuple((tla.Record((tla.FieldValue("procedure"), *_) as fields),)), rest)):
                self.frame(fields, rest, scope)
            case _:
                write(scope.on(value), scope.by_old_names())

    def frame(self, fields: tuple[tla.FieldValue, ...], rest: Expression, scope: Scope) -> None:
        w = self.writer
        w.write("<<[")
        column = w.column
        for index, field in enumerate(fields):
            if index:
                w.write(",")
                w.newline(column)
            w.write(f"{field.name} |-> {print_expression(scope.on(field.value))}")
        w.write("]>> \\o ")
        w.write(print_expression(scope.on(rest)))


def _failure(s: tree.Assert) -> str:
    where = f"line {s.span.line}, column {s.span.column}"
    if s.call is not None:
        where += f", in the macro called at line {s.call.line}, column {s.call.column}"
    return f"Assertion at {where} failed."
