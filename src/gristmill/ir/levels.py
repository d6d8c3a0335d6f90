"""What a lowered expression depends on: nothing (0), this state (1), this and the next (2), whole behaviours (3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from gristmill.ir import nodes

CONSTANT, STATE, ACTION, TEMPORAL = range(4)


def level(expression: Any) -> int:
    """The level of an expression, with the definitions it calls. Locals count as constant: their values stay."""
    return _Levels().of(expression)


class _Levels:
    def __init__(self) -> None:
        self.known: dict[nodes.Definition, int] = {}

    def of(self, node: Any) -> int:
        match node:
            case nodes.Variable(_, primed):
                return ACTION if primed else STATE
            case nodes.Unchanged() | nodes.BoxAction() | nodes.AngleAction() | nodes.Compose():
                return ACTION
            case nodes.Temporal():
                return TEMPORAL
            case nodes.Enabled():
                return STATE
            case nodes.Call(definition) | nodes.OperatorArgument(definition):
                return max(self.of_definition(definition), self.of_parts(node))
            case nodes.Definition():
                return 0
        return self.of_parts(node)

    def of_parts(self, node: Any) -> int:
        return max((self.of(part) for part in parts(node)), default=CONSTANT)

    def of_definition(self, definition: nodes.Definition) -> int:
        """A recursive definition has the level of what its body says besides the recursion."""
        if definition not in self.known:
            self.known[definition] = CONSTANT
            self.known[definition] = self.of(definition.body)
        return self.known[definition]


def parts(node: Any) -> Iterator[Any]:
    """The nodes directly below a node."""
    for field in fields(node):
        if field.compare:
            yield from _nodes_in(getattr(node, field.name))


def _nodes_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _nodes_in(item)
    elif type(value).__module__ == nodes.__name__ and not isinstance(value, nodes.Definition):
        yield value
