"""What could have happened in place of a loop, and which fairness would not let the loop go on for ever.

A behaviour is excluded by weak fairness of an action that is possible in every state of the loop and is no step of it,
and by strong fairness of one that is possible in some. That is said only after each action was taken again in each
state: the graph keeps one action of several that lead to the same state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gristmill.reference.model import SpecificationModel
from gristmill.search.liveness.emptiness import Lasso, StepGraph
from gristmill.search.model import Parameters, State, Taken
from gristmill.trace import Alternative, Remedy
from gristmill.values import EvaluationError, show

MOST_ALTERNATIVES = 12
_HEAD = re.compile(r"\w+\s*\(([\w\s,]*)\)\s*==")  # of a definition with parameters
_MOST_STATES = 200  # of a loop, in which actions are taken again

_Instance = tuple[str, Parameters]


class Loop:
    """The states that come again and again, by their numbers in the trace, from 1."""

    def __init__(self, model: SpecificationModel, states: Sequence[State], steps: StepGraph, lasso: Lasso) -> None:
        self.model, self.states, self.steps = model, states, steps
        loop = range(lasso.loop, lasso.loop + 1) if lasso.stutters else range(lasso.loop, len(lasso.states))
        self.places = {place + 1: lasso.states[place] for place in loop}
        following = [*lasso.states[1:], lasso.states[lasso.loop]]
        self.next = {place + 1: following[place] for place in loop}
        self.taken = set(lasso.steps[lasso.loop :])

    def alternatives(self) -> Iterator[Alternative]:
        """Steps from states of the loop that are not its own, each action with the same parameters once a state."""
        found = 0
        for number, state in self.places.items():
            seen: set[_Instance] = set()
            for step in self.steps.from_state(state):
                label = self.steps.label(step)
                if label == -1 or step in self.taken:
                    continue
                action = self.model.actions[label]
                target = self.states[self.steps.target(step)]
                parameters = self.model.parameters(self.states[state], label, target)
                if (action.name, parameters) in seen:
                    continue
                seen.add((action.name, parameters))
                found += 1
                if found > MOST_ALTERNATIVES:
                    return
                shown = tuple((name, show(value)) for name, value in parameters)
                yield Alternative(number, action.name, action.location, shown)

    def remedies(self, names: Sequence[str]) -> Iterator[Remedy]:
        """For each of these actions, the fairness of it that would exclude the loop, if there is one."""
        if len(self.places) > _MOST_STATES:
            return
        for name in dict.fromkeys(names):
            try:
                with self.model.undisturbed():
                    yield from self._remedies(name)
            except (EvaluationError, RecursionError):
                continue  # no advice is better than a run that ends with an error for its sake

    def _remedies(self, name: str) -> Iterator[Remedy]:
        possible: dict[Parameters, list[int]] = {}
        own: set[Parameters] = set()
        anyhow: list[int] = []
        for number, state in self.places.items():
            changing = [each for each in self.model.take(self.states[state], name) if self._changes(each, state)]
            anyhow += [number] if changing else []
            for each in changing:
                numbers = possible.setdefault(each.parameters, [])
                if number not in numbers:
                    numbers.append(number)
                if each.state == self.states[self.next[number]]:
                    own.add(each.parameters)
        if not own:
            yield self._remedy(name, (), anyhow)
            return
        for parameters, numbers in possible.items():
            if parameters and parameters not in own:
                yield self._remedy(name, parameters, numbers)

    def _changes(self, taken: Taken, state: int) -> bool:
        return bool(taken.state != self.states[state])

    def _remedy(self, name: str, parameters: Parameters, numbers: Sequence[int]) -> Remedy:
        kind = "WF" if len(numbers) == len(self.places) else "SF"
        subscript = self.model.variables[0] if len(self.model.variables) == 1 else "vars"
        bindings = tuple((each, show(value)) for each, value in parameters)
        action = self._called(name, {each for each, _ in parameters}) if parameters else name
        return Remedy(f"{kind}_{subscript}({action})", bindings, tuple(numbers))

    def _called(self, name: str, known: set[str]) -> str:
        """As it can be written: `Take(c)` if that is how it is defined, and the values are those of its parameters."""
        for action in self.model.actions:
            if action.name == name and action.location is not None:
                head = _HEAD.match(action.location.file.text, action.location.start)
                names = [] if head is None else [each.strip() for each in head[1].split(",")]
                return f"{name}({', '.join(names)})" if names and known.issuperset(names) else name
        return name
