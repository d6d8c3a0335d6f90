"""What may stand in a temporal formula: expressions that mean the same whenever they are evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.ir import nodes
from gristmill.ir.levels import CONSTANT, level
from gristmill.ir.nodes import Expression
from gristmill.ir.walk import reachable
from gristmill.library.effects import STEADY, STEADY_OR_SEEN


def is_pure(body: Expression) -> bool:
    """Nothing happens when it is evaluated, and its value depends on nothing but the states."""
    return all(each.operator.does_only(STEADY) for each in _primitives(body))


def unsteady(body: Expression) -> nodes.Primitive | nodes.PrimitiveOperator | None:
    """A part whose value is a matter of when or how often it is evaluated: TLCGet, RandomElement, JavaTime, …"""
    for each in _primitives(body, into_constants=False):
        if not each.operator.does_only(STEADY_OR_SEEN):
            return each
    return None


def _is_kept(definition: nodes.Definition) -> bool:
    """Constants are evaluated once, unless what they ask for is the search: a random one does not change."""
    if definition.arities or definition.nested or level(definition.body) != CONSTANT:
        return False
    return all(each.operator.repetition != "always" for each in _primitives(definition.body))


def speaks_of_other_variables(body: Expression, variables: int) -> bool:
    """Whether an ENABLED has next values of variables that are none of the specification's."""
    return any(isinstance(node, nodes.Variable) and node.index >= variables for node in reachable(body))


def _primitives(
    body: Expression | None, into_constants: bool = True
) -> Iterator[nodes.Primitive | nodes.PrimitiveOperator]:
    for node in reachable(body, into=lambda node: into_constants or not _is_kept(node.definition)):
        if isinstance(node, nodes.Primitive | nodes.PrimitiveOperator):
            yield node
