"""Traps in the place of what prints or makes names, for a search that hopes to need none of it.

What actions print needs no traps (`plan/printing.py`). But specifications also print in invariants and constraints,
where something must not happen, and make names; mostly they come to none of it. Without such operators states can be
explored in any order, by several workers. A trap ends the search where it is evaluated: it then begins anew, in order,
with the model as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from gristmill.cc.notes import recall, remember
from gristmill.evaluate.dependencies import COMPOSE
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Call, Primitive
from gristmill.ir.passes.rewrite import Position, Rewriter
from gristmill.ir.printer import print_model
from gristmill.ir.walk import SEARCHED, bodies, rebuilt
from gristmill.library import Effect
from gristmill.library.tlc import TRAP
from gristmill.native.plan.constant_values import ConstantValues
from gristmill.native.plan.effects import NativeAnalysis
from gristmill.native.plan.facts import EvaluatedForNative
from gristmill.native.plan.printing import is_output, shown_parts

TRAPPED: Final = 0x7FFFFFFF  # GM_TRAPPED: in place of the variable that does not fit
_SELDOM: Final = Effect.PRINTS | Effect.MAKES_NAMES


def with_traps(model: Model) -> Model | None:
    """None if it does more than to print and to make names, or does so in its initial predicate, or in its VIEW."""
    analysis = NativeAnalysis()
    if not all(_is_seldom(node) for node in _with_effects(model, analysis)):
        return None
    view = None if model.view is None else model.view.code
    if any(analysis.is_ordered(each.body) for each in (model.init, view) if each is not None):
        return None
    printing = _Trapping(analysis, prints=True)
    branches = tuple(replace(each, code=printing.code(each.code, Position.ACTION)) for each in model.branches)
    return replace(_Trapping(analysis).model(model), branches=branches)


def is_order_known_to_matter(model: Model) -> bool:
    """Whether an earlier run of this model has come to something with effects."""
    return recall(*_about(model)) is not None


def remember_that_order_matters(model: Model) -> None:
    remember(b"it does", *_about(model))


def _about(model: Model) -> tuple[str, ...]:
    return ("order matters", print_model(model))


def _with_effects(model: Model, analysis: NativeAnalysis) -> Iterator[Any]:
    """The operators with effects; whatever else makes the order matter."""
    for body in bodies(model, SEARCHED):
        if analysis.of(body).bits & COMPOSE:
            yield body
        for part in analysis.ordered_parts(body):
            match part:
                case Primitive(operator) if operator.effects:
                    yield part
                case nodes.PrimitiveOperator() | nodes.Temporal():
                    yield part


def _is_seldom(node: Any) -> bool:
    return isinstance(node, Primitive) and not node.operator.effects & ~_SELDOM


class _Trapping(Rewriter):
    """`prints`: what prints stays, with the texts that are made for it."""

    def __init__(self, analysis: NativeAnalysis, prints: bool = False) -> None:
        super().__init__(EvaluatedForNative(analysis, ConstantValues(_nothing, analysis)))
        self._analysis, self._prints = analysis, prints

    def rewrite(self, node: Any, position: Position) -> Any:
        if isinstance(node, Call) and self._analysis.is_constant_definition(node.definition):
            return node  # evaluated once in a run, and nobody notices when
        if self._prints and is_output(node):
            return self._with_parts(node)
        if isinstance(node, Primitive) and node.operator.effects & _SELDOM:
            return Primitive(TRAP, (), node.span)
        return self.parts(node, position)

    def _with_parts(self, node: Primitive) -> Primitive:
        """With others in the place of what its texts are made of."""
        values = set(map(id, shown_parts(node)[1]))

        def changed(part: Any) -> Any:
            return self.rewrite(part, Position.VALUE) if id(part) in values else rebuilt(part, changed)

        return rebuilt(node, changed)


def _nothing(code: nodes.Code) -> Any:
    raise AssertionError("nothing is evaluated to put traps")


__all__ = ["TRAPPED", "is_order_known_to_matter", "remember_that_order_matters", "with_traps"]
