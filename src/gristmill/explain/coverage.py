"""How often each part of a specification was evaluated: conjuncts, disjuncts, branches, the bodies of quantifiers.

A compiler of its own, used on request only: its code counts, and is slower for it. The other one knows nothing
of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gristmill.evaluate.compiler import Compiler
from gristmill.explain.formulas import is_library
from gristmill.explain.text import one_line
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.walk import SEARCHED, bodies, reachable
from gristmill.search.result import ExpressionCoverage
from gristmill.source import Span


class Counts:
    """How often the parts of a model were evaluated, by place: a definition may be lowered several times."""

    def __init__(self, model: Model) -> None:
        self._model = model  # keeps the nodes alive that are known by their ids
        self._cells: dict[Span, list[int]] = {}
        self._by_node: dict[int, list[int]] = {}
        self._after: dict[Span, Span] = {}
        for node, before in _parts(model):
            if not isinstance(node, nodes.Literal) and not is_library(node.span):
                self._by_node[id(node)] = self._cells.setdefault(node.span, [0])
                if before is not None:
                    self._after[node.span] = before.span

    def compiler(self) -> type[Compiler]:
        """A kind of compiler whose code counts here. Tables are looked up in the class, so it has its own."""
        tables = {
            name: {kind: self._counting(form) for kind, form in getattr(Compiler, name).items()}
            for name in ("values", "tests", "actions", "applications")
        }
        return type("CountingCompiler", (Compiler,), tables)

    def _counting(self, form: Callable[..., Any]) -> Callable[..., Any]:
        by_node = self._by_node

        def counted_form(compiler: Compiler, node: Any, *rest: Any) -> Any:
            code, cell = form(compiler, node, *rest), by_node.get(id(node))
            if cell is None:
                return code

            def counted(frame: Any) -> Any:
                cell[0] += 1
                return code(frame)

            return counted

        return counted_form

    def rows(self) -> tuple[ExpressionCoverage, ...]:
        ordered = sorted(self._cells, key=lambda span: (span.file.path, span.start, -span.end))
        return tuple(
            ExpressionCoverage(one_line(span.text), self._cells[span][0], span, self._after.get(span))
            for span in ordered
        )


_ROLES = SEARCHED - {"implied_init", "view"}


def _parts(model: Model) -> Iterator[tuple[Any, Any]]:
    """What is worth counting, in everything that is evaluated in the course of a search."""
    for node in reachable(*bodies(model, _ROLES)):
        yield from _branches(node)


def _branches(node: Any) -> Iterator[tuple[Any, Any]]:
    """Each with the one that is evaluated before it, and without which it cannot be."""
    match node:
        case nodes.And(items):
            yield from zip(items, (None, *items[:-1]), strict=True)
        case nodes.Or(items):
            yield from ((item, None) for item in items)
        case nodes.Implies(left, right):
            yield from ((left, None), (right, left))
        case nodes.If(condition, then, otherwise):
            yield from ((condition, None), (then, condition), (otherwise, condition))
        case nodes.Case(arms, other):
            guards = [guard for guard, _ in arms]
            yield from zip(guards, (None, *guards[:-1]), strict=True)
            yield from ((value, guard) for guard, value in arms)
            if other is not None:
                yield other, guards[-1]
        case nodes.Quantified(_, _, body):
            yield body, None
