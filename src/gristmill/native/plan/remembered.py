"""Definitions whose value native code finds once for each state."""

from __future__ import annotations

from gristmill.evaluate.dependencies import CURRENT, Analysis
from gristmill.ir.nodes import Call, Choose, FunctionLiteral, Quantified, SetFilter, SetMap
from gristmill.ir.walk import reachable

_LOOPS = frozenset((Quantified, Choose, SetFilter, SetMap, FunctionLiteral))


def is_remembered(node: Call, analysis: Analysis) -> bool:
    """A definition without parameters that tells something about this state, with some effort: it has a loop.

    Not a version of one with parameters: there may be many of them, each called in but one place.
    """
    definition = node.definition
    if (
        definition.arities
        or definition.nested
        or definition.is_version
        or analysis.definition_bits(definition) != CURRENT
    ):
        return False
    return any(type(each) in _LOOPS for each in reachable(definition.body))
