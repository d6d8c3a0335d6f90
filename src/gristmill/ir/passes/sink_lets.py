"""Moves the names of LET to where they are read.

`LET m == Head(q) IN x > 0 /\\ m.ok /\\ y' = m.v` becomes `x > 0 /\\ LET m == Head(q) IN m.ok /\\ y' = m.v`, where `m`
is certain to be needed: native code evaluates it there and then, and makes nothing that is to be evaluated later. A
name that is read in one place, and not in a loop, goes altogether: `LET ok == x > 0 IN ok /\\ P` is `x > 0 /\\ P`;
and one that is never read is never evaluated.

In an action, no name is moved behind a formula that may be satisfied in several ways: it would be evaluated for each.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Expression, Let, Local
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.fold_constants import shown_slots
from gristmill.ir.passes.rewrite import Position, Rewriter
from gristmill.ir.walk import Reference, children, rebuilt

_LOOPS = (nodes.Quantified, nodes.Choose, nodes.SetFilter, nodes.SetMap, nodes.FunctionLiteral)
_OTHER_STATES = (nodes.Enabled, nodes.Cdot, nodes.Temporal, nodes.BoxAction, nodes.AngleAction)


def sink_lets(model: Model, facts: NativeFacts) -> Model:
    return _Sinking(facts, shown_slots(model)).model(model)


@dataclass(frozen=True)
class _Binding:
    slot: int
    name: str
    value: Expression
    node: Let  # that it comes from

    def around(self, body: Expression) -> Let:
        return Let((self.slot,), (self.name,), (self.value,), body, self.node.span)


class _Sinking(Rewriter):
    """`shown`: slots that are read when a step has been found, wherever that is."""

    def __init__(self, facts: NativeFacts, shown: Collection[int]) -> None:
        super().__init__(facts)
        self._shown = shown

    def rewrite(self, node: Any, position: Position) -> Any:
        new = self.parts(node, position)
        if not isinstance(new, Let) or position is Position.INITIAL or not self._may_move(new, position):
            return new
        body: Any = new.body
        for slot, name, value in reversed(tuple(zip(new.slots, new.names, new.values, strict=True))):
            body = self._sunk(_Binding(slot, name, value, new), body, position)
        return body

    def _may_move(self, node: Let, position: Position) -> bool:
        return not any(map(self._is_fixed, node.values, node.slots)) and all(
            self.refined(value, position) is Position.VALUE for value in node.values
        )

    def _is_fixed(self, value: Expression, slot: int) -> bool:
        return slot in self._shown or isinstance(value, nodes.FunctionLiteral) or self.facts.has_effects(value)

    # ------------------------------------------------------------------------------------------------- one name

    def _sunk(self, binding: _Binding, body: Any, position: Position) -> Any:
        position = self.refined(body, position)
        match body:
            case nodes.And(items):
                return self._into_conjunction(binding, body, items, position)
            case nodes.Let(_, _, values) if not any(self._reads(value, binding) for value in values):
                return replace(body, body=self._sunk(binding, body.body, position))
            case nodes.Or() | nodes.If() | nodes.Implies() | nodes.Not() | nodes.Disjunct():
                users = [part for part in children(body) if self._reads(part, binding)]
                if len(users) == 1:
                    (only,) = users
                    return rebuilt(body, lambda part: self._sunk(binding, part, position) if part is only else part)
        if not self._reads(body, binding):
            return body
        if _is_read_once(body, binding.slot):
            return _replaced(body, binding.slot, binding.value)
        return binding.around(body)

    def _reads(self, node: Any, binding: _Binding) -> bool:
        return self.facts.mentions(node, (binding.slot,))

    def _into_conjunction(
        self, binding: _Binding, node: nodes.And, items: tuple[Expression, ...], position: Position
    ) -> Any:
        users = [number for number, item in enumerate(items) if self._reads(item, binding)]
        if not users:
            return node
        first = next((n for n in range(users[0]) if self._has_ways(items[n], position)), users[0])
        before, rest = items[:first], items[first:]
        if users == [first]:
            inner: Any = (self._sunk(binding, rest[0], position), *rest[1:])
            return replace(node, items=(*before, *inner))
        left = binding.around(replace(node, items=rest))
        return replace(node, items=(*before, left)) if before else left

    def _has_ways(self, item: Expression, position: Position) -> bool:
        """Whether what follows may be evaluated more than once because of it, as far as can be told."""
        if isinstance(item, nodes.Equal | nodes.Unchanged | nodes.Not | Local | nodes.Primitive):
            return False
        if isinstance(item, nodes.Member):
            return isinstance(item.left, nodes.Variable) and item.left.primed
        return self.refined(item, position) is not Position.VALUE


def _is_read_once(body: Any, slot: int) -> bool:
    """In one place, at most once whenever the whole is evaluated, and in this state."""
    places = 0
    waiting: list[tuple[Any, bool]] = [(body, False)]
    while waiting:
        node, is_elsewhere = waiting.pop()
        if isinstance(node, Reference) and node.definition.nested:
            return False
        if isinstance(node, Local) and node.depth == 0 and node.slot == slot:
            places += 1
            if is_elsewhere or places > 1:
                return False
        is_elsewhere = is_elsewhere or isinstance(node, _LOOPS + _OTHER_STATES)
        waiting.extend((each, is_elsewhere) for each in children(node))
    return places == 1


def _replaced(node: Any, slot: int, value: Expression) -> Any:
    if isinstance(node, Local) and node.depth == 0 and node.slot == slot:
        return value
    return rebuilt(node, lambda part: _replaced(part, slot, value))
