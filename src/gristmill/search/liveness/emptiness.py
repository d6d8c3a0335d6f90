"""Is there a behaviour that satisfies a formula? For example: that is fair, and violates a property.

The formula is split into branches, of which one must be satisfied. What a branch says about the tail of behaviours
(fairness, above all) becomes conditions on cycles; the rest becomes an automaton. A behaviour that satisfies both is a
path to a fair component of their product with the graph of steps, and a cycle in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as combinations
from typing import Protocol

from gristmill.search.liveness.automaton import Automaton, TooComplex, automaton_of
from gristmill.search.liveness.core import Core, PackedClause, PackedTransition, core
from gristmill.search.liveness.formula import (
    FALSE,
    TRUE,
    And,
    Formula,
    Or,
    disjunction,
    lasting,
    normal,
    recurring,
)
from gristmill.search.liveness.graph import GrowingGraph, StepGraph
from gristmill.search.liveness.lasso import Lasso, lasso_of, satisfies, shortened, truth_along
from gristmill.search.liveness.product import (
    Clause,
    Component,
    Poll,
    Product,
    fair_components,
    fair_cycle,
    product_of,
)
from gristmill.search.liveness.truth import StateTruth, StepTruth, Truth, Truths, Valuation, bits_of, bytes_of
from gristmill.source import InternalError

__all__ = [
    "GrowingGraph",
    "Hunt",
    "Lasso",
    "Poll",
    "StateTruth",
    "StepGraph",
    "StepTruth",
    "TooComplex",
    "Truth",
    "Truths",
    "Valuation",
    "bits_of",
    "bytes_of",
    "find_behaviour",
    "satisfies",
    "truth_along",
]

_MOST_BRANCHES = 1000
_MOST_EVENTUALITIES = 64  # that the search in C has bits for
_ENTRIES = 20  # nodes of a component from which a cycle is tried

_Tail = tuple[Formula, list[Formula]]


def _no_poll() -> None:
    pass


def find_behaviour(graph: StepGraph, valuation: Valuation, formula: Formula, poll: Poll = _no_poll) -> Lasso | None:
    """A behaviour that satisfies a formula, or None if there is none. Raises `TooComplex`.

    `poll` is called some times a second, as far as the search can; what it raises ends it.
    """
    return Hunt(graph, valuation, formula, poll).behaviour()


class Hunt:
    """For behaviours that satisfy a formula, and then for those that satisfy more besides.

    What leaves no behaviour leaves none with more to satisfy: branches that have none are not searched again, and the
    search of one that has goes on where it was, if what has been added is about the tail of behaviours alone.
    """

    def __init__(self, graph: StepGraph, valuation: Valuation, formula: Formula, poll: Poll = _no_poll) -> None:
        self._graph, self._valuation, self._poll = graph, valuation, poll
        self._formula = formula
        self._tails: list[_Tail] = []  # that every branch has to satisfy
        self._branches = branches(normal(formula))
        self._search: _BranchSearch | None = None  # of the first branch

    def demand(self, formula: Formula) -> None:
        """Satisfy this, too."""
        self._formula = And((self._formula, formula))
        tails = _tails(formula)
        if tails is None:
            self._tails, self._search = [], None
            self._branches = branches(normal(self._formula))
            return
        self._tails += tails
        if self._search is not None:
            self._search.demand(tails)

    def behaviour(self) -> Lasso | None:
        while self._branches:
            if self._search is None:
                self._search = _branch_search(self._graph, self._valuation, self._branches[0], self._poll)
                self._search.demand(self._tails)
            lasso = self._search.behaviour()
            if lasso is not None:
                if not satisfies(self._valuation, lasso, self._formula):
                    raise InternalError("the behaviour found does not satisfy the formula")
                return shortened(self._graph, self._valuation, lasso, self._formula)
            del self._branches[0]
            self._search = None
        return None


# ------------------------------------------------------------------------------------------------------- branches


def branches(formula: Formula) -> list[list[Formula]]:
    """Conjunctions, one of which must be satisfied. No conjunct is a disjunction, but for clauses about tails."""
    if formula == FALSE:
        return []
    if isinstance(formula, And):
        factors = [branches(item) for item in formula.items]
        size = 1
        for factor in factors:
            size *= len(factor)
        if size > _MOST_BRANCHES:
            raise TooComplex
        return [[each for part in choice for each in part] for choice in combinations(*factors)]
    if isinstance(formula, Or) and _clause(formula) is None:
        found = [branch for item in formula.items for branch in branches(item)]
        if len(found) > _MOST_BRANCHES:
            raise TooComplex
        return found
    return [[formula]]


def _clause(formula: Formula) -> _Tail | None:
    """(p, qs) of []<>p \\/ <>[]q \\/ …; None if the formula is none of that kind."""
    items = formula.items if isinstance(formula, Or) else (formula,)
    infinitely = [recurring(item) for item in items]
    finally_ = [lasting(item) for item in items]
    if any(one is None and other is None for one, other in zip(infinitely, finally_, strict=True)):
        return None
    return disjunction(p for p in infinitely if p is not None), [q for q in finally_ if q is not None]


def _tails(formula: Formula) -> list[_Tail] | None:
    """Clauses that say the same as a formula, if there are."""
    found = branches(normal(formula))
    if len(found) != 1:
        return None
    clauses = [_clause(each) for each in found[0]]
    tails = [each for each in clauses if each is not None]
    return tails if len(tails) == len(clauses) else None


# --------------------------------------------------------------------------------------------------- one branch


class _BranchSearch(Protocol):
    def demand(self, tails: Sequence[_Tail]) -> None: ...

    def behaviour(self) -> Lasso | None: ...


def _branch_search(graph: StepGraph, valuation: Valuation, conjuncts: Sequence[Formula], poll: Poll) -> _BranchSearch:
    tails = [clause for clause in map(_clause, conjuncts) if clause is not None]
    automaton = automaton_of(each for each in conjuncts if _clause(each) is None)
    native = core(graph, len(automaton.states))
    if native is not None and automaton.eventualities <= _MOST_EVENTUALITIES:
        return _SearchInC(native, graph, valuation, automaton, tails, poll)
    return _SearchInPython(graph, valuation, automaton, tails, poll)


class _SearchInC:
    def __init__(
        self,
        native: Core,
        graph: StepGraph,
        valuation: Valuation,
        automaton: Automaton,
        tails: Sequence[_Tail],
        poll: Poll,
    ) -> None:
        self._valuation = valuation
        states = [
            [PackedTransition(self._condition(each.condition), each.target, each.promises) for each in state]
            for state in automaton.states
        ]
        self._search = native.search(graph, states, poll)
        self._new = [PackedClause(None, 1 << bit, ()) for bit in range(automaton.eventualities)]
        self.demand(tails)

    def _condition(self, condition: Formula) -> bytes | None:
        return None if condition == TRUE else self._valuation.packed(condition)

    def demand(self, tails: Sequence[_Tail]) -> None:
        packed = self._valuation.packed
        self._new += [PackedClause(packed(p), 0, tuple(map(packed, qs))) for p, qs in tails]

    def behaviour(self) -> Lasso | None:
        found = self._search.find(self._new)
        self._new = []
        return None if found is None else Lasso(tuple(found[0]), tuple(found[1]), found[2])


class _SearchInPython:
    """From the beginning each time: graphs are small here."""

    def __init__(
        self, graph: StepGraph, valuation: Valuation, automaton: Automaton, tails: Sequence[_Tail], poll: Poll
    ) -> None:
        self._graph, self._valuation, self._automaton, self._poll = graph, valuation, automaton, poll
        self._tails = list(tails)

    def demand(self, tails: Sequence[_Tail]) -> None:
        self._tails += tails

    def behaviour(self) -> Lasso | None:
        valuation, automaton = self._valuation, self._automaton
        product = product_of(self._graph, valuation, automaton, self._poll)
        clauses = [
            Clause(
                _on_edges(product, valuation.unpacked(p)), tuple(_on_edges(product, valuation.unpacked(q)) for q in qs)
            )
            for p, qs in self._tails
        ]
        for bit in range(automaton.eventualities):
            clauses.append(Clause(bytes(not promised >> bit & 1 for promised in product.promises), ()))
        components = list(fair_components(product, clauses, self._poll))
        if not components:
            return None
        nearest = min(components, key=lambda component: min(component.nodes))
        return min(_lassos(self._graph, product, nearest), key=lambda lasso: len(lasso.states))


def _on_edges(product: Product, holds: bytes) -> bytes:
    return bytes(map(holds.__getitem__, product.steps))


def _lassos(graph: StepGraph, product: Product, component: Component) -> Iterator[Lasso]:
    """From several entries: the nearest one may have the longer cycle."""
    for entry in sorted(component.nodes)[:_ENTRIES]:
        prefix = product.path(entry)
        cycle = fair_cycle(product, component, entry)
        nodes = [*prefix, *(product.targets[edge] for edge in cycle[:-1])]
        yield lasso_of(graph, [product.states[node] for node in nodes], len(prefix) - 1)
