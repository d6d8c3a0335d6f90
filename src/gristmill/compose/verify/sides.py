"""Two compositions of a system beside each other: their state graphs, and what is observed of both."""

from __future__ import annotations

import time
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gristmill.checking.graphs import Observations, StateGraph, View, observed
from gristmill.ir.model import Model
from gristmill.search.budget.limits import LimitReached, Limits
from gristmill.search.inclusion import ObservedGraph
from gristmill.values import Value, show


@dataclass(frozen=True)
class Side:
    """A composition. `modules`: by number of an action, the module that it belongs to."""

    name: str
    model: Model
    graph: StateGraph
    modules: Sequence[str]

    def actions_of(self, modules: Collection[str]) -> frozenset[int]:
        return frozenset(number for number, module in enumerate(self.modules) if module in modules)

    def action_name(self, number: int) -> str:
        return self.graph.actions[number].name


@dataclass(frozen=True)
class Observed:
    """A side with a number for what is seen of each state: equal on both sides for equal values."""

    side: Side
    seen: array[int]

    @property
    def graph(self) -> ObservedGraph:
        return observed(self.side.graph, self.seen)


def observe(
    sides: Iterable[Side], variables: Sequence[str], views: Mapping[str, View] | None = None
) -> tuple[Observed, ...]:
    """All sides, seen through the same variables."""
    observations = Observations(views)
    return tuple(Observed(side, observations.of(side.graph.project(variables))) for side in sides)


def common_variables(sides: Sequence[Side], without: Collection[str] = ()) -> tuple[str, ...]:
    """What all compositions have, in the order of the first."""
    others = [set(side.graph.variables) for side in sides[1:]]
    return tuple(
        name for name in sides[0].graph.variables if name not in without and all(name in other for other in others)
    )


@dataclass(frozen=True, slots=True)
class Change:
    """A variable whose value a step changes; both as TLA+ text."""

    variable: str
    before: str
    after: str


def changes(graph: StateGraph, variables: Sequence[str], source: int, target: int) -> tuple[Change, ...]:
    """What a step changes of some variables."""
    before, after = graph.state(source), graph.state(target)
    found = []
    with graph.world.active():
        for place, name in enumerate(graph.variables):
            if name in variables and before[place] != after[place]:
                found.append(Change(name, show(before[place]), show(after[place])))
    return tuple(found)


def contrast(
    there: StateGraph, before: int, here: StateGraph, after: int, variables: Sequence[str], views: Mapping[str, View]
) -> tuple[Change, ...]:
    """Where two states of two graphs are seen to differ; `before` and `after` are their values."""
    found = []
    first, second = (dict(zip(g.variables, g.state(n), strict=True)) for g, n in ((there, before), (here, after)))
    for name in variables:
        view = views.get(name)
        if (first[name] != second[name]) if view is None else (view(first[name]) != view(second[name])):
            found.append(Change(name, _text(there, first[name]), _text(here, second[name])))
    return tuple(found)


def _text(graph: StateGraph, value: Value) -> str:
    with graph.world.active():
        return show(value)


class Clock:
    """Ends what takes too long, with `LimitReached`."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._started, self._calls = limits, time.monotonic(), 0

    def tick(self) -> None:
        self._calls += 1
        if self._calls % 4096 == 0:
            reached = self._limits.exceeded(time.monotonic() - self._started, 0)
            if reached is not None:
                raise LimitReached(reached)
