"""Takes guards out of loops over constant sets that they do not depend on.

`\\E n \\in {1, 2} : x > 0 /\\ A(n)` becomes `x > 0 /\\ \\E n \\in {1, 2} : A(n)`. A premise leaves a universal
quantifier: `x > 0 => \\A n \\in {1, 2} : P(n)`. Of several names the first changes fastest, so a guard may leave some
of the loops and stay in others.

Only what is evaluated first goes, and only if the sets are not empty: then it is evaluated in any case, before anything
else, and if it fails, so does the whole. In an action it must be a mere test: the ways to satisfy the rest are as many
as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Bound, Disjunct, Expression, Implies, Literal, Quantified
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.rewrite import Position, Rewriter
from gristmill.ir.walk import SEARCHED, bodies, reachable
from gristmill.values import TRUE, Interval


def hoist_guards(model: Model, facts: NativeFacts) -> Model:
    found = (node for node in reachable(*bodies(model, SEARCHED)) if isinstance(node, Quantified))
    return _Hoisting(facts).model(model) if any(map(_may_be_left, found)) else model


class _Hoisting(Rewriter):
    def rewrite(self, node: Any, position: Position) -> Any:
        node = self.parts(node, position)
        if not isinstance(node, Quantified) or not _may_be_left(node):
            return node
        if node.universal and position is not Position.VALUE:
            return node
        if isinstance(node.body, Implies):
            return self._premise(node, node.body)
        return self._conjuncts(node, position)

    def _premise(self, node: Quantified, body: Implies) -> Expression:
        if not node.universal or self._loops_around(node.bounds, body.left) < len(node.bounds):
            return node
        return Implies(body.left, replace(node, body=body.right), node.span)

    def _conjuncts(self, node: Quantified, position: Position) -> Expression:
        label, items = _taken_apart(node.body)
        if self._is_fixed(items[0], position) or len(items) < 2:
            return node
        loops = self._loops_around(node.bounds, items[0])
        if not loops:
            return node
        guards = 1
        while guards < len(items) - 1 and self._may_leave(node.bounds[:loops], items[guards], position):
            guards += 1
        rest = _put_together(label, items[guards:], node.body)
        inner = self._conjuncts(replace(node, bounds=node.bounds[:loops], body=rest), position)
        body = nodes.And((*items[:guards], inner), node.body.span)
        return replace(node, bounds=node.bounds[loops:], body=body) if node.bounds[loops:] else body

    def _may_leave(self, bounds: Sequence[Bound], item: Expression, position: Position) -> bool:
        return not self._is_fixed(item, position) and self._loops_around(bounds, item) == len(bounds)

    def _is_fixed(self, item: Expression, position: Position) -> bool:
        """Whether a conjunct must stay: it is no guard, or it can be seen how often it is evaluated."""
        return self.facts.has_effects(item) or self.refined(item, position) is not Position.VALUE

    def _loops_around(self, bounds: Sequence[Bound], guard: Expression) -> int:
        """Of the innermost loops, those of the first bounds, how many a guard does not depend on."""
        for number, bound in enumerate(bounds):
            if self.facts.mentions(guard, bound.slots):
                return number
        return len(bounds)


def _may_be_left(node: Quantified) -> bool:
    return all(map(_is_certain, node.bounds)) and isinstance(node.body, nodes.And | Disjunct | Implies)


def _is_certain(bound: Bound) -> bool:
    """A listed set that is not empty: there is a first element, and finding it cannot fail."""
    if bound.is_tuple or not isinstance(bound.domain, Literal):
        return False
    domain = bound.domain.value
    return bool(domain) if isinstance(domain, frozenset) else isinstance(domain, Interval) and domain.lo <= domain.hi


def _taken_apart(body: Expression) -> tuple[Disjunct | None, tuple[Expression, ...]]:
    """The conjuncts of a formula, and the label of the action that it is, if it is one."""
    if isinstance(body, Disjunct):
        return body, _items(body.body)
    return None, _items(body)


def _items(body: Expression) -> tuple[Expression, ...]:
    return body.items if isinstance(body, nodes.And) else (body,)


def _put_together(label: Disjunct | None, items: tuple[Expression, ...], body: Expression) -> Expression:
    if not items:
        rest: Expression = Literal(TRUE, body.span)
    else:
        rest = nodes.And(items, body.span)
    return rest if label is None else replace(label, body=rest)
