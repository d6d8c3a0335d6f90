"""About how much work it is to evaluate an expression that is the same in every state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.walk import children
from gristmill.values import Value, cardinality, enumerate_set, is_set
from gristmill.values.lazy import BigUnion, Filter, LazyDifference, LazyIntersection, LazyUnion
from gristmill.values.operations.sets import counts_quickly

_MOST = 10**12
_FEW = 4  # elements of a set that only running tells
_QUICK = 5_000  # evaluations that take no noticeable time
_RECURSION = 30  # times that a definition calls itself


class Effort:
    """`evaluate` gives the value of a domain, maybe only described, if it is the same everywhere."""

    def __init__(self, evaluate: Callable[[Any], Value | None]) -> None:
        self._evaluate = evaluate
        self._known: dict[int, tuple[Any, int]] = {}

    def of(self, node: Any) -> int:
        """In evaluations of simple expressions."""
        known = self._known.get(id(node))
        if known is None:
            self._known[id(node)] = (node, _RECURSION)  # for what comes back to itself
            known = self._known[id(node)] = (node, min(_MOST, self._of(node)))
        return known[1]

    def _of(self, node: Any) -> int:
        match node:
            case nodes.Quantified(_, bounds, body) | nodes.SetMap(bounds, body) | nodes.FunctionLiteral(bounds, body):
                return self._loop(bounds, body)
            case nodes.SetFilter(bound, body) | nodes.Choose(bound, body):
                return self._loop((bound,), body)
            case nodes.Call(definition, args):
                return 1 + self.of(definition.body) + sum(map(self.of, args))
            case nodes.OperatorArgument(definition):
                return 1 + self.of(definition.body)
        return 1 + sum(map(self.of, children(node)))

    def _loop(self, bounds: tuple[nodes.Bound, ...], body: Any) -> int:
        times, before = 1, 0
        for bound in bounds:
            effort, elements = self._elements(bound)
            before += effort
            times = min(_MOST, times * elements ** (1 if bound.is_tuple else len(bound.slots)))
        return before + times * (1 + self.of(body))

    def _elements(self, bound: nodes.Bound) -> tuple[int, int]:
        """What the domain takes, and how many elements it may have."""
        if bound.domain is None:
            return 0, 1
        effort = self.of(bound.domain)
        domain = self._evaluate(bound.domain) if effort < _QUICK else None
        return effort, max(_FEW, effort) if domain is None else _about(domain)


def _about(collection: Value) -> int:
    """How many elements a set has, roughly, without listing them."""
    match collection:
        case Filter(base=base):
            return _about(base)
        case LazyUnion(left=left, right=right):
            return _about(left) + _about(right)
        case LazyIntersection(left=left) | LazyDifference(left=left):
            return _about(left)
        case BigUnion(base=sets) if counts_quickly(sets) and cardinality(sets) < _QUICK:
            return sum(map(_about, enumerate_set(sets)))
    if is_set(collection) and counts_quickly(collection):
        return cardinality(collection)
    return _FEW
