"""The symbols of a module, as an editor lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from gristmill.language.algorithm import AlgorithmNames, translation_of
from gristmill.language.analysis import Analysis, in_text_of
from gristmill.language.targets import AlgorithmPart
from gristmill.pluscal import tree as pluscal
from gristmill.source import SourceFile, Span
from gristmill.syntax import tree

Kind = Literal[
    "module", "constant", "variable", "operator", "function", "instance", "theorem", "assumption",
    "algorithm", "macro", "procedure", "process", "label", "translation",
]  # fmt: skip


@dataclass(slots=True)
class Entry:
    """`start` to `end` is all of it, `name_start` to `name_end` its name."""

    name: str
    kind: Kind
    start: int
    end: int
    name_start: int
    name_end: int
    detail: str = ""
    children: list[Entry] = field(default_factory=list)


def symbols(analysis: Analysis, last_whole: Analysis | None = None) -> list[Entry]:
    """What a module defines, nested as it is written. Of a text without a module, what there was last."""
    shown = analysis if analysis.root is not None else last_whole
    if shown is None or shown.root is None:
        return []
    made = _Outline(shown.file)
    entries = list(made.module(shown.root.node))
    if shown.algorithm is not None and entries:
        entries[0].children.append(_algorithm(shown.algorithm))
    for entry in entries:
        _gather_translation(shown, entry)
        entry.children.sort(key=lambda each: each.start)
    length = len(analysis.text)
    return entries if shown is analysis else [entry for entry in entries if entry.end <= length]


def module_symbols(file: SourceFile, module: tree.Module) -> list[Entry]:
    """What a module defines, as far as its tree alone tells it."""
    return list(_Outline(file).module(module))


def flat(entries: Iterable[Entry], container: str = "") -> Iterator[tuple[Entry, str]]:
    """Every entry with the name of what it stands in."""
    for entry in entries:
        yield entry, container
        yield from flat(entry.children, entry.name)


def _gather_translation(analysis: Analysis, module: Entry) -> None:
    """What a translation defines is one entry: its author has written the algorithm."""
    region = translation_of(analysis.file)
    if region is None or analysis.algorithm is None:
        return
    inside = [each for each in module.children if region[0] <= each.start and each.end <= region[1]]
    if inside:
        outside = [each for each in module.children if each not in inside]
        first, last = inside[0].start, inside[-1].end
        line_end = analysis.text.find("\n", first)
        stop = last if line_end < 0 else min(line_end, last)
        entry = Entry("translation", "translation", first, last, first, stop, "of the algorithm", inside)
        module.children[:] = [*outside, entry]


class _Outline:
    def __init__(self, file: SourceFile) -> None:
        self.file = file

    def module(self, node: tree.Module) -> Iterator[Entry]:
        entry = self.entry(node.name, "module", node.span, node.name_span)
        if entry is None:  # the span ends behind a translation made in memory
            seen = in_text_of(self.file, node.name_span)
            if seen is None:
                return
            entry = Entry(node.name, "module", seen[0], len(self.file.text), *seen)
        for unit in node.units:
            entry.children.extend(self.unit(unit))
        yield entry

    def unit(self, unit: tree.Unit) -> Iterator[Entry]:
        found: list[Entry | None] = []
        match unit:
            case tree.Module():
                yield from self.module(unit)
            case tree.ConstantDeclaration():
                found = [self.entry(each.name, "constant", each.span, each.span) for each in unit.params]
            case tree.VariableDeclaration():
                found = [self.entry(each.name, "variable", each.span, each.span) for each in unit.names]
            case tree.OperatorDefinition() | tree.FunctionDefinition() | tree.InstanceDefinition():
                found = [self.definition(unit)]
            case tree.Theorem() | tree.Assume() if unit.name is not None:
                kind: Kind = "theorem" if isinstance(unit, tree.Theorem) else "assumption"
                found = [self.entry(unit.name.name, kind, unit.span, unit.name.span, unit.keyword)]
            case _:
                pass
        yield from (entry for entry in found if entry is not None)

    def definition(self, node: tree.Definition) -> Entry | None:
        match node:
            case tree.OperatorDefinition():
                params = ", ".join(each.name for each in node.params)
                entry = self.entry(node.name, "operator", node.span, node.name_span, f"({params})" if params else "")
                body: object = node.body
            case tree.FunctionDefinition():
                names = ", ".join(name.name for bound in node.bounds for name in bound.names)
                entry = self.entry(node.name, "function", node.span, node.name_span, f"[{names}]")
                body = node.body
            case tree.InstanceDefinition():
                return self.entry(node.name, "instance", node.span, node.name_span, f"INSTANCE {node.instance.module}")
            case tree.Recursive():
                return None
        if entry is not None and isinstance(body, tree.Let):
            inner = (self.definition(each) for each in body.definitions)
            entry.children.extend(each for each in inner if each is not None)
        return entry

    def entry(self, name: str, kind: Kind, whole: Span, named: Span, detail: str = "") -> Entry | None:
        seen, name_seen = in_text_of(self.file, whole), in_text_of(self.file, named)
        if seen is None or name_seen is None:
            return None
        return Entry(name, kind, *seen, *name_seen, detail)


# ------------------------------------------------------------------------------------------------------- PlusCal


def _algorithm(names: AlgorithmNames) -> Entry:
    algorithm = names.algorithm
    entry = _part(algorithm.name.name, "algorithm", algorithm.span, algorithm.name.span)
    entry.children = [*_variables(algorithm.variables), *_definitions(names)]
    for macro in algorithm.macros:
        entry.children.append(_part(macro.name.name, "macro", macro.span, macro.name.span))
    for procedure in algorithm.procedures:
        made = _part(procedure.name.name, "procedure", procedure.span, procedure.name.span)
        made.children = [*_variables((*procedure.params, *procedure.variables)), *_labels(procedure.body, names)]
        entry.children.append(made)
    for process in algorithm.processes:
        made = _part(process.name.name, "process", process.span, process.name.span)
        made.children = [*_variables(process.variables), *_labels(process.body, names)]
        entry.children.append(made)
    entry.children += _labels(algorithm.body, names)
    return entry


def _part(name: str, kind: Kind, whole: Span, named: Span) -> Entry:
    return Entry(name, kind, whole.start, whole.end, named.start, named.end)


def _variables(declarations: Iterable[pluscal.VariableDeclaration]) -> Iterator[Entry]:
    return (_part(each.name.name, "variable", each.span, each.name.span) for each in declarations)


def _definitions(names: AlgorithmNames) -> Iterator[Entry]:
    outline = _Outline(names.region.keyword.file)
    return (entry for each in names.definitions if (entry := outline.definition(each)) is not None)


def _labels(body: pluscal.Body, names: AlgorithmNames) -> Iterator[Entry]:
    known: dict[int, AlgorithmPart] = {part.span.start: part for part in names.parts if part.kind == "label"}
    for statement in pluscal.walk(body):
        part = known.get(statement.label.span.start) if statement.label is not None else None
        if part is not None:
            yield _part(part.name, "label", part.whole, part.span)
