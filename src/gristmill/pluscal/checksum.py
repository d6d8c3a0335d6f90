"""Checksums as pcal.trans takes them, so that either program knows whether the other's translation is up to date.

The checksum of the translation is that of its lines, joined. The checksum of the algorithm is that of its syntax tree
in pcal.trans, printed; for a `--fair algorithm`, through a slip in that program, it is that of the word `fair`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gristmill.pluscal import pcal_tree as pcal
from gristmill.pluscal import tree
from gristmill.pluscal.labels import add_labels
from gristmill.pluscal.macros import expand_macros
from gristmill.pluscal.names import LABEL, PROCEDURE, PROCESS, NameTable, name_table
from gristmill.pluscal.options import Options
from gristmill.pluscal.pcal_text import PcalText, Process
from gristmill.pluscal.shape import shape_of
from gristmill.pluscal.steps import DEFAULT_INITIAL_VALUE
from gristmill.pluscal.token_lines import TokenLines, made_up, name_lines, tokens_of
from gristmill.source import Span
from gristmill.syntax.tree import Expression, Name

Arguments = Mapping[str, TokenLines]


def text_checksum(text: str) -> str:
    """Of the lines of a translation, whatever ends them."""
    return _crc(text.replace("\r", "").replace("\n", ""))


def own_checksum(algorithm: tree.Algorithm, options: Options) -> str:
    """Of a parsed algorithm, fair or not. Raises `SourceError` if it has mistakes."""
    return _crc(algorithm_text(algorithm, options))


def possible_checksums(algorithm: tree.Algorithm, options: Options) -> set[str]:
    """Of an algorithm, with each fairness that pcal.trans may have been told on its command line."""
    fairness = {options.fairness, "wf", "sf"}
    return {own_checksum(algorithm, replace(options, fairness=f)) for f in fairness}


def _crc(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):x}"


FAIR_CHECKSUM = _crc("fair")


def algorithm_text(algorithm: tree.Algorithm, options: Options) -> str:
    """The text that the checksum is taken of."""
    labelled = add_labels(expand_macros(algorithm), options)
    table = name_table(labelled)
    return _Builder(algorithm, labelled, table, options).text()


class _Builder:
    """Builds the tree of pcal.trans from the parsed algorithm, with the labels of the labelled one."""

    def __init__(self, algorithm: tree.Algorithm, labelled: tree.Algorithm, table: NameTable, options: Options) -> None:
        self.algorithm, self.labelled, self.table, self.options = algorithm, labelled, table, options
        self.macros = {m.name.name: m for m in algorithm.macros}
        self.omit_pc = shape_of(labelled, options).omit_pc
        self.direct_calls = {p.name.name: _calls(p.body) for p in algorithm.procedures}

    def text(self) -> str:
        procedures = [
            self.procedure(p, q) for p, q in zip(self.algorithm.procedures, self.labelled.procedures, strict=True)
        ]
        if procedures and not self.algorithm.processes:
            self.extend_last(procedures[-1])
        processes = [self.process(p, q) for p, q in zip(self.algorithm.processes, self.labelled.processes, strict=True)]
        body = _Body(self, "", {}, None).groups(self.algorithm.body, self.labelled.body)
        for procedure in procedures:
            pcal.Explosion(procedures, procedure, self.omit_pc).groups(procedure.body, "Error")
        for groups in (*(p.body for p in processes), body):
            pcal.Explosion(procedures, None, self.omit_pc).groups(groups, "Done")
        variables = [self.variable(v, {}) for v in self.algorithm.variables]
        definitions = self.algorithm.definitions
        shown = tokens_of(definitions) if definitions else made_up()
        name = self.algorithm.name.name
        return PcalText().algorithm(name, variables, shown, procedures, processes, body)

    def extend_last(self, last: pcal.Procedure) -> None:
        """The lists of the last procedure go on to grow while the body of the algorithm is read."""
        body = self.algorithm.body
        last.calls = list(dict.fromkeys([*last.calls, *_calls(body)]))
        last.minus = last.minus + self.labels_with(body, last.name, "-")
        last.plus = last.plus + self.labels_with(body, last.name, "+")

    def variable(self, v: tree.VariableDeclaration, renamed: Arguments) -> pcal.Variable:
        value = made_up(DEFAULT_INITIAL_VALUE) if v.value is None else tokens_of(v.value.span)
        value.substitute(renamed, parens=False)
        name = renamed[v.name.name].lines[0][0].text if v.name.name in renamed else v.name.name
        return pcal.Variable(name, v.is_member, value)

    def renamed(self, owner: str, variables: Sequence[tree.VariableDeclaration]) -> Arguments:
        names = self.table.renamed_variables(owner, [v.name.name for v in variables])
        return {old: name_lines(new) for old, new in names.items()}

    def labels_with(self, body: tree.Body, owner: str, fairness: str) -> list[str]:
        labels = [s.label for s in tree.walk(body) if s.label is not None and s.label.fairness == fairness]
        return [self.table.of(LABEL, Name(label.name, label.span), owner).name for label in labels]

    def procedure(self, p: tree.Procedure, labelled: tree.Procedure) -> pcal.Procedure:
        owner = p.name.name
        renamed = self.renamed(owner, (*p.params, *p.variables))
        return pcal.Procedure(
            self.table.of(PROCEDURE, p.name).name,
            self.labels_with(p.body, owner, "-"),
            self.labels_with(p.body, owner, "+"),
            self.called(self.direct_calls[owner]) if self.algorithm.processes else self.direct_calls[owner],
            [self.variable(v, renamed) for v in p.params],
            [self.variable(v, renamed) for v in p.variables],
            _Body(self, owner, renamed, owner).groups(p.body, labelled.body),
        )

    def process(self, p: tree.Process, labelled: tree.Process) -> Process:
        owner = p.name.name
        renamed = self.renamed(owner, p.variables)
        direct = _calls(p.body)
        indirect = [self.called(self.direct_calls.get(name, [])) for name in direct]
        fairness = p.fairness.lower() or (self.options.fairness if self.options.fairness in ("wf", "sf") else "")
        return Process(
            self.table.of(PROCESS, p.name).name,
            fairness or "unfair",
            self.labels_with(p.body, owner, "-"),
            self.labels_with(p.body, owner, "+"),
            list(dict.fromkeys([*direct, *(name for names in indirect for name in names)])),
            p.is_set,
            tokens_of(p.identity.span),
            [self.variable(v, renamed) for v in p.variables],
            _Body(self, owner, renamed, None).groups(p.body, labelled.body),
        )

    def called(self, direct: list[str]) -> list[str]:
        """Those called, directly or not, in the order of their definitions."""
        reached, waiting = set(direct), list(direct)
        while waiting:
            new = set(self.direct_calls.get(waiting.pop(), ())) - reached
            reached |= new
            waiting.extend(new)
        return [name for name in self.direct_calls if name in reached]


def _calls(body: tree.Body) -> list[str]:
    """Calls written in the body itself: those in macros are overlooked."""
    return list(dict.fromkeys(s.procedure.name for s in tree.walk(body) if isinstance(s, tree.Call)))


class _Body:
    """Builds the statements of one procedure or process."""

    def __init__(self, builder: _Builder, owner: str, renamed: Arguments, procedure: str | None) -> None:
        self.builder, self.owner, self.renamed = builder, owner, renamed
        self.procedure = procedure
        self.labelled: Iterator[tree.Statement] = iter(())

    def groups(self, body: tree.Body, labelled: tree.Body) -> list[pcal.Labelled]:
        """Both bodies have the same statements in the same order once macros are expanded."""
        self.labelled = tree.walk(labelled)
        return _split(self.body(body, ())).labelled

    def body(self, body: tree.Body, calls: tuple[Arguments, ...]) -> list[tuple[str, pcal.Node]]:
        found: list[tuple[str, pcal.Node]] = []
        for s in body:
            if isinstance(s, tree.MacroCall):
                macro = self.builder.macros[s.macro.name]
                args = {p.name: tokens_of(a.span) for p, a in zip(macro.params, s.args, strict=True)}
                found.extend(self.body(macro.body, (args, *calls)))
            else:
                label = next(self.labelled).label
                found.append((self.label(label.name, s.span) if label else "", self.statement(s, calls)))
        return found

    def label(self, name: str, span: Span) -> str:
        return self.builder.table.of(LABEL, Name(name, span), self.owner).name

    def on(self, expression: Expression, calls: tuple[Arguments, ...]) -> TokenLines:
        lines = tokens_of(expression.span)
        for args in calls:
            lines.normalize()
            lines.substitute(args, parens=True)
        lines.substitute(self.renamed, parens=False)
        return lines

    def statement(self, s: tree.Statement, calls: tuple[Arguments, ...]) -> pcal.Node:
        match s:
            case tree.Assign(assignments):
                return pcal.Assign([self.assignment(a, calls) for a in assignments])
            case tree.If(test, then, otherwise):
                branches = [_split(self.body(body, calls)) for body in (then, otherwise)]
                has_label = any(_has_label(branch) for branch in branches)
                return pcal.If(self.on(test, calls), branches[0], branches[1], has_label)
            case tree.Either(clauses):
                branches = [_split(self.body(body, calls)) for body in clauses]
                return pcal.Either(branches, any(_has_label(branch) for branch in branches))
            case tree.While(test, body):
                inside = _split(self.body(body, calls))
                return pcal.While(self.on(test, calls), inside.unlabelled, inside.labelled)
            case tree.With(name, is_member, value, body):
                inner = [node for _, node in self.body(body, calls)]
                return pcal.With(name.name, is_member, self.on(value, calls), inner)
            case tree.Await(condition):
                return pcal.Simple("when", self.on(condition, calls))
            case tree.Print(value):
                return pcal.Simple("print", self.on(value, calls))
            case tree.Assert(condition):
                return pcal.Simple("assert", self.on(condition, calls))
            case _:
                return self.jump(s, calls)

    def jump(self, s: tree.Statement, calls: tuple[Arguments, ...]) -> pcal.Node:
        match s:
            case tree.Goto(target):
                return pcal.Goto(self.label(target.name, target.span))
            case tree.Return():
                return pcal.Return(self.procedure or "null")
            case tree.Call(procedure, args, then):
                shown = [self.on(arg, calls) for arg in args]
                if then is None:
                    return pcal.Call(procedure.name, shown)
                if isinstance(then, tree.Goto):
                    return pcal.Call(procedure.name, shown, "goto", then.target.name)
                return pcal.Call(procedure.name, shown, "return", source=self.procedure or "null")
            case _:
                return pcal.Skip()

    def assignment(self, a: tree.Assignment, calls: tuple[Arguments, ...]) -> pcal.Single:
        """A parameter that is assigned may stand for `x[i]`: then the path gets longer."""
        file = a.span.file
        path = tokens_of(Span(file, a.variable.span.end, a.path[-1].span.end)) if a.path else made_up()
        variable = a.variable.name
        for args in calls:
            path.substitute(args, parens=True)
            if variable in args:
                first, *rest = args[variable].copy().lines
                variable = first[0].text
                path = TokenLines([first[1:], *rest]).append(path)
        path.substitute(self.renamed, parens=False)
        if variable in self.renamed:
            variable = self.renamed[variable].lines[0][0].text
        return pcal.Single(variable, path, self.on(a.value, calls))


def _split(statements: list[tuple[str, pcal.Node]]) -> pcal.Branch:
    branch = pcal.Branch([])
    for label, node in statements:
        if label:
            branch.labelled.append(pcal.Labelled(label, [node]))
        elif branch.labelled:
            branch.labelled[-1].statements.append(node)
        else:
            branch.unlabelled.append(node)
    return branch


def _has_label(branch: pcal.Branch) -> bool:
    return bool(branch.labelled) or any(
        isinstance(node, pcal.If | pcal.Either) and node.has_label for node in branch.unlabelled
    )
