"""Formulas with other expressions in some places, also in the definitions that they call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from gristmill.ir import nodes
from gristmill.ir.nodes import Code, Definition
from gristmill.ir.walk import Node, definitions, reachable, rebuilt

N = TypeVar("N", bound=Node)


class Rewriter:
    """Puts `change(node)` in the place of every node, from the leaves up.

    A definition that a change reaches gets a copy; all others stay the same objects. So what was rewritten by one
    rewriter shares definitions as before.
    """

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self._change = change
        self._copies: dict[Definition, Definition] = {}
        self._is_reached: dict[Definition, bool] = {}

    def code(self, code: Code) -> Code:
        body = self.node(code.body)
        return code if body is code.body else replace(code, body=body)

    def node(self, node: N) -> N:
        made: Any = rebuilt(node, self.node)
        if isinstance(made, nodes.Call | nodes.OperatorArgument):
            definition = self._definition(made.definition)
            if definition is not made.definition:
                made = replace(made, definition=definition)
        found: N = self._change(made)
        return found

    def _definition(self, definition: Definition) -> Definition:
        if not self._reaches(definition):
            return definition
        copy = self._copies.get(definition)
        if copy is None:
            copy = self._copies[definition] = replace(definition, identity=None, body=None)
            assert definition.body is not None
            copy.body = self.node(definition.body)  # after the copy is known: a definition may call itself
        return copy

    def _reaches(self, definition: Definition) -> bool:
        """Whether a change would change something in a definition, or in those that it calls."""
        found = self._is_reached.get(definition)
        if found is None:
            bodies = [definition.body, *(each.body for each in definitions(definition.body))]
            inside = (node for body in bodies for node in reachable(body, into=lambda _: False))
            found = self._is_reached[definition] = any(self._change(node) is not node for node in inside)
        return found
