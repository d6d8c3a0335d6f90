"""From a behaviour that violates a temporal property to what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gristmill.ir.model import TemporalProperty
from gristmill.reference.model import SpecificationModel
from gristmill.search import Violation
from gristmill.search.behaviour import trace_of
from gristmill.search.liveness.emptiness import Lasso, StepGraph, Truths
from gristmill.search.liveness.formula import Formula
from gristmill.search.model import State
from gristmill.temporal.alternatives import Loop
from gristmill.temporal.explanation import Why
from gristmill.temporal.formula import Translation
from gristmill.temporal.predicates import Condition
from gristmill.trace import Fairness, Trace


def counterexample(
    model: SpecificationModel,
    translation: Translation,
    states: Sequence[State],
    steps: StepGraph,
    checked: TemporalProperty,
    formula: Formula,
    fairness: Iterable[Condition],
    valuation: Truths,
    lasso: Lasso,
) -> Violation:
    loop = Loop(model, states, steps, lasso)
    alternatives = tuple(loop.alternatives())
    why = Why(lasso, valuation, translation.predicates, translation.origins, translation.conditions)
    return Violation(
        "liveness",
        checked.name,
        f"Temporal property {checked.name} is violated",
        _trace(model, states, steps, lasso),
        location=checked.code.span,
        explanation=why.explanation(formula),
        fairness=tuple(_met(why, condition) for condition in fairness),
        alternatives=alternatives,
        remedies=tuple(loop.remedies([each.action for each in alternatives])),
    )


def _trace(model: SpecificationModel, states: Sequence[State], steps: StepGraph, lasso: Lasso) -> Trace:
    """A loop is followed until its first state is there again, so that the step that closes it is told, too."""
    numbers = lasso.states[: lasso.loop + 1] if lasso.stutters else [*lasso.states, lasso.states[lasso.loop]]
    actions = [-1, *(steps.label(step) for step in lasso.steps[: len(numbers) - 1])]
    path = [(None if action == -1 else action, states[number]) for action, number in zip(actions, numbers, strict=True)]
    trace = trace_of(model, path)
    shown = tuple(
        replace(step, action="Stuttering") if number and step.action is None else step
        for number, step in enumerate(trace.steps)
    )
    if lasso.stutters:
        return Trace(trace.variables, shown, stuttering=True)
    return Trace(trace.variables, shown[:-1], loop_start=lasso.loop, closing=shown[-1])


def _met(why: Why, condition: Condition) -> Fairness:
    loop = range(why.lasso.loop, len(why.lasso.steps))
    holds, steps = why.valuation.holds, why.lasso.steps
    taken = dict.fromkeys(why.number(place) for place in loop if holds(condition.taken, steps[place]))
    disabled = dict.fromkeys(why.number(place) for place in loop if not holds(condition.enabled, steps[place]))
    origin = condition.origin
    return Fairness(condition.kind, origin.text, origin.bindings, tuple(taken), tuple(disabled), origin.span)
