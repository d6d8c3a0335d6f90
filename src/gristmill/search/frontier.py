"""All states that a model may be in, given what has been observed of it so far.

    frontier = Frontier(model, hidden={"Lose"})
    for observation in log:
        if not frontier.advance(observation):
            print(frontier.verdict, "after", frontier.advanced, "observations")
            break

The set of states moves on with each observation. Steps by `hidden` actions are not observed: whatever they lead to
belongs to the set, before the first observation and after each.

The set is bounded. Where that cuts something off, `cuts` says so, and a behaviour that is then not found may exist all
the same: the verdict is "unknown", not "left". A behaviour that is found, is found: nothing rests on what was cut off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.search.model import Model, State, Taken
from gristmill.search.observation import Matcher, Observation

Verdict: TypeAlias = Literal["matched", "left", "unknown"]
DEFAULT_BOUND = 100_000


@dataclass(frozen=True, slots=True)
class Cut:
    """After so many observations there were more states than the bound allows, and the others were left out."""

    observations: int
    bound: int

    def __str__(self) -> str:
        return f"after {self.observations} observations: more than {self.bound:,} states, and the others were left out"


@dataclass(frozen=True, slots=True)
class Origin:
    """The state before, whether it was there before the last observation, and the step from there."""

    state: State
    observed: bool
    taken: Taken | None  # None: no step, the observation was of the same state


Layer: TypeAlias = dict[State, Origin | None]  # states, in the order in which they were found


class Frontier:
    """`states`: where to begin, in place of the model's initial states. `bound`: of the set of states.

    `first`: what was observed of the state to begin in. With `keep`, it is remembered how each state was reached, in
    `layers`, one for each observation: that grows without bound.
    """

    def __init__(
        self,
        model: Model,
        states: Iterable[State] | None = None,
        *,
        first: Observation | None = None,
        hidden: Collection[str] = (),
        bound: int = DEFAULT_BOUND,
        keep: bool = False,
    ) -> None:
        if bound < 1:
            raise ValueError("the bound of a frontier is at least 1")
        self.model, self.hidden, self.bound = model, tuple(dict.fromkeys(hidden)), bound
        self._form = model.renew()
        self.matcher = Matcher(model)
        for name in self.hidden:
            self.matcher.check(Observation(name))
        self.advanced = 0  # observations that were matched
        self.has_left = False
        self.cuts: list[Cut] = []
        begun = model.initial_states() if states is None else states
        if first is not None:
            self.matcher.check(first)
            begun = (state for state in begun if self.matcher.agrees(state, first))
        self.layers = [self._layer((state, None) for state in begun)]
        self.keep = keep
        self.has_left = not self.layers[-1]

    @property
    def states(self) -> Collection[State]:
        """Where the model may be now. If the last observation did not fit: where it was before that."""
        return self.layers[-1].keys()

    @property
    def verdict(self) -> Verdict:
        """Whether the model has a behaviour that fits all observations."""
        if not self.has_left:
            return "matched"
        return "unknown" if self.cuts else "left"

    def advance(self, observation: Observation) -> bool:
        """Whether some behaviour goes on with this. If none does, or evaluation fails, the states stay as they are."""
        if self.has_left:
            return False
        self.matcher.check(observation)
        if not self.keep:  # else there are states in earlier layers, too
            self._renew()
        before = len(self.cuts)
        self.advanced += 1  # what is cut off from now on is so after this observation
        try:
            layer = self._layer(self._observed(observation))
        except BaseException:
            self.advanced -= 1
            del self.cuts[before:]
            raise
        if not layer:
            self.advanced -= 1
            self.has_left = True
            return False
        if not self.keep:
            self.layers.clear()
        self.layers.append(layer)
        return True

    def _renew(self) -> None:
        form = self.model.renew()
        if form != self._form:
            self.layers = [{self.model.pack(state): origin for state, origin in self.layers[-1].items()}]
            self._form = form

    def _observed(self, observation: Observation) -> Iterator[tuple[State, Origin]]:
        states = list(self.states)
        if observation.may_stay:
            for state in states:
                if self.matcher.agrees(state, observation):
                    yield state, Origin(state, True, None)
        for state, taken in self.matcher.steps(states, observation):
            yield taken.state, Origin(state, True, taken)

    def _layer(self, found: Iterable[tuple[State, Origin | None]]) -> Layer:
        """These states, and what hidden steps make of them, nearest first."""
        layer: Layer = {}
        new = self._add(layer, found)
        while new and self.hidden:
            steps = self.matcher.hidden(new, self.hidden)
            new = self._add(layer, ((taken.state, Origin(state, False, taken)) for state, taken in steps))
        return layer

    def _add(self, layer: Layer, found: Iterable[tuple[State, Origin | None]]) -> list[State]:
        """Those of the states that are new."""
        new = []
        for state, origin in found:
            if state in layer:
                continue
            if len(layer) >= self.bound:
                self.cuts.append(Cut(self.advanced, self.bound))
                return []
            layer[state] = origin
            new.append(state)
        return new
