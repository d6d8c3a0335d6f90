"""Following a model along a trace: how far it goes along, and why it does not go further.

A trace may tell everything (full states with actions), or little: some variables, or the names of actions with some of
their parameters. Many behaviours may then fit it. By default all of them are followed at once, breadth first; depth
first, one after the other, which finds one sooner where there are many.

What is followed is the next-state relation. Constraints of a search, views and symmetries are none of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias

from gristmill.search.behaviour import trace_of_steps
from gristmill.search.frontier import DEFAULT_BOUND, Cut, Frontier
from gristmill.search.model import Failure, Model, Parameters, State, Taken
from gristmill.search.observation import Matcher, Observation, observed, same
from gristmill.trace import Blocked, Step, Trace

Verdict: TypeAlias = Literal["matched", "left", "unknown", "error"]
Difference: TypeAlias = tuple[str, Any, Any]  # a name, the value that was observed, the one of the model

_MOST_STATES = 3  # that are looked at where the trace leaves the model
_MOST_STEPS = 5  # possible in one of them that are told


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A step that is possible where the trace leaves the model, and leads elsewhere. `action` is None initially."""

    action: str | None
    parameters: Parameters
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A state in which the trace leaves the model, and why: what is not possible there, and what would be."""

    state: Step | None  # None: there is no initial state that fits
    blocked: tuple[Blocked, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, slots=True)
class Departure:
    """The first observation that nothing fits, by its number from 0, with some of the `count` states before it."""

    number: int
    observation: Observation
    count: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Followed:
    """How far a model follows a trace.

    - `verdict`: "matched" if some behaviour fits all of it; "left" if none does; "unknown" if none was found, and
      something was cut off (`cuts`); "error" if a step could not be evaluated (`failure`).
    - `matched`: how many observations fit, and `trace`: a behaviour that fits these, with the hidden steps in between.
    - `counts`: after each observation, how many states there were to choose from; with `depth`, how many were tried.
    """

    verdict: Verdict
    matched: int
    trace: Trace
    counts: tuple[int, ...]
    departure: Departure | None = None
    cuts: tuple[Cut, ...] = ()
    failure: Failure | None = None

    @property
    def ok(self) -> bool:
        return self.verdict == "matched"


def follow(
    model: Model,
    trace: Iterable[Step | Observation],
    *,
    hidden: Collection[str] = (),
    states: Iterable[State] | None = None,
    bound: int = DEFAULT_BOUND,
    order: Literal["breadth", "depth"] = "breadth",
) -> Followed:
    """Follow a model along a trace, whose steps are those of a `Trace` or `Observation`s.

    The first one, if it has no action, is of the initial state, or of one of `states`. Of a lasso, the step back into
    the loop is followed as well. Steps by `hidden` actions may come anywhere in between. `bound`: of the states to
    choose from after one observation; depth first, of all that are tried.

    Raises `UnknownNameError` if the trace speaks of something that the model does not have.
    """
    observations = [observed(each) for each in trace]
    if isinstance(trace, Trace):
        observations += _loop(trace)
    matcher = Matcher(model)
    for each in observations:
        matcher.check(each)
    search = _Breadth if order == "breadth" else _Depth
    return search(model, observations, hidden, states, bound).followed()


def _loop(trace: Trace) -> Iterator[Observation]:
    """The step from the end of a lasso back into it."""
    if trace.loop_start is not None:
        again = trace.steps[trace.loop_start].state
        yield Observation(state=again, may_stay=trace.loop_start == len(trace) - 1)


class _Following(ABC):
    """What both orders share: telling what was found."""

    def __init__(
        self,
        model: Model,
        observations: Sequence[Observation],
        hidden: Collection[str],
        states: Iterable[State] | None,
        bound: int,
    ) -> None:
        self.model, self.hidden, self.bound = model, tuple(hidden), bound
        self.states = None if states is None else list(states)
        self.matcher = Matcher(model)
        starts = bool(observations) and observations[0].action is None
        self.first = observations[0] if starts else None
        self.rest = observations[1:] if starts else observations
        self.offset = 1 if starts else 0  # observations of the state to begin in
        self.failure: Failure | None = None

    @abstractmethod
    def followed(self) -> Followed: ...

    def begin(self) -> Iterator[State]:
        found = self.model.initial_states() if self.states is None else self.states
        return (state for state in found if self.first is None or self.matcher.agrees(state, self.first))

    def departure(self, layer: int, states: Collection[State]) -> Departure:
        """The observation behind `layer` fits nothing that is possible in these states."""
        observation = self.rest[layer]
        shown = islice(states, _MOST_STATES)
        with self.model.undisturbed():
            candidates = tuple(self.candidate(state, observation) for state in shown)
        return Departure(layer + self.offset, observation, len(states), candidates)

    def candidate(self, state: State, observation: Observation) -> Candidate:
        blocked = tuple(self.model.blocked(state, observation.action, observation.parameters))
        possible = self.model.steps(state) if observation.action is None else self.model.take(state, observation.action)
        elsewhere = sorted((self.elsewhere(taken, observation) for taken in possible), key=_distance)
        step = Step(dict(zip(self.model.variables, self.model.values(state), strict=True)))
        return Candidate(step, blocked, tuple(_different(elsewhere)[:_MOST_STEPS]))

    def elsewhere(self, taken: Taken, observation: Observation) -> Elsewhere:
        own = dict(taken.parameters)
        wanted = observation.parameters.items()
        others = tuple((n, value, own.get(n)) for n, value in wanted if n not in own or not same(own[n], value))
        differences = (*others, *self.matcher.differences(taken.state, observation))
        return Elsewhere(self.model.actions[taken.action].name, taken.parameters, differences)

    def no_beginning(self) -> Departure:
        """No initial state is what was observed first."""
        observation = self.first or Observation()
        initial = self.model.initial_states() if self.states is None else self.states
        found = [Elsewhere(None, (), self.matcher.differences(state, observation)) for state in islice(initial, 1000)]
        candidate = Candidate(None, (), tuple(sorted(found, key=_distance)[:_MOST_STEPS]))
        return Departure(0, observation, 0, (candidate,))


def _distance(found: Elsewhere) -> int:
    return len(found.differences)


def _different(found: Iterable[Elsewhere]) -> list[Elsewhere]:
    different: list[Elsewhere] = []
    for each in found:
        if each not in different:  # what was observed may not be hashable
            different.append(each)
    return different


class _Breadth(_Following):
    """All behaviours at once."""

    def followed(self) -> Followed:
        frontier = None
        try:
            frontier = Frontier(
                self.model, self.states, first=self.first, hidden=self.hidden, bound=self.bound, keep=True
            )
            all(frontier.advance(observation) for observation in self.rest)
        except self.model.errors as error:
            self.failure = self.model.failure(error)
        if frontier is None:
            return Followed("error", 0, Trace(tuple(self.model.variables), ()), (), failure=self.failure)
        return self.result(frontier)

    def result(self, frontier: Frontier) -> Followed:
        counts = tuple(len(layer) for layer in frontier.layers)
        begun = bool(frontier.states)
        departure = None
        if frontier.has_left:
            departure = self.departure(frontier.advanced, frontier.states) if begun else self.no_beginning()
        return Followed(
            "error" if self.failure is not None else frontier.verdict,
            frontier.advanced + self.offset if begun else 0,
            trace_of_steps(self.model, _path(frontier) if begun else []),
            counts if self.offset else counts[1:],
            departure,
            tuple(replace(cut, observations=cut.observations + self.offset) for cut in frontier.cuts),
            self.failure,
        )


def _path(frontier: Frontier) -> list[tuple[Taken | None, State]]:
    """From a state at the end back to the beginning."""
    number = len(frontier.layers) - 1
    state = next(iter(frontier.layers[number]))
    path: list[tuple[Taken | None, State]] = []
    while (origin := frontier.layers[number][state]) is not None:
        path.append((origin.taken, state))
        state, number = origin.state, number - origin.observed
    return [(None, state), *reversed(path)]


class _Depth(_Following):
    """One behaviour after the other; what has been tried is not tried again."""

    def followed(self) -> Followed:
        self.origins: dict[tuple[int, State], tuple[int, State, Taken | None] | None] = {}
        self.cuts: list[Cut] = []
        found: tuple[int, State] | None = None
        try:
            found = self.search()
        except self.model.errors as error:
            self.failure = self.model.failure(error)
        return self.result(found)

    def search(self) -> tuple[int, State] | None:
        """The first state at the end of the trace."""
        waiting = [iter([((0, state), None) for state in self.begin()])]
        while waiting:
            for node, origin in waiting[-1]:
                if node in self.origins:
                    continue
                if len(self.origins) >= self.bound:
                    self.cuts = [Cut(node[0] + self.offset, self.bound)]
                    return None
                self.origins[node] = origin
                if node[0] == len(self.rest):
                    return node
                waiting.append(self.moves(node))
                break
            else:
                waiting.pop()
        return None

    def moves(self, node: tuple[int, State]) -> Iterator[tuple[tuple[int, State], Any]]:
        layer, state = node
        observation = self.rest[layer]
        for _, taken in self.matcher.steps([state], observation):
            yield (layer + 1, taken.state), (layer, state, taken)
        if observation.may_stay and self.matcher.agrees(state, observation):
            yield (layer + 1, state), (layer, state, None)
        for _, taken in self.matcher.hidden([state], self.hidden):
            yield (layer, taken.state), (layer, state, taken)

    def result(self, found: tuple[int, State] | None) -> Followed:
        deepest = max((layer for layer, _ in self.origins), default=-1)
        states = [state for layer, state in self.origins if layer == deepest]
        counts = [0] * (deepest + 1)
        for layer, _ in self.origins:
            counts[layer] += 1
        departure = None
        if found is None and self.failure is None and not self.cuts:  # else there is more to try
            departure = self.no_beginning() if deepest < 0 else self.departure(deepest, states)
        end = found or ((deepest, states[0]) if states else None)
        return Followed(
            "error" if self.failure else "matched" if found else "unknown" if self.cuts else "left",
            deepest + self.offset if deepest >= 0 else 0,
            trace_of_steps(self.model, self.path(end) if end else []),
            tuple(counts if self.offset else counts[1:]),
            departure,
            tuple(self.cuts),
            self.failure,
        )

    def path(self, node: tuple[int, State]) -> list[tuple[Taken | None, State]]:
        path: list[tuple[Taken | None, State]] = []
        while (origin := self.origins[node]) is not None:
            layer, state, taken = origin
            path.append((taken, node[1]))
            node = layer, state
        return [(None, node[1]), *reversed(path)]


__all__ = ["Candidate", "Departure", "Elsewhere", "Followed", "follow"]
