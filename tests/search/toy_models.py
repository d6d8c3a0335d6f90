"""Small models with known state graphs, and a search so simple that it must be right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.search import Action, ActionPredicate, Model, State, StatePredicate


def state_predicate(name: str, holds: Callable[..., bool]) -> StatePredicate:
    """A predicate over the variables of a state."""
    return StatePredicate(name, lambda state: holds(*state))


def action_predicate(name: str, holds: Callable[[State, State], bool]) -> ActionPredicate:
    return ActionPredicate(name, holds)


class TableModel(Model):
    """A model from a table: each action is a function from the variables to the states it leads to."""

    def __init__(
        self,
        variables: str,
        initial: Iterable[State],
        actions: Mapping[str, Callable[..., Iterable[State]]],
        **features: Any,
    ) -> None:
        self.variables = tuple(variables.split())
        self.actions = tuple(map(Action, actions))
        self._initial = tuple(initial)
        self._successors = tuple(actions.values())
        for name, value in features.items():
            assert hasattr(Model, name)
            setattr(self, name, value)

    def initial_states(self) -> Iterable[State]:
        return self._initial

    def successors(self, state: State) -> Iterable[tuple[int, Sequence[State]]]:
        for number, successors in enumerate(self._successors):
            yield number, list(successors(*state))


def die_hard(big: int = 5, small: int = 3, **features: Any) -> TableModel:
    def pour(amount: int, b: int, s: int) -> list[State]:
        return [(b + amount, s - amount)]

    return TableModel(
        "big small",
        [(0, 0)],
        {
            "FillSmall": lambda b, s: [(b, small)],
            "FillBig": lambda b, s: [(big, s)],
            "EmptySmall": lambda b, s: [(b, 0)],
            "EmptyBig": lambda b, s: [(0, s)],
            "SmallToBig": lambda b, s: pour(min(s, big - b), b, s),
            "BigToSmall": lambda b, s: pour(-min(b, small - s), b, s),
        },
        **features,
    )


def counter(limit: int, **features: Any) -> TableModel:
    return TableModel("n", [(0,)], {"Up": lambda n: [(n + 1,)] if n < limit else []}, **features)


@dataclass
class Twin:
    """What the dumb search finds."""

    distinct: int = 0
    generated: int = 0
    depth: int = 0
    violated: list[str] = field(default_factory=list)
    shortest: int | None = None  # states in the shortest counterexample


def dumb_search(model: Model) -> Twin:
    """Breadth-first by sets of states, a level at a time, without stopping; no view and no symmetry."""
    twin = Twin()
    known: set[State] = set()

    def inside(before: State | None, state: State) -> bool:
        return all(each.holds(state) for each in model.constraints) and (
            before is None or all(each.holds(before, state) for each in model.action_constraints)
        )

    def violated(name: str, level: int) -> None:
        twin.violated.append(name)
        twin.shortest = min(level, twin.shortest or level)

    def check(before: State | None, state: State, level: int) -> None:
        for each in model.invariants:
            if not each.holds(state):
                violated(each.name, level)
        for step in model.implied_actions if before is not None else ():
            if not step.holds(before, state):
                violated(step.name, level)

    frontier: list[State] = []
    for state in model.initial_states():
        twin.generated += 1
        twin.depth = 1
        check(None, state, 1)
        if inside(None, state) and state not in known:
            known.add(state)
            frontier.append(state)
    level = 1
    while frontier:
        twin.depth = level
        following: list[State] = []
        for state in frontier:
            successors = [each for _, states in model.successors(state) for each in states]
            twin.generated += len(successors)
            if not successors and model.check_deadlock:
                violated("deadlock", level)
            for successor in successors:
                check(state, successor, level + 1)
                if inside(state, successor) and successor not in known:
                    known.add(successor)
                    following.append(successor)
        frontier = following
        level += 1
    twin.distinct = len(known)
    return twin
