"""The fairness of a specification, evaluated only as far as it matters.

To evaluate a condition in all states and steps costs about as much as to search them. But a property may hold because
of a few conditions out of many. So a behaviour that violates it is looked for with those that have been evaluated, at
first nearly none; one that is found is asked about the others; and one that it does not meet is evaluated next. If no
behaviour is found, there is none, for more conditions only leave fewer behaviours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from gristmill.search.liveness.emptiness import Hunt, Lasso, Poll, StepGraph, Valuation, satisfies
from gristmill.search.liveness.formula import And, Formula, Not, atoms
from gristmill.temporal.atoms import Atoms
from gristmill.temporal.predicates import Predicate


class Glance:
    """The truth of atoms along one behaviour: as it was evaluated for all steps, or just here."""

    def __init__(self, valuation: Valuation, evaluated: set[int], holds: Callable[[int, int], bool]) -> None:
        self._valuation, self._evaluated, self._holds = valuation, evaluated, holds
        self._known: dict[tuple[int, int], bool] = {}

    def holds(self, atom: int, step: int) -> bool:
        if atom in self._evaluated:
            return self._valuation.holds(atom, step)
        if (atom, step) not in self._known:
            self._known[atom, step] = self._holds(atom, step)
        return self._known[atom, step]


class Assumptions:
    def __init__(self, fairness: Sequence[Formula], atoms: Atoms, predicates: Sequence[Predicate]) -> None:
        self._atoms, self._predicates = atoms, predicates
        self._valuation: Valuation | None = None
        self._steps: StepGraph | None = None
        self._used: list[Formula] = []
        self._waiting: list[Formula] = []
        for each in _conjuncts(fairness):
            (self._used if self._is_known(each) else self._waiting).append(each)

    def violation(self, steps: StepGraph, formula: Formula, poll: Poll) -> tuple[Lasso | None, Valuation, Glance]:
        """A fair behaviour that does not satisfy a formula. Raises what evaluation does, and `TooComplex`."""
        valuation = self._valuation_of(steps)
        hunt = Hunt(steps, valuation, And((*self._used, Not(formula))), poll)
        for round in range(len(self._waiting) + 1):
            violated = And((*self._used, Not(formula)))
            asked, guessed = set(atoms(violated)), self._atoms.guessed()
            glance = Glance(valuation, asked - guessed, self._atoms.holds)
            lasso = hunt.behaviour()
            if lasso is not None and guessed & asked and not satisfies(glance, lasso, violated):
                lasso = None  # so far
            if lasso is None:
                break
            unmet = (each for each in self._waiting if not satisfies(glance, lasso, each))
            found = list(islice(unmet, 1 << round))  # one at first, and ever more: there are few rounds
            if not found:
                break
            self._use(found)
            hunt.demand(And(tuple(found)))
        return lasso, valuation, glance

    def _use(self, formulas: Sequence[Formula]) -> None:
        self._used += formulas
        self._waiting = [each for each in self._waiting if each not in formulas]

    def _is_known(self, formula: Formula) -> bool:
        """Whether it costs nothing: fairness of the next-state action can be read off the graph."""
        return all(self._predicates[self._pair(number)].is_next for number in atoms(formula))

    def _pair(self, number: int) -> int:
        taken = self._predicates[number].taken
        return number if taken is None else taken

    def _valuation_of(self, steps: StepGraph) -> Valuation:
        """All properties and rounds share what has been evaluated of a graph."""
        if self._valuation is None or self._steps is not steps:
            self._steps, self._valuation = steps, Valuation(steps, self._atoms)
        return self._valuation


def _conjuncts(formulas: Sequence[Formula]) -> Iterator[Formula]:
    for each in formulas:
        if isinstance(each, And):
            yield from _conjuncts(each.items)
        else:
            yield each
