"""Next values that only ENABLED has: those of variables beyond the specification's own."""

from __future__ import annotations

from typing import Any

from gristmill.evaluate.dependencies import children
from gristmill.ir.model import Model
from gristmill.ir.nodes import Call, OperatorArgument, Variable


def shadow_count(model: Model) -> int:
    waiting: list[Any] = [code.body for code in _codes(model)]
    seen: set[int] = set()
    highest = len(model.variables) - 1
    while waiting:
        node = waiting.pop()
        if isinstance(node, Variable):
            highest = max(highest, node.index)
        elif isinstance(node, Call | OperatorArgument) and id(node.definition) not in seen:
            seen.add(id(node.definition))
            waiting.append(node.definition.body)
        waiting.extend(children(node))
    return highest + 1 - len(model.variables)


def _codes(model: Model) -> list[Any]:
    named: list[Any] = [
        *model.invariants,
        *model.constraints,
        *model.action_constraints,
        *model.implied_inits,
        *model.implied_actions,
        *model.temporal,
        *([model.view] if model.view else []),
    ]
    return [
        *([model.init] if model.init else []),
        *(action.code for action in model.actions),
        *(each.code for each in named),
        *model.fairness,
    ]
