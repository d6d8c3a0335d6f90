"""Constants that are drawn at random, drawn before the search begins.

They would be drawn when they are first needed, and what is drawn would depend on which of them that is: the same seed
would not mean the same to another engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from gristmill.evaluate.dependencies import EFFECT, Analysis, children, operators_in
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Code
from gristmill.library import Effect
from gristmill.values import EvaluationError


def draw_constants(model: Model, evaluator: Evaluator) -> None:
    for call in _drawn(model):
        with suppress(EvaluationError):  # it may never be needed
            evaluator.value(Code(call, 1, call.definition.name, call.span))()


def _drawn(model: Model) -> Iterator[nodes.Call]:
    """Calls of definitions that are evaluated once, and draw."""
    analysis = Analysis()
    seen: set[int] = set()
    waiting: list[Any] = [code.body for code in _codes(model)]
    while waiting:
        node = waiting.pop()
        if not analysis.of(node).bits & EFFECT:
            continue
        if isinstance(node, nodes.Call | nodes.OperatorArgument) and id(node.definition) not in seen:
            seen.add(id(node.definition))
            if isinstance(node, nodes.Call) and _is_drawn_once(analysis, node):
                yield node
                continue
            waiting.append(node.definition.body)
        waiting.extend(children(node))


def _is_drawn_once(analysis: Analysis, node: nodes.Call) -> bool:
    """And does nothing else that can be seen."""
    if not analysis.is_constant_definition(node.definition):
        return False
    return all(operator.does_only(Effect.DRAWS) for operator in operators_in(node.definition.body))


def _codes(model: Model) -> Iterator[Code]:
    if model.init is not None:
        yield model.init
    yield from (action.code for action in model.actions)
    for family in (model.invariants, model.constraints, model.action_constraints, model.implied_actions):
        yield from (formula.code for formula in family)


__all__ = ["draw_constants"]
