"""Is there a behaviour that satisfies a formula? For example: that is fair, and violates a property.

The formula is split into branches, of which one must be satisfied. What a branch says about the tail of behaviours
(fairness, above all) becomes conditions on cycles; the rest becomes an automaton. A behaviour that satisfies both is a
path to a fair component of their product with the graph of steps, and a cycle in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as combinations

from gristmill.search.liveness_automaton import TooComplex, automaton_of
from gristmill.search.liveness_formula import (
    FALSE,
    And,
    Formula,
    Or,
    disjunction,
    lasting,
    normal,
    recurring,
)
from gristmill.search.liveness_graph import Lasso, StepGraph, Valuation, lasso_of, satisfies
from gristmill.search.liveness_product import Clause, Component, Product, fair_components, fair_cycle, product_of
from gristmill.source import InternalError

__all__ = ["Lasso", "StepGraph", "TooComplex", "Valuation", "find_behaviour"]

_MOST_BRANCHES = 1000
_ENTRIES = 20  # nodes of a component from which a cycle is tried


def find_behaviour(graph: StepGraph, valuation: Valuation, formula: Formula) -> Lasso | None:
    """A behaviour that satisfies a formula, or None if there is none. Raises `TooComplex`."""
    for conjuncts in branches(normal(formula)):
        lasso = _search(graph, valuation, conjuncts)
        if lasso is not None:
            if not satisfies(valuation, lasso, formula):
                raise InternalError("the behaviour found does not satisfy the formula")
            return _shortened(graph, valuation, lasso, formula)
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


def _clause(formula: Formula) -> tuple[Formula, list[Formula]] | None:
    """(p, qs) of []<>p \\/ <>[]q \\/ …; None if the formula is none of that kind."""
    items = formula.items if isinstance(formula, Or) else (formula,)
    infinitely = [recurring(item) for item in items]
    finally_ = [lasting(item) for item in items]
    if any(one is None and other is None for one, other in zip(infinitely, finally_, strict=True)):
        return None
    return disjunction(p for p in infinitely if p is not None), [q for q in finally_ if q is not None]


# --------------------------------------------------------------------------------------------------- one branch


def _search(graph: StepGraph, valuation: Valuation, conjuncts: Sequence[Formula]) -> Lasso | None:
    tails = [clause for clause in map(_clause, conjuncts) if clause is not None]
    automaton = automaton_of(each for each in conjuncts if _clause(each) is None)
    product = product_of(graph, valuation, automaton)
    clauses = [
        Clause(_on_edges(product, valuation.of(p)), tuple(_on_edges(product, valuation.of(q)) for q in qs))
        for p, qs in tails
    ]
    for bit in range(automaton.eventualities):
        clauses.append(Clause(bytes(not promised >> bit & 1 for promised in product.promises), ()))
    components = list(fair_components(product, clauses))
    if not components:
        return None
    nearest = min(components, key=lambda component: min(component.nodes))
    return min(_lassos(graph, product, nearest), key=lambda lasso: len(lasso.states))


def _on_edges(product: Product, holds: bytes) -> bytes:
    return bytes(map(holds.__getitem__, product.steps))


def _lassos(graph: StepGraph, product: Product, component: Component) -> Iterator[Lasso]:
    """From several entries: the nearest one may have the longer cycle."""
    for entry in sorted(component.nodes)[:_ENTRIES]:
        prefix = product.path(entry)
        cycle = fair_cycle(product, component, entry)
        nodes = [*prefix, *(product.targets[edge] for edge in cycle[:-1])]
        yield lasso_of(graph, [product.states[node] for node in nodes], len(prefix) - 1)


def _shortened(graph: StepGraph, valuation: Valuation, lasso: Lasso, formula: Formula) -> Lasso:
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
