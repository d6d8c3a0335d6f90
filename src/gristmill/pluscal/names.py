"""Giving everything in the algorithm a name of its own, as all of them become names of one module.

Variables and labels of processes and procedures are local in PlusCal. Where two have the same name, one of them gets
letters of its process or procedure behind its own (`x_`, `x_p`, `x_pr`, …). Global variables keep their names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gristmill.pluscal import tree
from gristmill.pluscal.substitute import substitute, substitute_in_path
from gristmill.source import Diagnostic, Label, SourceError, Span
from gristmill.syntax.tree import Expression, Name

# Symbols are looked at in this order, and the first of two with the same name is the one that changes.
GLOBAL, LABEL, PROCEDURE, PROCESS, PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER = range(7)
_KINDS = (
    "global variable",
    "label",
    "procedure",
    "process",
    "process variable",
    "procedure variable",
    "parameter",
)
_VARIABLES = frozenset([GLOBAL, PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER])


@dataclass(slots=True)
class Symbol:
    """`owner` is the procedure or process that a variable or label belongs to, or empty."""

    kind: int
    name: str
    owner: str
    owner_kind: str
    span: Span | None
    new_name: str


@dataclass(frozen=True, slots=True)
class Renaming:
    """One line for the reader of the translation."""

    description: str
    new_name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Resolved:
    """An algorithm with names that are all different.

    `local_names` has for each procedure and process, by its new name, the variables that have a new name.
    """

    algorithm: tree.Algorithm
    renamings: list[Renaming]
    local_names: dict[str, dict[str, str]]


def resolve_names(algorithm: tree.Algorithm) -> Resolved:
    """The algorithm with names that are all different. Raises `SourceError` for names declared twice."""
    table = name_table(algorithm)
    renamings = [
        Renaming(_describe(s), s.new_name, s.span) for s in table.in_order() if s.new_name != s.name and s.span
    ]
    renamed = _rename_algorithm(algorithm, table)
    if table.diagnostics:
        raise SourceError(table.diagnostics)
    local_names: dict[str, dict[str, str]] = {}
    for procedure in algorithm.procedures:
        names = [v.name.name for v in (*procedure.params, *procedure.variables)]
        local_names[table.of(PROCEDURE, procedure.name).name] = table.renamed_variables(procedure.name.name, names)
    for process in algorithm.processes:
        names = [v.name.name for v in process.variables]
        local_names[table.of(PROCESS, process.name).name] = table.renamed_variables(process.name.name, names)
    return Resolved(renamed, renamings, local_names)


def name_table(algorithm: tree.Algorithm) -> NameTable:
    """Everything that has a name, with its new one. Raises `SourceError` for names declared twice."""
    table = NameTable()
    table.fill(algorithm)
    if table.diagnostics:
        raise SourceError(table.diagnostics)
    table.disambiguate()
    return table


def _describe(symbol: Symbol) -> str:
    owner = f" of {symbol.owner_kind} {symbol.owner}" if symbol.owner else ""
    return f"{_KINDS[symbol.kind]} {symbol.name}{owner}"


class NameTable:
    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self.known: dict[tuple[int, str, str], Symbol] = {}
        self.diagnostics: list[Diagnostic] = []

    # ----------------------------------------------------------------------------------------- what there is

    def fill(self, algorithm: tree.Algorithm) -> None:
        self.add(GLOBAL, "pc", "", "", None)
        if algorithm.procedures:
            self.add(GLOBAL, "stack", "", "", None)
        for variable in algorithm.variables:
            self.add(GLOBAL, variable.name.name, "", "", variable.name.span)
        for procedure in algorithm.procedures:
            owner = procedure.name.name
            self.add(PROCEDURE, owner, "", "", procedure.name.span)
            self.variables(PROCEDURE_VARIABLE, procedure.variables, owner, "procedure")
            self.variables(PARAMETER, procedure.params, owner, "procedure")
            self.labels(procedure.body, owner, "procedure")
        for process in algorithm.processes:
            owner = process.name.name
            self.add(PROCESS, owner, "", "", process.name.span)
            self.variables(PROCESS_VARIABLE, process.variables, owner, "process")
            self.labels(process.body, owner, "process")
        self.labels(algorithm.body, "", "")

    def variables(
        self, kind: int, variables: tuple[tree.VariableDeclaration, ...], owner: str, owner_kind: str
    ) -> None:
        for variable in variables:
            self.add(kind, variable.name.name, owner, owner_kind, variable.name.span)

    def labels(self, body: tree.Body, owner: str, owner_kind: str) -> None:
        for statement in tree.walk(body):
            if statement.label is not None:
                self.add(LABEL, statement.label.name, owner, owner_kind, statement.label.span)

    def add(self, kind: int, name: str, owner: str, owner_kind: str, span: Span | None) -> None:
        earlier = self.earlier(kind, name, owner)
        if earlier is not None and span is not None:
            self.diagnostics.append(_duplicate(kind, name, span, earlier))
            return
        symbol = Symbol(kind, name, owner, owner_kind, span, name)
        self.symbols.append(symbol)
        self.known[kind, name, owner] = symbol

    def earlier(self, kind: int, name: str, owner: str) -> Symbol | None:
        if kind not in _VARIABLES:
            return self.known.get((kind, name, owner))
        for other in _VARIABLES:
            found = self.known.get((other, name, "" if other == GLOBAL else owner))
            if found is not None:
                return found
        return None

    # --------------------------------------------------------------------------------------------- new names

    def in_order(self) -> list[Symbol]:
        return sorted(self.symbols, key=lambda s: s.kind)

    def disambiguate(self) -> None:
        counts: dict[str, int] = {}
        for symbol in self.symbols:
            counts[symbol.name] = counts.get(symbol.name, 0) + 1
        for symbol in self.in_order():
            if symbol.kind == GLOBAL:
                continue
            suffixes = ["_", *symbol.owner]
            while counts[symbol.new_name] > 1:
                counts[symbol.new_name] -= 1
                symbol.new_name += suffixes.pop(0) if suffixes else str(symbol.kind)
                counts[symbol.new_name] = counts.get(symbol.new_name, 0) + 1

    def renamed_variables(self, owner: str, names: Iterable[str]) -> dict[str, str]:
        """Those of the owner's variables that have another name now."""
        found = ((name, self.of_variable(name, owner)) for name in names)
        return {name: new for name, new in found if new != name}

    def of_variable(self, name: str, owner: str) -> str:
        for kind in (PROCESS_VARIABLE, PROCEDURE_VARIABLE, PARAMETER):
            symbol = self.known.get((kind, name, owner))
            if symbol is not None:
                return symbol.new_name
        return name

    def of(self, kind: int, name: Name, owner: str = "") -> Name:
        symbol = self.known.get((kind, name.name, owner))
        return replace(name, name=symbol.new_name) if symbol else name


