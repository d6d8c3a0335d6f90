"""Two compositions of a system beside each other: their state graphs, and what is observed of both."""

from __future__ import annotations

import time
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gristmill.checking.graphs import Observations, StateGraph, View, observed
from gristmill.ir.model import Model
from gristmill.search.budget.limits import NO_LIMITS, LimitReached, Limits
from gristmill.search.inclusion import ObservedGraph
from gristmill.values import Fn, Value, show


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
    """A variable, or a part of it (`role[a]`), whose value a step changes, or that differs; values as TLA+ text."""

    variable: str
    before: str
    after: str


def changes(graph: StateGraph, variables: Sequence[str], source: int, target: int) -> tuple[Change, ...]:
    """What a step changes of some variables."""
    return contrast(graph, source, graph, target, variables, {})


def contrast(
    there: StateGraph, before: int, here: StateGraph, after: int, variables: Sequence[str], views: Mapping[str, View]
) -> tuple[Change, ...]:
    """Where two states are seen to differ, which may be of two graphs."""
    first, second = (dict(zip(g.variables, g.state(n), strict=True)) for g, n in ((there, before), (here, after)))
    return tuple(
        Change(_text(there, path, name), _text(there, one), _text(here, other))
        for name in variables
        if not _look_alike(first[name], second[name], views.get(name))
        for path, one, other in _parts((), first[name], second[name])
    )


def _look_alike(one: Value, other: Value, view: View | None) -> bool:
    return one == other if view is None else view(one) == view(other)


_DEEPEST = 2  # arguments that lead to a part: `role[a]`, `net[a][b]`


def _parts(path: tuple[Value, ...], one: Value, other: Value) -> Iterator[tuple[tuple[Value, ...], Value, Value]]:
    """Where two values differ: inside of functions and sequences with the same domain, a little."""
    keys = _common_domain(one, other) if len(path) < _DEEPEST else None
    if keys is None:
        yield path, one, other
        return
    for key in keys:
        inside, others = _at(one, key), _at(other, key)
        if inside != others:
            yield from _parts((*path, key), inside, others)


def _common_domain(one: Value, other: Value) -> Sequence[Value] | None:
    if type(one) is Fn and type(other) is Fn and one.keys() == other.keys():
        return list(one)
    if type(one) is tuple and type(other) is tuple and len(one) == len(other):
        return range(1, len(one) + 1)
    return None


def _at(function: Value, key: Value) -> Value:
    found: Value = function[key - 1] if type(function) is tuple else function[key]  # type: ignore[index, operator]
    return found


def _text(graph: StateGraph, value: Value | tuple[Value, ...], variable: str | None = None) -> str:
    """A value; or, of a variable, the part that these arguments lead to."""
    with graph.world.active():
        if variable is None:
            return show(value)
        assert type(value) is tuple
        return variable + "".join(f".{each}" if type(each) is str else f"[{show(each)}]" for each in value)


class Clock:
    """Ends what takes too long, with `LimitReached`."""

    def __init__(self, limits: Limits) -> None:
        self._limits, self._started, self._calls = limits, time.monotonic(), 0

    def stop(self) -> None:
        """What comes now takes no time to speak of."""
        self._limits = NO_LIMITS

    def tick(self) -> None:
        self._calls += 1
        if self._calls % 4096 == 0:
            reached = self._limits.exceeded(time.monotonic() - self._started, 0)
            if reached is not None:
                raise LimitReached(reached)
