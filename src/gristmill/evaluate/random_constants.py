"""Constants that are drawn at random, or print something, evaluated before the search begins.

They would be evaluated when they are first needed, and what is drawn would depend on which of them that is: the same
seed would not mean the same to another engine. TLC, too, evaluates constants before it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from gristmill.evaluate.dependencies import EFFECT, Analysis
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Code, Definition
from gristmill.ir.walk import SEARCHED, Node, Reference, bodies, children, operators_in, reachable
from gristmill.library import Effect
from gristmill.values import EvaluationError

_BEFORE: Final = Effect.DRAWS | Effect.PRINTS | Effect.MAKES_NAMES


def draw_constants(model: Model, evaluator: Evaluator) -> None:
    for call in _drawn(model):
        call.definition.is_settled = False
        with suppress(EvaluationError):  # it may never be needed
            evaluator.value(Code(call, 1, call.definition.name, call.span))()
            call.definition.is_settled = True


def _drawn(model: Model) -> Iterator[nodes.Call]:
    """Calls of definitions that are evaluated once, and draw: one of each."""
    analysis = Analysis()

    def below(node: Node) -> Iterable[Node]:
        return children(node) if _has_effect(analysis, node) else ()

    def into(node: Reference) -> bool:
        return _has_effect(analysis, node) and not _is_drawn_once(analysis, node)

    calls: dict[Definition, nodes.Call] = {}
    for node in reachable(*bodies(model, _ROLES), below=below, into=into):
        if isinstance(node, nodes.Call) and node.definition not in calls and _is_drawn_once(analysis, node):
            calls[node.definition] = node
    yield from calls.values()


def _has_effect(analysis: Analysis, node: Node) -> bool:
    return bool(analysis.of(node).bits & EFFECT)


def _is_drawn_once(analysis: Analysis, node: Node) -> bool:
    """And does nothing else that can be seen, but to print."""
    if not isinstance(node, nodes.Call) or not analysis.is_constant_definition(node.definition):
        return False
    if not _has_effect(analysis, node):
        return False
    return all(operator.does_only(_BEFORE) for operator in operators_in(node.definition.body))


# What a search asks for first: whatever is drawn for something else is drawn when that is evaluated.
_ROLES = SEARCHED - {"implied_init", "view"}


__all__ = ["draw_constants"]
