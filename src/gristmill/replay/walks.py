"""Random traces of the model to be replayed, guided by what has been replayed so far.

In each state one of the enabled actions is drawn. Those that were seldom replayed, alone and behind the action before,
are drawn more often; of the instances of an action, each as often as the others. So rare corners are visited soon,
and the same seed gives the same traces as long as the same ones are reported back.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

from gristmill.replay.mapping.parts import Known, Mapping
from gristmill.replay.steps import ModelStep, of_transition
from gristmill.specification import Transition

_BEGINNING = ""


class Coverage:
    """How often actions, and pairs of them, have been replayed."""

    def __init__(self) -> None:
        self.actions: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()

    def add(self, actions: Iterable[str]) -> None:
        before = _BEGINNING
        for action in actions:
            self.actions[action] += 1
            self.pairs[before, action] += 1
            before = action

    def weight(self, before: str, action: str) -> float:
        return 1.0 / (sqrt(1 + self.actions[action]) * (1 + self.pairs[before, action]))


class Walker:
    def __init__(self, mapping: Mapping, seed: int, depth: int) -> None:
        self.mapping, self.depth = mapping, depth
        self.random = random.Random(seed)
        self.coverage = Coverage()
        self.avoided: Counter[str] = Counter()  # known issues, by name

    def trace(self) -> list[ModelStep]:
        """A behaviour of at most `depth` steps."""
        specification = self.mapping.specification
        initial = specification.initial()
        steps = [ModelStep(self.random.choice(initial))]
        while len(steps) <= self.depth:
            before = steps[-1]
            possible = [each for each in specification.steps(before.state) if not self._avoids(steps, each)]
            if not possible:
                break
            steps.append(of_transition(self._choose(before.action or _BEGINNING, possible)))
        return steps

    def _choose(self, before: str, possible: Sequence[Transition]) -> Transition:
        names = list(dict.fromkeys(each.action for each in possible))
        weights = [self.coverage.weight(before, name) for name in names]
        name = self.random.choices(names, weights)[0]
        return self.random.choice([each for each in possible if each.action == name])

    def _avoids(self, before: Sequence[ModelStep], step: Transition) -> bool:
        for known in self.mapping.known:
            if is_known(known, before, step):
                self.avoided[known.name] += 1
                return True
        return False


def is_known(known: Known, before: Sequence[ModelStep], step: Transition) -> bool:
    """Whether a step, behind those that led to it, is one to avoid."""
    names: dict[str, Any] = {"action": step.action, "parameters": dict(step.raw_parameters)}
    if "before" in known.when.used:
        names["before"] = dict(before[-1].state.raw)
    if "trace" in known.when.used:
        names["trace"] = tuple(_told(each) for each in before)
    return known.when.truth(step.state, names, "`when`")


def _told(step: ModelStep) -> dict[str, Any]:
    return {"action": step.action or "", "parameters": step.parameters or {}, "state": dict(step.state.raw)}
