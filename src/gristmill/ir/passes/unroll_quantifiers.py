"""Writes out quantifiers and set maps over small constant sets, element by element.

`\\A n \\in {1, 2} : P(n)` becomes `P(1) /\\ P(2)`, `\\E` a disjunction, `{f(n) : n \\in {1, 2}}` becomes
`{f(1), f(2)}`. The names are constants then: what they select is known, and guards about them alone are decided.

Elements come in the order in which they are gone through, so that the first error, and the first witness, are the same.
In an action each disjunct is satisfied on its own, as each element is. A `\\A` that is no mere test stays: in it, what
is assigned follows another order, and all combinations of ways to satisfy it count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import product
from math import prod
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Bound, Call, Code, Expression, Literal, Quantified, SetMap
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.fold_constants import Folding, shown_slots, simplified
from gristmill.ir.passes.rewrite import Position, room_in
from gristmill.ir.passes.specialise_calls import Specialising
from gristmill.ir.substitute import with_names
from gristmill.ir.walk import children
from gristmill.values import FALSE, TRUE, Value

_MOST_ELEMENTS = 40
_MOST_NODES = 1_000  # written in the place of one loop

Binding = dict[int, tuple[str, Value]]  # by slot: name and value


def unroll_quantifiers(model: Model, facts: NativeFacts) -> Model:
    unrolling = Unrolling(facts, room_in(model), shown_slots(model))
    unrolling.copies_of_branches(model)
    return unrolling.model(model)


class Unrolling(Specialising):
    """Calls with elements for arguments are specialised as they are written."""

    def __init__(self, facts: NativeFacts, room: int, shown: Collection[int] = ()) -> None:
        super().__init__(facts, room)
        self._shown = shown
        self._sizes: dict[int, tuple[Any, int]] = {}  # of expressions, by identity
        self._copies = 1  # of what is being rewritten
        self._copies_of: dict[Code, int] = {}

    def copies_of_branches(self, model: Model) -> None:
        """There is a branch for each value of a name that actions share: what is written out is written in each."""
        copies = Counter(branch.actions for branch in model.branches)
        self._copies_of = {branch.code: copies[branch.actions] for branch in model.branches}

    def code(self, code: Code, position: Position) -> Code:
        self._copies = self._copies_of.get(code, 1)
        found = super().code(code, position)
        self._copies = 1
        return found

    def rewrite(self, node: Any, position: Position) -> Any:
        match node:
            case Quantified(universal, bounds, body) if not (universal and position is not Position.VALUE):
                found = self.bindings(bounds, body)
            case SetMap(bounds, body):
                found = self.bindings(bounds, body)
            case _:
                found = None
        if found is None:
            return super().rewrite(node, position)
        items = tuple(self._instances(body, found, position))
        return _put_together(node, items)

    def body(self, definition: nodes.Definition, position: Position) -> Any:
        """It is written once, however many copies there are of a call."""
        copies, self._copies = self._copies, 1
        found = super().body(definition, position)
        self._copies = copies
        return found

    def instances(
        self, bounds: tuple[Bound, ...], body: Expression, copies: int
    ) -> list[tuple[tuple[Value, ...], Expression]] | None:
        """For those who write out another loop, of which there are so many copies: values of its names, and bodies."""
        outside, self._copies = self._copies, copies
        found = self.bindings(bounds, body)
        bodies = None if found is None else list(self._instances(body, found, Position.VALUE))
        self._copies = outside
        if found is None or bodies is None:
            return None
        values = (tuple(value for _, value in binding.values()) for binding in found)
        return list(zip(values, bodies, strict=True))

    def _instances(self, body: Expression, found: list[Binding], position: Position) -> Iterator[Expression]:
        copies, self._copies = self._copies, self._copies * max(1, len(found))
        folding = Folding(self.facts, self._shown)
        for binding in found:
            names = {slot: Literal(value, body.span) for slot, (_, value) in binding.items()}
            instance = folding.expression(with_names(body, names), position)
            yield self._with_shown(binding, self.expression(instance, position))
        self._copies = copies

    def _with_shown(self, binding: Binding, body: Expression) -> Expression:
        """What a step tells of its parameters stays in the frame."""
        shown = [(slot, *found) for slot, found in binding.items() if slot in self._shown]
        if not shown:
            return body
        slots, names, values = zip(*shown, strict=True)
        return nodes.Let(slots, names, tuple(Literal(value, body.span) for value in values), body, body.span)

    # ------------------------------------------------------------------------------------------------ which, and when

    def bindings(self, bounds: tuple[Bound, ...], body: Expression) -> list[Binding] | None:
        """All values of the bound names in the order of the loop, if it is to be written out."""
        columns: list[list[Binding]] = []
        for bound in bounds:
            column = self._column(bound)
            if column is None:
                return None
            columns += column
        total = prod(map(len, columns))
        nodes_written = total * self.size(body)
        if total > _MOST_ELEMENTS or self._copies * nodes_written > _MOST_NODES:
            return None
        if nodes_written > self.room:
            return None
        self.room -= nodes_written
        in_order = product(*reversed(columns))  # the last name changes slowest
        return [{slot: value for part in parts for slot, value in part.items()} for parts in in_order]

    def _column(self, bound: Bound) -> list[list[Binding]] | None:
        """For each name, or all names of a tuple together, what they may be."""
        elements = None if bound.domain is None else self.facts.elements(bound.domain, _MOST_ELEMENTS)
        if elements is None:
            return None
        named = list(zip(bound.slots, bound.names, strict=True))
        if not bound.is_tuple:
            return [[{slot: (name, element)} for element in elements] for slot, name in named]
        tuples = [element for element in elements if type(element) is tuple and len(element) == len(named)]
        if len(tuples) < len(elements):
            return None
        return [[{slot: (name, part) for (slot, name), part in zip(named, each, strict=True)} for each in tuples]]

    def size(self, node: Any) -> int:
        """How much there is to write for an expression: its nodes, and those of actions that it calls."""
        known = self._sizes.get(id(node))
        if known is None:
            self._sizes[id(node)] = (node, 1)  # for a definition that calls itself
            total = 1 + sum(self.size(child) for child in children(node))
            if isinstance(node, Call) and not self.facts.is_test(node):
                total += self.size(node.definition.body)
            known = self._sizes[id(node)] = (node, min(total, _MOST_NODES + 1))
        return known[1]


def _put_together(node: Quantified | SetMap, items: tuple[Expression, ...]) -> Expression:
    if isinstance(node, SetMap):
        return nodes.SetEnumeration(items, node.span)
    if not items:
        return Literal(TRUE if node.universal else FALSE, node.span)
    form = nodes.And if node.universal else nodes.Or
    return simplified(form(items, node.span))
