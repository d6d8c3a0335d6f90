"""The steps of a state graph, and behaviours in it.

Every state has, besides its steps to others, the step that changes nothing: a system may always stutter. A step from a
state to itself by an action is that same step, since nothing that can be said of a step tells them apart.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gristmill.search.liveness_formula import Always, And, Atom, Eventually, Formula, Not, Or

Combine = Callable[[Iterable[bool]], bool]


class StepGraph:
    """Step e leads to `targets[e]`; those from state s are `first[s] … first[s + 1] - 1`, by target.

    The first `initial` states are the initial ones, and every state is reachable from them. `labels[e]` is the action
    of a step, -1 if nobody takes it.
    """

    def __init__(
        self, states: int, initial: int, sources: Sequence[int], targets: Sequence[int], actions: Sequence[int]
    ) -> None:
        following: list[dict[int, int]] = [{state: -1} for state in range(states)]
        for source, target, action in zip(sources, targets, actions, strict=True):
            steps = following[source]
            if steps.get(target, -1) == -1:
                steps[target] = action
        self.initial = initial
        self.first = array("q", [0])
        self.targets = array("q")
        self.labels = array("i")
        for steps in following:
            for target in sorted(steps):
                self.targets.append(target)
                self.labels.append(steps[target])
            self.first.append(len(self.targets))

    @property
    def states(self) -> int:
        return len(self.first) - 1

    def step(self, source: int, target: int) -> int | None:
        """The number of the step between two states."""
        end = self.first[source + 1]
        place = bisect_left(self.targets, target, self.first[source], end)
        return place if place < end and self.targets[place] == target else None

    def of_states(self, truth: Iterable[bool]) -> bytes:
        """A predicate of states as one of steps."""
        first = self.first
        values = (b"\1" if value else b"\0" for value in truth)
        return b"".join(value * (first[state + 1] - first[state]) for state, value in enumerate(values))


class Valuation:
    """What is true of which step: `atoms[a][e]` is 1 if atom a is true of step e, else 0."""

    def __init__(self, steps: int, atoms: Sequence[bytes]) -> None:
        self._steps = steps
        self._ones = int.from_bytes(b"\1" * steps)
        self._atoms = atoms
        self._known: dict[Formula, bytes] = {}

    def of(self, proposition: Formula) -> bytes:
        found = self._known.get(proposition)
        if found is None:
            found = self._known[proposition] = self._bits(proposition).to_bytes(self._steps)
        return found

    def _bits(self, proposition: Formula) -> int:
        """All steps at once, as the bytes of one number."""
        match proposition:
            case Atom(number):
                return int.from_bytes(self._atoms[number])
            case Not(operand):
                return self._bits(operand) ^ self._ones
            case And(items):
                bits = self._ones
                for item in items:
                    bits &= self._bits(item)
                return bits
            case Or(items):
                bits = 0
                for item in items:
                    bits |= self._bits(item)
                return bits
        raise AssertionError(f"not a proposition: {proposition}")


@dataclass(frozen=True, slots=True)
class Lasso:
    """A behaviour: `steps` in order, and after the last one those from number `loop` on, again and again.

    `states[i]` is where step number i begins.
    """

    states: tuple[int, ...]
    steps: tuple[int, ...]
    loop: int

    @property
    def stutters(self) -> bool:
        """Whether nothing happens in the loop."""
        return len(set(self.states[self.loop :])) == 1


def lasso_of(graph: StepGraph, states: Sequence[int], loop: int) -> Lasso:
    following = [*states[1:], states[loop]]
    steps = [graph.step(source, target) for source, target in zip(states, following, strict=True)]
    assert None not in steps, "not a path"
    return Lasso(tuple(states), tuple(step for step in steps if step is not None), loop)


def satisfies(valuation: Valuation, lasso: Lasso, formula: Formula) -> bool:
    """Whether a behaviour satisfies a formula, by evaluating it at each of its positions."""
    return _truth(valuation, lasso, formula)[0]


def _truth(valuation: Valuation, lasso: Lasso, formula: Formula) -> list[bool]:
    match formula:
        case Atom():
            holds = valuation.of(formula)
            return [bool(holds[step]) for step in lasso.steps]
        case Not(operand):
            return [not value for value in _truth(valuation, lasso, operand)]
        case And(items):
            return _columns(all, valuation, lasso, items)
        case Or(items):
            return _columns(any, valuation, lasso, items)
        case Always(operand):
            return _onwards(all, _truth(valuation, lasso, operand), lasso.loop)
        case Eventually(operand):
            return _onwards(any, _truth(valuation, lasso, operand), lasso.loop)


def _columns(combine: Combine, valuation: Valuation, lasso: Lasso, items: Sequence[Formula]) -> list[bool]:
    rows = [_truth(valuation, lasso, item) for item in items]
    return [combine(row[place] for row in rows) for place in range(len(lasso.steps))]


def _onwards(combine: Combine, values: list[bool], loop: int) -> list[bool]:
    """Of each position: all positions from there on, which in the loop are all of the loop."""
    return [combine(values[min(place, loop) :]) for place in range(len(values))]
