"""Where a part of a temporal formula stands: what gives its names a meaning, and what it depends on there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, CONSTANT, STATE, TEMPORAL, level
from gristmill.ir.nodes import Expression
from gristmill.ir.walk import Node, children, nodes_of
from gristmill.source import Span
from gristmill.trace import Shown
from gristmill.values import Value, show


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What to put around a part of a formula, what the slots of its frame hold, and the values of bound names."""

    wrap: Callable[[Expression], Expression]
    slots: dict[int, tuple[nodes.Argument, Place]]
    parent: Place | None
    bindings: Shown = ()

    def up(self, depth: int) -> Place:
        place = self
        for _ in range(depth):
            assert place.parent is not None
            place = place.parent
        return place

    def with_let(self, let: nodes.Let) -> Place:
        """Name by name, since a value may speak of those before it."""
        place = self
        for slot, name, value in zip(let.slots, let.names, let.values, strict=True):
            place = place.with_slot(slot, name, value)
        return place

    def with_slot(self, slot: int, name: str, value: Expression) -> Place:
        def wrap(body: Expression) -> Expression:
            return self.wrap(nodes.Let((slot,), (name,), (value,), body, body.span))

        return Place(wrap, self.slots | {slot: (value, self)}, self.parent, self.bindings)

    def with_value(self, slot: int, name: str, value: Value, span: Span) -> Place:
        """A bound name that stands for an element of a set."""
        inner = self.with_slot(slot, name, nodes.Literal(value, span))
        return replace(inner, bindings=(*self.bindings, (name, show(value))))

    def within(self, call: nodes.Call) -> Place:
        definition = call.definition

        def wrap(body: Expression) -> Expression:
            return self.wrap(nodes.Call(replace(definition, body=body), call.args, call.depth, call.span))

        slots = {slot: (argument, self) for slot, argument in enumerate(call.args)}
        return Place(wrap, slots, self.up(call.depth) if definition.nested else None, self.bindings)


def as_it_is(body: Expression) -> Expression:
    return body


class Levels:
    """What an expression depends on, with what stands in its slots."""

    def __init__(self) -> None:
        self.inside: set[nodes.Definition] = set()

    def of(self, node: Node, place: Place) -> int:
        match node:
            case nodes.Local(depth, slot) | nodes.LocalOperator(depth, slot):
                return self.of_slot(place.up(depth).slots.get(slot))
            case nodes.CallLocal(depth, slot):
                return max(self.of_slot(place.up(depth).slots.get(slot)), self.of_parts(node, place))
            case nodes.Temporal():
                return TEMPORAL
            case nodes.Variable() | nodes.Unchanged():
                return level(node)
            case nodes.BoxAction() | nodes.AngleAction() | nodes.Cdot():
                return max(ACTION, self.of_parts(node, place))
            case nodes.Enabled(action):
                return TEMPORAL if self.of(action, place) == TEMPORAL else STATE
            case nodes.Call(definition, _, depth) | nodes.OperatorArgument(definition, depth):
                return max(self.of_definition(definition, depth, place), self.of_parts(node, place))
        return self.of_parts(node, place)

    def of_parts(self, node: Node, place: Place) -> int:
        return max((self.of(part, place) for part in children(node)), default=CONSTANT)

    def of_slot(self, found: tuple[nodes.Argument, Place] | None) -> int:
        """A slot that nothing around it has filled is filled inside, with elements of a set."""
        return CONSTANT if found is None else self.of(*found)

    def of_definition(self, definition: nodes.Definition, depth: int, place: Place) -> int:
        """Without its arguments. What a recursive definition adds by calling itself is added anyway."""
        if definition in self.inside or definition.body is None:
            return CONSTANT
        if not definition.nested:
            return level(definition.body)
        self.inside.add(definition)
        try:
            return self.of(definition.body, Place(as_it_is, {}, place.up(depth)))
        finally:
            self.inside.remove(definition)


def is_closed(node: Expression) -> bool:
    """Whether it means the same wherever it stands. It may be, if the answer is no."""
    return not any(map(_speaks_of_frame, nodes_of(node)))


def _speaks_of_frame(node: Node) -> bool:
    match node:
        case nodes.Local() | nodes.LocalOperator() | nodes.CallLocal():
            return True
        case nodes.Call(definition) | nodes.OperatorArgument(definition):
            return definition.nested
        case _:
            return False
