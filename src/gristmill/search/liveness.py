"""Is there a behaviour that satisfies a formula? For example: that is fair, and violates a property.

The formula is split into branches, of which one must be satisfied. What a branch says about the tail of behaviours
(fairness, above all) becomes conditions on cycles; the rest becomes an automaton. A behaviour that satisfies both is a
path to a fair component of their product with the graph of steps, and a cycle in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as combinations

from gristmill.search.liveness_automaton import Automaton, TooComplex, automaton_of
from gristmill.search.liveness_core import Core, PackedClause, PackedTransition, core
from gristmill.search.liveness_formula import (
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
from gristmill.search.liveness_graph import GrowingGraph, StepGraph
from gristmill.search.liveness_lasso import Lasso, lasso_of, satisfies, shortened, truth_along
from gristmill.search.liveness_product import (
    Clause,
    Component,
    Poll,
    Product,
    fair_components,
    fair_cycle,
    product_of,
)
from gristmill.search.liveness_truth import StateTruth, StepTruth, Truth, Truths, Valuation, bits_of, bytes_of
from gristmill.source import InternalError

__all__ = [
    "GrowingGraph",
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
    for conjuncts in branches(normal(formula)):
        lasso = _search(graph, valuation, conjuncts, poll)
        if lasso is not None:
            if not satisfies(valuation, lasso, formula):
                raise InternalError("the behaviour found does not satisfy the formula")
            return shortened(graph, valuation, lasso, formula)
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


# --------------------------------------------------------------------------------------------------- one branch


def _search(graph: StepGraph, valuation: Valuation, conjuncts: Sequence[Formula], poll: Poll) -> Lasso | None:
    tails = [clause for clause in map(_clause, conjuncts) if clause is not None]
    automaton = automaton_of(each for each in conjuncts if _clause(each) is None)
    native = core(graph, len(automaton.states))
    if native is not None and automaton.eventualities <= _MOST_EVENTUALITIES:
        return search_in_c(native, graph, valuation, automaton, tails, poll)
    return search_in_python(graph, valuation, automaton, tails, poll)


def search_in_c(
    native: Core, graph: StepGraph, valuation: Valuation, automaton: Automaton, tails: Sequence[_Tail], poll: Poll
) -> Lasso | None:
    packed = valuation.packed
    states = [
        [
            PackedTransition(None if each.condition == TRUE else packed(each.condition), each.target, each.promises)
            for each in state
        ]
        for state in automaton.states
    ]
    clauses = [PackedClause(packed(p), 0, tuple(map(packed, qs))) for p, qs in tails]
    clauses += [PackedClause(None, 1 << bit, ()) for bit in range(automaton.eventualities)]
    found = native.find(graph, states, clauses, poll)
    return None if found is None else Lasso(tuple(found[0]), tuple(found[1]), found[2])


def search_in_python(
    graph: StepGraph, valuation: Valuation, automaton: Automaton, tails: Sequence[_Tail], poll: Poll
) -> Lasso | None:
    product = product_of(graph, valuation, automaton, poll)
    clauses = [
        Clause(_on_edges(product, valuation.unpacked(p)), tuple(_on_edges(product, valuation.unpacked(q)) for q in qs))
        for p, qs in tails
    ]
    for bit in range(automaton.eventualities):
        clauses.append(Clause(bytes(not promised >> bit & 1 for promised in product.promises), ()))
    components = list(fair_components(product, clauses, poll))
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
