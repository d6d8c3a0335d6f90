"""Putting the bodies of macros in the place of their calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gristmill.pluscal import tree
from gristmill.pluscal.substitute import TooLarge, in_parens, substitute, substitute_in_path
from gristmill.source import Diagnostic, Label, SourceError, Span
from gristmill.syntax.tree import Expression, Name

# Macros that call macros twice double the text each time.
MAX_STATEMENTS = 50_000
MAX_NODES = 50_000  # of one expression


def expand_macros(algorithm: tree.Algorithm) -> tree.Algorithm:
    """The algorithm without macros and their calls. Raises `SourceError`."""
    expander = _Expander()
    for macro in algorithm.macros:
        expander.define(macro)
    procedures = tuple(replace(p, body=expander.body(p.body)) for p in algorithm.procedures)
    processes = tuple(replace(p, body=expander.body(p.body)) for p in algorithm.processes)
    body = expander.body(algorithm.body)
    if expander.diagnostics:
        raise SourceError(expander.diagnostics)
    return replace(algorithm, macros=(), procedures=procedures, processes=processes, body=body)


class _Expander:
    def __init__(self) -> None:
        self.macros: dict[str, tree.Macro] = {}
        self.diagnostics: list[Diagnostic] = []
        self.count = 0

    def define(self, macro: tree.Macro) -> None:
        """A macro may call those before it; a later macro of the same name is a mistake."""
        body = self.body(macro.body)
        earlier = self.macros.get(macro.name.name)
        if earlier is not None:
            self.diagnostics.append(
                Diagnostic(
                    "pluscal-duplicate-name",
                    f"the macro `{macro.name.name}` is defined twice",
                    macro.name.span,
                    labels=(Label(earlier.name.span, "first defined here"),),
                )
            )
        self.macros[macro.name.name] = replace(macro, body=body)

    def body(self, body: tree.Body) -> tree.Body:
        return tuple(new for statement in body for new in self.statement(statement))

    def statement(self, statement: tree.Statement) -> tree.Body:
        match statement:
            case tree.MacroCall():
                return self.call(statement)
            case tree.If():
                then, otherwise = self.body(statement.then), self.body(statement.otherwise)
                return (replace(statement, then=then, otherwise=otherwise),)
            case tree.Either():
                return (replace(statement, clauses=tuple(map(self.body, statement.clauses))),)
            case tree.While() | tree.With():
                return (replace(statement, body=self.body(statement.body)),)
            case _:
                return (statement,)

    def call(self, call: tree.MacroCall) -> tree.Body:
        macro = self.macros.get(call.macro.name)
        if macro is None:
            self.diagnostics.append(self.undefined(call))
            return (tree.Skip(call.label, None, call.span),)
        if len(macro.params) != len(call.args):
            self.diagnostics.append(wrong_arguments("macro", macro.name, len(macro.params), len(call.args), call.span))
            return (tree.Skip(call.label, None, call.span),)
        args = {param.name: arg for param, arg in zip(macro.params, call.args, strict=True)}
        instance = _Instance(args, call.span, self.diagnostics)
        body = instance.body(macro.body)
        self.count += instance.count
        if self.count > MAX_STATEMENTS:
            raise SourceError(
                Diagnostic(
                    "pluscal-macros-too-large",
                    f"expanding the macros gives more than {MAX_STATEMENTS:,} statements",
                    call.span,
                    help="make the macros that call others procedures",
                )
            )
        return (replace(body[0], label=call.label), *body[1:])

    def undefined(self, call: tree.MacroCall) -> Diagnostic:
        name = call.macro.name
        return Diagnostic(
            "pluscal-unknown-macro",
            f"there is no macro `{name}` above this call",
            call.macro.span,
            help=f"a procedure is called by `call {name}(…)`; a macro is defined before the macros that use it",
        )


def wrong_arguments(kind: str, name: Name, expected: int, found: int, span: Span) -> Diagnostic:
    return Diagnostic(
        "pluscal-argument-count",
        f"the {kind} `{name.name}` takes {expected} argument{'s' * (expected != 1)}, not {found}",
        span,
        labels=(Label(name.span, "defined here"),),
    )


class _Instance:
    """The body of a macro for one call: parameters replaced, and the call noted in every statement."""

    def __init__(self, args: Mapping[str, Expression], call: Span, diagnostics: list[Diagnostic]) -> None:
        self.args, self.call, self.diagnostics = args, call, diagnostics
        self.replacements = {name: in_parens(arg) for name, arg in args.items()}
        self.count = 0

    def body(self, body: tree.Body) -> tree.Body:
        return tuple(replace(self.statement(s), call=self.call) for s in body)

    def on(self, expression: Expression) -> Expression:
        """An argument that is a whole expression needs no parentheses around it."""
        if isinstance(expression, Name):
            return self.args.get(expression.name, expression)
        try:
            return substitute(expression, self.replacements, MAX_NODES)
        except TooLarge:
            raise SourceError(
                Diagnostic(
                    "pluscal-macros-too-large",
                    f"expanding the macros gives an expression of more than {MAX_NODES:,} parts",
                    self.call,
                    help="assign parts of it to variables, or use operators of a define statement",
                )
            ) from None

    def statement(self, s: tree.Statement) -> tree.Statement:
        self.count += 1
        if isinstance(s, tree.With) and s.name.name in self.args:
            inner = _Instance({k: v for k, v in self.args.items() if k != s.name.name}, self.call, self.diagnostics)
            return replace(s, value=self.on(s.value), body=inner.body(s.body))
        return tree.map_statement(s, self.on, self.body, self.assignment)

    def assignment(self, assignment: tree.Assignment) -> tree.Assignment:
        path = substitute_in_path(assignment.path, self.replacements)
        new = replace(assignment, path=path, value=self.on(assignment.value))
        arg = self.args.get(assignment.variable.name)
        if arg is None:
            return new
        target = tree.assignment_target(arg)
        if target is None:
            self.diagnostics.append(
                Diagnostic(
                    "pluscal-bad-assignment",
                    f"the macro assigns to `{assignment.variable.name}`, for which this call gives no variable",
                    arg.span,
                    labels=(Label(assignment.span, "assigned to here"), Label(self.call, "in this call")),
                )
            )
            return new
        return replace(new, variable=target[0], path=(*target[1], *path))
