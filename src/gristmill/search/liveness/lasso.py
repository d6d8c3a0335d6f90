"""Behaviours that repeat themselves in the end: what they satisfy, and how to say the same with fewer steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gristmill.search.liveness.formula import Always, And, Atom, Eventually, Formula, Not, Or, is_proposition
from gristmill.search.liveness.graph import StepGraph
from gristmill.search.liveness.truth import Truths

Combine = Callable[[Iterable[bool]], bool]

FEW = 40  # states of a lasso in which every pair is looked at for a way back


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


def satisfies(valuation: Truths, lasso: Lasso, formula: Formula) -> bool:
    """Whether a behaviour satisfies a formula. Of fairness only as much is evaluated as decides it."""
    match formula:
        case And(items):
            return all(satisfies(valuation, lasso, item) for item in items)
        case Or(items):
            return any(satisfies(valuation, lasso, item) for item in items)
        case Always(Eventually(operand)) if is_proposition(operand):
            return any(_is_true(valuation, step, operand) for step in lasso.steps[lasso.loop :])
        case Eventually(Always(operand)) if is_proposition(operand):
            return all(_is_true(valuation, step, operand) for step in lasso.steps[lasso.loop :])
    return truth_along(valuation, lasso, formula)[0]


def _is_true(valuation: Truths, step: int, proposition: Formula) -> bool:
    match proposition:
        case Atom(number):
            return valuation.holds(number, step)
        case Not(operand):
            return not _is_true(valuation, step, operand)
        case And(items):
            return all(_is_true(valuation, step, item) for item in items)
        case Or(items):
            return any(_is_true(valuation, step, item) for item in items)
    raise AssertionError(f"not a proposition: {proposition}")


def truth_along(valuation: Truths, lasso: Lasso, formula: Formula) -> list[bool]:
    """Whether a formula is true of each suffix of a behaviour."""
    match formula:
        case Atom(number):
            return [valuation.holds(number, step) for step in lasso.steps]
        case Not(operand):
            return [not value for value in truth_along(valuation, lasso, operand)]
        case And(items):
            return _columns(all, valuation, lasso, items)
        case Or(items):
            return _columns(any, valuation, lasso, items)
        case Always(operand):
            return _onwards(all, truth_along(valuation, lasso, operand), lasso.loop)
        case Eventually(operand):
            return _onwards(any, truth_along(valuation, lasso, operand), lasso.loop)


def _columns(combine: Combine, valuation: Truths, lasso: Lasso, items: Sequence[Formula]) -> list[bool]:
    rows = [truth_along(valuation, lasso, item) for item in items]
    return [combine(row[place] for row in rows) for place in range(len(lasso.steps))]


def _onwards(combine: Combine, values: list[bool], loop: int) -> list[bool]:
    """Of each position: all positions from there on, which in the loop are all of the loop."""
    return [combine(values[min(place, loop) :]) for place in range(len(values))]


def shortened(graph: StepGraph, valuation: Truths, lasso: Lasso, formula: Formula) -> Lasso:
    """Without repetitions that the formula does not need: the automaton may have needed them."""
    while True:
        for shorter in _shorter(graph, lasso):
            if satisfies(valuation, shorter, formula):
                lasso = shorter
                break
        else:
            return lasso


def _shorter(graph: StepGraph, lasso: Lasso) -> Iterator[Lasso]:
    states, loop = lasso.states, lasso.loop
    if loop > 0 and states[loop - 1] == states[-1]:  # the loop begins one step earlier
        yield lasso_of(graph, states[:-1], loop - 1)
    period = len(states) - loop
    for length in range(1, period):  # the loop is a shorter one, repeated
        if period % length == 0 and states[loop : loop + length] * (period // length) == states[loop:]:
            yield lasso_of(graph, states[: loop + length], loop)
    if period > 1 and states[-1] == states[loop]:  # the last step changes nothing
        yield lasso_of(graph, states[:-1], loop)
    for place in range(len(states) - 1):  # nor does this one
        if states[place] == states[place + 1]:
            yield lasso_of(graph, states[:place] + states[place + 1 :], loop - (place < loop))
    if len(states) <= FEW:
        yield from _earlier_returns(graph, states)


def _earlier_returns(graph: StepGraph, states: tuple[int, ...]) -> Iterator[Lasso]:
    """The shortest behaviours that go the same way for a while, and from there back to where they have been."""
    for last in range(len(states) - 1):
        for loop in range(last + 1):
            if graph.step(states[last], states[loop]) is not None:
                yield lasso_of(graph, states[: last + 1], loop)
