"""Partial observations of a behaviour: of each step, only what is known."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.search.model import Model, State, Taken
from gristmill.trace import Step


class UnknownNameError(ValueError):
    """An observation speaks of an action, a parameter or a variable that the model does not have."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A step, and the state that it leads to.

    - `action`: its name; None if that is not known. `parameters`: those whose values are known.
    - `state`: the variables whose values after the step are known: all of them, some, or none.
    - `may_stay`: perhaps there was no step at all, and this is what is so anyhow.

    An observation without an action at the beginning of a behaviour is one of the initial state.
    """

    action: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    may_stay: bool = False


def observed(step: Step | Observation) -> Observation:
    """What a step of a trace tells."""
    if isinstance(step, Observation):
        return step
    if step.action == "Stuttering":
        return Observation(state=step.state, may_stay=True)
    return Observation(step.action, dict(step.parameters), step.state)


class Matcher:
    """Compares a model with observations."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.index = {name: number for number, name in enumerate(model.variables)}
        self.names = {action.name for action in model.actions}

    def check(self, observation: Observation) -> None:
        """Refuses unknown names: they would match nothing, which says nothing about the model."""
        if observation.action is not None:
            _known(observation.action, self.names, "action")
            self._check_parameters(observation.action, observation.parameters)
        for name in observation.state:
            _known(name, self.index, "variable")

    def _check_parameters(self, action: str, parameters: Mapping[str, Any]) -> None:
        names: set[str] = set()
        for each in self.model.actions:
            if each.name == action:
                if each.names is None:
                    return
                names.update(each.names)
        for name in parameters:
            _known(name, names, f"parameter of `{action}`")

    def agrees(self, state: State, observation: Observation) -> bool:
        return not observation.state or not self.differences(state, observation)

    def differences(self, state: State, observation: Observation) -> tuple[tuple[str, Any, Any], ...]:
        """Variables that have another value than was observed: their names, that one, and the one they have."""
        values = self.model.values(state)
        wanted = observation.state.items()
        return tuple(
            (name, value, values[self.index[name]])
            for name, value in wanted
            if not same(values[self.index[name]], value)
        )

    def steps(self, states: Sequence[State], observation: Observation) -> Iterable[tuple[State, Taken]]:
        """The steps from some states that are what was observed, each with the state it begins in."""
        for state, taken in zip(states, self._taken(states, observation), strict=True):
            for each in taken:
                if self.agrees(each.state, observation):
                    yield state, each

    def _taken(self, states: Sequence[State], observation: Observation) -> Sequence[Sequence[Taken]]:
        action, parameters = observation.action, observation.parameters
        if action is not None:
            return self.model.take_from(states, action, parameters)
        found = self.model.steps_from(states)
        if not parameters:
            return found
        return [[each for each in taken if has_parameters(each, parameters)] for taken in found]

    def hidden(self, states: Sequence[State], actions: Collection[str]) -> Iterable[tuple[State, Taken]]:
        """The steps from some states by actions of these names."""
        for name in actions:
            for state, taken in zip(states, self.model.take_from(states, name), strict=True):
                for each in taken:
                    yield state, each


def has_parameters(taken: Taken, parameters: Mapping[str, Any]) -> bool:
    own = dict(taken.parameters)
    return all(name in own and same(own[name], value) for name, value in parameters.items())


def same(a: Any, b: Any) -> bool:
    """In Python, `True == 1`; an observation of one must not match the other."""
    return bool(a == b) and (type(a) is not bool) is (type(b) is not bool)


def _known(name: str, names: Collection[str], what: str) -> None:
    if name in names:
        return
    close = difflib.get_close_matches(name, names, 1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    raise UnknownNameError(f"the model has no {what} that is called `{name}`{hint}")
