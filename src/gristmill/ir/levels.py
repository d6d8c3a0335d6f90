"""What a lowered expression depends on: nothing (0), this state (1), this and the next (2), whole behaviours (3)."""

from __future__ import annotations

from typing import assert_never

from gristmill.ir import nodes
from gristmill.ir.walk import Node, children

CONSTANT, STATE, ACTION, TEMPORAL = range(4)


def level(expression: Node | None) -> int:
    """The level of an expression, with the definitions it calls. Locals count as constant: their values stay."""
    return CONSTANT if expression is None else _Levels().of(expression)


class _Levels:
    def __init__(self) -> None:
        self.known: dict[nodes.Definition, int] = {}

    def of(self, node: Node) -> int:
        if isinstance(node, nodes.ValueForm):
            return self.of_parts(node)
        match node:
            case nodes.Variable(_, primed):
                return ACTION if primed else STATE
            case nodes.Unchanged() | nodes.BoxAction() | nodes.AngleAction() | nodes.Cdot():
                return ACTION
            case nodes.Temporal():
                return TEMPORAL
            case nodes.Enabled():
                return STATE
            case nodes.Call(definition) | nodes.OperatorArgument(definition):
                return max(self.of_definition(definition), self.of_parts(node))
            case nodes.Literal() | nodes.Local() | nodes.LocalOperator() | nodes.PrimitiveOperator():
                return CONSTANT
            case nodes.Primitive() | nodes.CallLocal() | nodes.FunctionApply() | nodes.Bound() | nodes.Update():
                return self.of_parts(node)
            case nodes.Disjunct():
                return self.of_parts(node)
            case nodes.And() | nodes.Or() | nodes.Not() | nodes.Implies() | nodes.Equivalent() | nodes.Quantified():
                return self.of_parts(node)
            case nodes.Equal() | nodes.Member() | nodes.If() | nodes.Case() | nodes.Let():
                return self.of_parts(node)
            case _:
                assert_never(node)

    def of_parts(self, node: Node) -> int:
        return max((self.of(part) for part in children(node)), default=CONSTANT)

    def of_definition(self, definition: nodes.Definition) -> int:
        """A recursive definition has the level of what its body says besides the recursion."""
        if definition not in self.known:
            self.known[definition] = CONSTANT
            self.known[definition] = CONSTANT if definition.body is None else self.of(definition.body)
        return self.known[definition]
