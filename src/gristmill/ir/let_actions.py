"""Definitions in a LET that are part of an action: `LET Grow == x' = x + 1 IN Grow \\/ …`.

Where such a name stands for an action, it is solved like one: it gives variables their next values, and each way to
satisfy it counts, as in TLC. So it is no value to be evaluated once and kept: its body is lowered wherever it is used.
"""

from __future__ import annotations

from gristmill.ir.action_shapes import places_of_actions, speaks_of_steps
from gristmill.ir.levels import ACTION
from gristmill.modules.specification import Specification
from gristmill.modules.symbols import Operator
from gristmill.syntax import tree

_RELATIONS = {"=", "\\in", "\\subseteq", "UNCHANGED"}


def is_solved(specification: Specification, symbol: Operator, let: tree.Let) -> bool:
    """Whether it matters that a definition of a LET, without parameters, is solved and not evaluated."""
    if symbol.recursive or not isinstance(symbol.definition, tree.OperatorDefinition):
        return False
    if symbol.level == ACTION:
        return _Forms(specification, assigns=True).any_in(symbol.body)
    return (
        symbol.level < ACTION
        and _Forms(specification, assigns=False).any_in(symbol.body)
        and speaks_of_steps(specification, let.body)
        and _is_part(specification, symbol, let.body, {symbol})
    )


def _is_part(specification: Specification, symbol: Operator, node: tree.Expression, seen: set[Operator]) -> bool:
    """Whether a definition stands somewhere in a formula where an action may stand, also by way of others."""
    match node:
        case tree.Apply(operator) | (tree.Name() as operator):
            found = specification.symbol_of(operator)
            if found is symbol:
                return True
            if isinstance(found, Operator) and isinstance(found.definition, tree.OperatorDefinition):
                if found in seen:
                    return False
                seen.add(found)
                return _is_part(specification, symbol, found.body, seen)
    return any(_is_part(specification, symbol, part, seen) for part in places_of_actions(node))


class _Forms:
    """Looks for what can be satisfied in several ways and, with `assigns`, for what may give a variable a value."""

    def __init__(self, specification: Specification, assigns: bool) -> None:
        self.specification, self.assigns = specification, assigns
        self.seen: set[Operator] = set()  # there may be many ways to a definition, and it may be recursive

    def any_in(self, node: tree.Expression) -> bool:
        match node:
            case tree.Quantified("\\E") | tree.Junction("\\/") | tree.Apply(tree.Name("\\/")):
                return True
            case tree.Apply(tree.Name(name)) if name in _RELATIONS:
                return self.assigns
            case tree.Apply(operator) | (tree.Name() as operator):
                symbol = self.specification.symbol_of(operator)
                if isinstance(symbol, Operator) and isinstance(symbol.definition, tree.OperatorDefinition):
                    if symbol in self.seen:
                        return False
                    self.seen.add(symbol)
                    return self.any_in(symbol.body)
        return any(self.any_in(part) for part in places_of_actions(node))
