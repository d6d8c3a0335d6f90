"""Places in the words of TLC, and the definitions that actions are found in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gristmill.modules.specification import ResolvedModule, Specification
from gristmill.source import SourceFile, Span
from gristmill.syntax import tree


def corners(span: Span) -> tuple[int, int, int, int]:
    """First line and column, last line and column, all of them included."""
    line, column = span.file.position(span.start)
    last, end = span.file.position(max(span.start, span.end - 1))
    return line, column, last, end


def module_of(file: SourceFile) -> str:
    return Path(file.path).stem


def place(span: Span) -> str:
    line, column, last, end = corners(span)
    return f"line {line}, col {column} to line {last}, col {end} of module {module_of(span.file)}"


def nested_place(span: Span) -> str:
    """As it is spelt in lists of nested expressions."""
    line, column, last, end = corners(span)
    return f"Line {line}, column {column} to line {last}, column {end} in {module_of(span.file)}"


class Definitions:
    """Where actions are defined: TLC tells the body of one in a trace, and its head in statistics."""

    def __init__(self, specification: Specification | None = None) -> None:
        self._known = dict(_definitions(specification)) if specification is not None else {}

    def find(self, name: str) -> Span | None:
        """The place of a definition of that name, the root's rather than that of a module it extends."""
        spans = [each.name_span for each in self._known.values() if each.name == name]
        return spans[-1] if spans else None

    def body(self, named: Span) -> Span:
        found = self._known.get((named.file.path, named.start))
        return named if found is None else found.body.span

    def head(self, named: Span) -> Span:
        found = self._known.get((named.file.path, named.start))
        if found is None:
            return named
        head = found.span.file.text[found.span.start : found.body.span.start]
        end = found.span.start + len(head.rpartition("==")[0].rstrip())
        return Span(named.file, named.start, max(named.end, end))

    def takes(self, named: Span) -> tuple[str, ...] | None:
        """The parameters of the definition; None if the place is no definition's."""
        found = self._known.get((named.file.path, named.start))
        return None if found is None else tuple(each.name for each in found.params)


def _definitions(specification: Specification) -> Iterator[tuple[tuple[str, int], tree.OperatorDefinition]]:
    for module in specification.modules.values():
        for each in (module, *module.modules.values()):
            yield from _of_module(each)


def _of_module(module: ResolvedModule) -> Iterator[tuple[tuple[str, int], tree.OperatorDefinition]]:
    for unit in module.node.units:
        if isinstance(unit, tree.OperatorDefinition):
            yield (unit.name_span.file.path, unit.name_span.start), unit
