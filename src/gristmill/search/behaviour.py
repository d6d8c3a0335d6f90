"""Paths through a model, made presentable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gristmill.search.model import ActionPredicate, Failure, Model, Obligation, State, StatePredicate, Taken
from gristmill.search.result import Violation
from gristmill.search.verdict import Verdict
from gristmill.trace import Mapped, Step, Trace
from gristmill.values import Fn

Path = Sequence[tuple[int | None, State]]


def violation(
    model: Model, verdict: Verdict, predicate: StatePredicate | ActionPredicate, message: str, path: Path
) -> Violation:
    """A predicate that is false at the end of a path, and why."""
    explanation = None
    if predicate.explain is not None:
        states = [state for _, state in path]
        explanation = predicate.explain(*(states[-1:] if isinstance(predicate, StatePredicate) else states[-2:]))
    return Violation(
        verdict,
        predicate.name,
        message,
        trace_of(model, path),
        location=predicate.location,
        explanation=explanation,
        mapped=tuple(_mapped(predicate, path)),
    )


def _mapped(predicate: StatePredicate | ActionPredicate, path: Path) -> Iterator[Mapped]:
    """What a predicate of another specification speaks of, in the last state or before and after the last step."""
    if predicate.mapped is None:
        return
    here = predicate.mapped(path[-1][1])
    if isinstance(predicate, StatePredicate):
        yield from (Mapped(name, None, value) for name, value in here)
        return
    for (name, before), (_, after) in zip(predicate.mapped(path[-2][1]), here, strict=True):
        yield Mapped(name, before, after)


def unmet(model: Model, duty: Obligation, path: Path) -> Violation:
    """A step at the end of a path that does not meet the obligation of its action."""
    message = f"A step of {model.actions[duty.action].name} does not satisfy {duty.name}"
    first, *others = duty.alternatives
    why = None if others else first.explain  # why none of several holds is too long a story here
    return violation(model, "property", replace(first, name=duty.name, explain=why), message, path)


def deadlock(model: Model, path: Path) -> Violation:
    blocked = tuple(model.blocked(path[-1][1]))
    trace = trace_of(model, path)
    help = _ALLOWED if _is_done(trace.steps[-1]) else _IF_MEANT
    return Violation("deadlock", None, "Deadlock: no action is possible", trace, blocked=blocked, help=help)


_REMEDY = "CHECK_DEADLOCK FALSE in the configuration, or --no-deadlock, lets behaviours end."
_IF_MEANT = f"If this is where a behaviour is meant to end, nothing is wrong: {_REMEDY}"
_ALLOWED = f"All processes are done: this is termination, which counts as deadlock. {_REMEDY}"


def _is_done(step: Step) -> bool:
    """As a PlusCal algorithm tells it, or who writes as its translation does: `pc` is "Done", everywhere."""
    pc = step.state.get("pc")
    parts = pc.values() if isinstance(pc, Fn) else pc if isinstance(pc, tuple) else [pc]
    return bool(parts) and all(each == "Done" for each in parts)


def trace_of(model: Model, path: Path) -> Trace:
    """The trace of a path, with the names of actions, their parameters, and the alias if there is one."""
    return Trace(tuple(model.variables), tuple(_steps(model, path)))


def failed_trace(model: Model, path: Path, failure: Failure) -> Trace:
    """The same for a path at whose end something failed: with the unfinished state, if there is one."""
    trace = trace_of(model, path)
    if failure.partial is None:
        return trace
    if failure.action is None:
        last = Step(failure.partial)
    else:
        action = model.actions[failure.action]
        in_algorithm = model.place_in_algorithm(failure.action)
        last = Step(failure.partial, action.name, action.parameters, action.location, in_algorithm)
    return Trace(trace.variables, (*trace.steps, last))


def _steps(model: Model, path: Path) -> Iterator[Step]:
    for number, (index, state) in enumerate(path):
        own = dict(zip(model.variables, model.values(state), strict=True))
        alias = _alias(model, state, path[min(number + 1, len(path) - 1)][1])
        if index is None:
            yield Step(own, alias=alias)
        else:
            action = model.actions[index]
            parameters = model.parameters(path[number - 1][1], index, state)
            yield Step(own, action.name, parameters, action.location, model.place_in_algorithm(index), alias)


def trace_of_steps(model: Model, path: Sequence[tuple[Taken | None, State]]) -> Trace:
    """The trace of steps that were taken, with their parameters as they are known; None: nothing happens."""
    following = [state for _, state in (*path[1:], *path[-1:])]
    steps = [_taken(model, taken, state, after) for (taken, state), after in zip(path, following, strict=True)]
    if steps:
        steps[0] = replace(steps[0], action=None)
    return Trace(tuple(model.variables), tuple(steps))


def _taken(model: Model, taken: Taken | None, state: State, following: State) -> Step:
    own = dict(zip(model.variables, model.values(state), strict=True))
    alias = _alias(model, state, following)
    if taken is None:
        return Step(own, "Stuttering", alias=alias)
    action = model.actions[taken.action]
    in_algorithm = model.place_in_algorithm(taken.action)
    return Step(own, action.name, taken.parameters, action.location, in_algorithm, alias)


def _alias(model: Model, state: State, following: State) -> Mapping[str, Any] | None:
    if model.alias is None:
        return None
    try:
        return model.alias(state, following)
    except model.errors:
        return None  # an alias that cannot be evaluated must not hide the counterexample
