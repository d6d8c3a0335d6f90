"""The step that closes a lasso: from the last state of a trace to the one where the loop begins."""

from __future__ import annotations

from gristmill.checking.steps import without_properties
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Model
from gristmill.reference.model import SpecificationModel
from gristmill.search.model import State
from gristmill.trace import Step, Trace
from gristmill.values import EvaluationError


def closing_step(trace: Trace, model: Model | None) -> Step | None:
    """None if the trace is no lasso, or no single step leads there (because of a symmetry, or an error)."""
    if trace.loop_start is None or model is None:
        return None
    target = tuple(trace.steps[trace.loop_start].state[name] for name in model.variables)
    with trace.world.active():
        evaluator = Evaluator(model.variables, Context(model.variables, output=lambda text: None))
        try:
            return _found(SpecificationModel(without_properties(model), evaluator), trace, target)
        except EvaluationError:
            return None


def _found(searchable: SpecificationModel, trace: Trace, target: State) -> Step | None:
    last = tuple(trace.steps[-1].state[name] for name in searchable.variables)
    for taken in searchable.steps(last):
        if tuple(searchable.values(taken.state)) == target:
            action = searchable.actions[taken.action]
            state = dict(zip(searchable.variables, target, strict=True))
            return Step(state, action.name, taken.parameters, action.location)
    return None
