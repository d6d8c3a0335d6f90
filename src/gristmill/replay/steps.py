"""The trace that is replayed: states of the specification, with the action and the parameters between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.search.observation import UnknownNameError
from gristmill.source import Diagnostic, SourceError
from gristmill.specification import Following, Specification, State, Transition
from gristmill.trace import Step, Trace
from gristmill.values import show


@dataclass(frozen=True, slots=True)
class ModelStep:
    """`parameters` are TLA+ values; `action` is None in the initial state."""

    state: State
    action: str | None = None
    parameters: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        if self.action is None:
            return ""
        with self.state.world.active():
            return action_text(self.action, self.parameters or {})


def action_text(action: str, parameters: Mapping[str, Any]) -> str:
    """In the world of the values."""
    return f"{action}({', '.join(show(value) for value in parameters.values())})" if parameters else action


def of_transition(step: Transition) -> ModelStep:
    return ModelStep(step.state, step.action, dict(step.raw_parameters))


def of_trace(specification: Specification, trace: Trace | str | Path) -> list[ModelStep]:
    """A trace as steps of this specification. Actions and parameters that it does not tell are found.

    Raises `SourceError` if it is no behaviour of it.
    """
    try:
        followed = specification.follow(trace)
    except UnknownNameError as error:
        raise SourceError(_of_another(specification, str(error))) from None
    if followed.failure is not None:
        raise SourceError(followed.failure.diagnostics or [Diagnostic("not-evaluated", followed.failure.message)])
    if followed.verdict != "matched":
        raise SourceError(_no_behaviour(specification, followed))
    if not followed.counts:
        raise SourceError(Diagnostic("empty-trace", "the trace has no state", help="an initial state is the least"))
    return steps_of(specification, followed.trace)


def steps_of(specification: Specification, trace: Trace) -> list[ModelStep]:
    """Of a trace with the values of this specification's world."""
    return [_own(specification, step) for step in trace.steps]


def _own(specification: Specification, step: Step) -> ModelStep:
    values = tuple(step.state[name] for name in specification.variables)
    state = State(specification.variables, values, specification.world)
    return ModelStep(state, step.action, dict(step.parameters))


def _no_behaviour(specification: Specification, followed: Following) -> Diagnostic:
    if followed.verdict == "unknown":
        message = f"whether the trace is a behaviour of {specification.name} is not known: too many states fit it"
        return Diagnostic("trace-not-followed", message, help="with the names of the actions, fewer do")
    at = f"its step {followed.matched} is not possible" if followed.matched else "no initial state is its first one"
    return _of_another(specification, at)


def _of_another(specification: Specification, why: str) -> Diagnostic:
    return Diagnostic(
        "trace-of-another",
        f"the trace is no behaviour of {specification.name}: {why}",
        help="was it made by another specification, or with other constants? `--constant` and `--mix` set them",
    )


def to_trace(specification: Specification, steps: Sequence[ModelStep]) -> Trace:
    """For files, charts and reports."""
    own = tuple(Step(dict(step.state.raw), step.action, tuple((step.parameters or {}).items())) for step in steps)
    return Trace(specification.variables, own, world=specification.world)


def again(specification: Specification, steps: Iterable[ModelStep]) -> list[ModelStep] | None:
    """The same actions from the same initial state, perhaps without some; None if they are not possible."""
    found: list[ModelStep] = []
    for step in steps:
        if step.action is None:
            found.append(step)
            continue
        taken = specification.take(found[-1].state, step.action, step.parameters)
        if not taken:
            return None
        found.append(of_transition(_closest(taken, step.state)))
    return found


def _closest(taken: Sequence[Transition], wanted: State) -> Transition:
    """Of several outcomes of an action, the one that is most like the one it had."""
    own = wanted.raw
    return min(taken, key=lambda each: sum(each.state.raw[name] != own[name] for name in own))