def _duplicate(kind: int, name: str, span: Span, earlier: Symbol) -> Diagnostic:
    if earlier.span is None:
        message = f"`{name}` cannot be declared: the translation has a variable of this name"
        return Diagnostic("pluscal-duplicate-name", message, span, help="give it another name")
    what = "label" if kind == LABEL else _KINDS[kind]
    return Diagnostic(
        "pluscal-duplicate-name",
        f"the {what} `{name}` has the same name as another {_KINDS[earlier.kind]} in its scope",
        span,
        help="give one of them another name",
        labels=(Label(earlier.span, "the other one"),),
    )


def _rename_algorithm(algorithm: tree.Algorithm, table: NameTable) -> tree.Algorithm:
    procedures = []
    for procedure in algorithm.procedures:
        scope = _Scope.of(procedure.name.name, (*procedure.params, *procedure.variables), table)
        procedures.append(
            replace(
                procedure,
                name=table.of(PROCEDURE, procedure.name),
                params=tuple(map(scope.declaration, procedure.params)),
                variables=tuple(map(scope.declaration, procedure.variables)),
                body=scope.body(procedure.body),
            )
        )
    processes = []
    for process in algorithm.processes:
        scope = _Scope.of(process.name.name, process.variables, table)
        processes.append(
            replace(
                process,
                name=table.of(PROCESS, process.name),
                variables=tuple(map(scope.declaration, process.variables)),
                body=scope.body(process.body),
            )
        )
    body = _Scope({}, "", table).body(algorithm.body)
    return replace(algorithm, procedures=tuple(procedures), processes=tuple(processes), body=body)


@dataclass(frozen=True, slots=True)
class _Scope:
    """New names for what one procedure or process sees."""

    variables: dict[str, Expression]
    owner: str
    table: NameTable

    @staticmethod
    def of(owner: str, declarations: tuple[tree.VariableDeclaration, ...], table: NameTable) -> _Scope:
        spans = {d.name.name: d.name.span for d in declarations}
        renamed = table.renamed_variables(owner, spans)
        return _Scope({name: Name(new, spans[name]) for name, new in renamed.items()}, owner, table)

    def on(self, expression: Expression) -> Expression:
        return substitute(expression, self.variables)

    def variable(self, name: Name) -> Name:
        new = self.variables.get(name.name, name)
        assert isinstance(new, Name)
        return replace(name, name=new.name)

    def declaration(self, declaration: tree.VariableDeclaration) -> tree.VariableDeclaration:
        value = None if declaration.value is None else self.on(declaration.value)
        return replace(declaration, name=self.variable(declaration.name), value=value)

    def body(self, body: tree.Body) -> tree.Body:
        return tuple(map(self.statement, body))

    def statement(self, s: tree.Statement) -> tree.Statement:
        if s.label is not None:
            new = self.table.of(LABEL, Name(s.label.name, s.label.span), self.owner)
            s = replace(s, label=replace(s.label, name=new.name))
        match s:
            case tree.With(name, _, value, body) if name.name in self.variables:
                hidden = {k: v for k, v in self.variables.items() if k != name.name}
                return replace(s, value=self.on(value), body=replace(self, variables=hidden).body(body))
            case tree.Goto(target):
                return replace(s, target=self.target(target))
            case tree.Call(procedure, args, then):
                if isinstance(then, tree.Goto):
                    then = replace(then, target=self.target(then.target))
                procedure = self.table.of(PROCEDURE, procedure)
                return replace(s, procedure=procedure, args=tuple(map(self.on, args)), then=then)
            case _:
                return tree.map_statement(s, self.on, self.body, self.assignment)

    def target(self, target: Name) -> Name:
        if target.name != "Done" and (LABEL, target.name, self.owner) not in self.table.known:
            where = "the algorithm" if not self.owner else f"`{self.owner}`"
            self.table.diagnostics.append(
                Diagnostic("pluscal-unknown-label", f"there is no label `{target.name}` in {where}", target.span)
            )
        return self.table.of(LABEL, target, self.owner)

    def assignment(self, assignment: tree.Assignment) -> tree.Assignment:
        return replace(
            assignment,
            variable=self.variable(assignment.variable),
            path=substitute_in_path(assignment.path, self.variables),
            value=self.on(assignment.value),
        )
