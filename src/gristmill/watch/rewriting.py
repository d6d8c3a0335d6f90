"""Actions with what is known of their parameters put in: the specification's own, of which nothing else is changed.

A parameter that a message reveals is chosen from a set of one, the value of a variable of our own. That it is in the
set which the specification chooses it from is asked where it could be false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.ir.nodes import Code, Expression
from gristmill.ir.walk import Node, rebuilt
from gristmill.specification import Specification
from gristmill.watch.derive import Event, Monitor


class Rewriting:
    """`names`: the variables of the specification, and those of our own: `node` is in the first of them, then come the
    other parameters that are known."""

    def __init__(self, specification: Specification, monitor: Monitor) -> None:
        self.monitor = monitor
        self.first = len(specification.variables)
        self.network = specification.variables.index(monitor.network)
        self.count = max((len(event.parameters) for event in monitor.events), default=0)
        self.names = (*specification.variables, *(f"given {number}" for number in range(self.count)))
        self._rewritten: dict[tuple[int, tuple[str, ...]], Action] = {}

    def action(self, event: Event, given: tuple[str, ...]) -> Action:
        """`given`: the parameters that are known, besides the node."""
        found = self._rewritten.get((id(event), given))
        if found is None:
            found = self._rewritten[id(event), given] = self._rewrite(event, (event.node, *given))
        return found

    def variants(self) -> Iterator[tuple[Event, tuple[str, ...]]]:
        """The actions as they are taken: with a message, by what one that was sent reveals, or with the node alone."""
        for event in self.monitor.events:
            if event.consumes is not None:
                yield event, (event.consumes,)
            elif not event.sends:
                yield event, ()
            for template in event.sends if event.consumes is None else ():
                yield event, tuple(name for name in template.reveals if name != event.node)

    def _rewrite(self, event: Event, names: tuple[str, ...]) -> Action:
        action = event.action
        slots = {
            expression.slot: names.index(name)
            for name, expression in action.parameters
            if name in names and isinstance(expression, nodes.Local) and expression.depth == 0
        }
        ours = tuple(range(self.first, self.first + self.count))
        body = nodes.And((self._choosing(action.code.body, slots), nodes.Unchanged(ours, action.span)), action.span)
        return replace(action, code=Code(body, action.code.frame_size, action.code.name, action.code.span))

    def _choosing(self, node: Expression, slots: Mapping[int, int]) -> Expression:
        if isinstance(node, nodes.Quantified) and not node.universal:
            asked: list[Expression] = []
            bounds = tuple(self._bound(bound, slots, asked) for bound in node.bounds)
            body = self._choosing(node.body, slots)
            return replace(node, bounds=bounds, body=nodes.And((*asked, body), node.span) if asked else body)
        if isinstance(node, nodes.And | nodes.Or | nodes.Let | nodes.Disjunct | nodes.If):
            return rebuilt(node, lambda child: self._choosing_in(child, slots))
        return node

    def _choosing_in(self, node: Node, slots: Mapping[int, int]) -> Node:
        return node if isinstance(node, nodes.Bound | nodes.Update) else self._choosing(node, slots)  # type: ignore[arg-type]

    def _bound(self, bound: nodes.Bound, slots: Mapping[int, int], asked: list[Expression]) -> nodes.Bound:
        number = slots.get(bound.slots[0])
        if number is None or len(bound.slots) > 1 or bound.domain is None:
            return bound
        is_network = isinstance(bound.domain, nodes.Variable) and bound.domain.index == self.network
        if not is_network:
            chosen = nodes.Local(0, bound.slots[0], bound.names[0], bound.span)
            asked.append(nodes.Member(chosen, bound.domain, bound.span))
        value = nodes.Variable(self.first + number, False, self.names[self.first + number], bound.span)
        return replace(bound, domain=nodes.SetEnumeration((value,), bound.span))
