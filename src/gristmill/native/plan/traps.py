"""Traps in the place of what prints or makes names, for a search that hopes to need none of it.

Specifications of protocols print where something must not happen. What is printed matters, and in which order; but
mostly nothing is. Without such operators states can be explored in any order, by several workers. A trap ends the
search where it is evaluated: it then begins anew, in order, with the model as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gristmill.cc.notes import recall, remember
from gristmill.evaluate.dependencies import COMPOSE
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Call, Primitive
from gristmill.ir.passes.rewrite import Position, Rewriter
from gristmill.ir.printer import print_model
from gristmill.ir.walk import SEARCHED, bodies
from gristmill.library import Effect
from gristmill.library.tlc import TRAP
from gristmill.native.plan.constant_values import ConstantValues
from gristmill.native.plan.effects import NativeAnalysis
from gristmill.native.plan.facts import EvaluatedForNative

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
    return _Trapping(analysis).model(model)


def prints(model: Model) -> bool:
    """Whether an earlier run of this model has come to something with effects."""
    return recall(*_about(model)) is not None


def remember_that_it_prints(model: Model) -> None:
    remember(b"it does", *_about(model))


def _about(model: Model) -> tuple[str, ...]:
    return ("prints", print_model(model))


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
    def __init__(self, analysis: NativeAnalysis) -> None:
        super().__init__(EvaluatedForNative(analysis, ConstantValues(_nothing, analysis)))
        self._analysis = analysis

    def rewrite(self, node: Any, position: Position) -> Any:
        if isinstance(node, Call) and self._analysis.is_constant_definition(node.definition):
            return node  # evaluated once in a run, and nobody notices when
        if isinstance(node, Primitive) and node.operator.effects & _SELDOM:
            return Primitive(TRAP, (), node.span)
        return self.parts(node, position)


def _nothing(code: nodes.Code) -> Any:
    raise AssertionError("nothing is evaluated to put traps")


__all__ = ["TRAPPED", "prints", "remember_that_it_prints", "with_traps"]
