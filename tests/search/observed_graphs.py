"""Random graphs with labelled steps, observations of them, and a twin that enumerates behaviours one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from gristmill.search import Action, Model, Parameters, State, Taken
from gristmill.search.observation import Observation

STATES = 3
NAMES = ("A", "B", "H")  # H is hidden where something is
LONGEST = 3  # observations


class GraphModel(Model):
    """States are (number, number % 2). An edge has an action, a parameter and an end."""

    variables = ("x", "odd")
    actions = tuple(Action(name, names=("p",)) for name in NAMES)

    def __init__(self, initial: Sequence[int], edges: Mapping[int, Sequence[tuple[int, int, int]]]) -> None:
        self.initial, self.edges = initial, edges

    def initial_states(self) -> list[State]:
        return [_state(number) for number in self.initial]

    def successors(self, state: State) -> Iterator[tuple[int, list[State]]]:
        for action, _, end in self.edges.get(state[0], ()):
            yield action, [_state(end)]

    def steps(self, state: State) -> list[Taken]:
        return [Taken(action, (("p", p),), _state(end)) for action, p, end in self.edges.get(state[0], ())]

    def __repr__(self) -> str:
        return f"GraphModel({self.initial}, {self.edges})"


def _state(number: int) -> State:
    return (number, number % 2)


_EDGES = st.tuples(st.sampled_from([2, 0, 1, 2]), st.integers(0, 1), st.integers(0, STATES - 1))
models = st.builds(
    GraphModel,
    st.lists(st.integers(0, STATES - 1), max_size=2),
    st.fixed_dictionaries({state: st.lists(_EDGES, min_size=1, max_size=3, unique=True) for state in range(STATES)}),
)
observations = st.builds(
    Observation,
    st.sampled_from([None, "A", "B", "A", "B", "H"]),
    st.dictionaries(st.just("p"), st.integers(0, 1)),
    st.dictionaries(st.just("x"), st.integers(0, STATES - 1)) | st.dictionaries(st.just("odd"), st.integers(0, 1)),
    st.booleans(),
)
logs = st.integers(0, LONGEST).flatmap(lambda size: st.lists(observations, min_size=size, max_size=size))
hidden_sets = st.sampled_from([(), ("H",)])

Behaviour = tuple[tuple[tuple[str, Parameters, State] | None, State], ...]  # steps, None where nothing happens


def fits(observation: Observation, step: tuple[str, Parameters, State] | None, state: State) -> bool:
    """Whether a step, or none, is what was observed; `state` is the one after it."""
    known: dict[str, Any] = {"x": state[0], "odd": state[1]}
    if any(known[name] != value for name, value in observation.state.items()):
        return False
    if step is None:
        return observation.may_stay
    action, parameters, _ = step
    own = dict(parameters)
    return observation.action in (None, action) and all(own[n] == v for n, v in observation.parameters.items())


def hidden_walks(model: GraphModel, state: State, hidden: Sequence[str]) -> Iterator[list[State]]:
    """Up to as many hidden steps as there are other states: more lead nowhere new."""
    yield [state]
    walks = [[state]]
    for _ in range(STATES - 1):
        walks = [
            [*walk, _state(end)]
            for walk in walks
            for action, _, end in model.edges.get(walk[-1][0], ())
            if NAMES[action] in hidden
        ]
        yield from walks


def ends(model: GraphModel, start: State, log: Sequence[Observation], hidden: Sequence[str]) -> Iterator[State]:
    """The last states of all behaviours from a state that fit a log, one by one."""
    for walk in hidden_walks(model, start, hidden):
        if not log:
            yield walk[-1]
            continue
        if fits(log[0], None, walk[-1]):
            yield from ends(model, walk[-1], log[1:], hidden)
        for action, p, end in model.edges.get(walk[-1][0], ()):
            if fits(log[0], (NAMES[action], (("p", p),), _state(end)), _state(end)):
                yield from ends(model, _state(end), log[1:], hidden)


def all_ends(model: GraphModel, log: Sequence[Observation], hidden: Sequence[str]) -> set[State]:
    return {end for start in model.initial_states() for end in ends(model, start, log, hidden)}
