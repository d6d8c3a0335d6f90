"""Definitions in a LET that are part of an action: `LET Grow == x' = x + 1 IN Grow \\/ …`.

Where such a name stands for an action, it is solved like one: it gives variables their next values, and each way to
satisfy it counts, as in TLC. So it is no value to be evaluated once and kept: its body is lowered wherever it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gristmill.ir.levels import ACTION
from gristmill.modules.specification import Specification
from gristmill.modules.symbols import Operator, Variable
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
    return any(_is_part(specification, symbol, part, seen) for part in _places_of_actions(node))


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
        return any(self.any_in(part) for part in _places_of_actions(node))


def _places_of_actions(node: tree.Expression) -> Iterator[tree.Expression]:
    """The parts of a formula in which an action may stand, if it is one."""
    match node:
        case tree.Parens(body) | tree.Labelled(_, _, body) | tree.Let(_, body) | tree.Quantified(_, _, body):
            yield body
        case tree.Junction(_, items) | tree.Apply(tree.Name("/\\" | "\\/"), items):
            yield from items
        case tree.Apply(tree.Name("=>"), (_, right)):
            yield right
        case tree.If(_, then, otherwise):
            yield from (then, otherwise)
        case tree.Case(arms):
            yield from (arm.value for arm in arms)


def speaks_of_steps(specification: Specification, node: Any) -> bool:
    if isinstance(node, tree.Name):
        symbol = specification.symbol_of(node)
        return node.name in ("'", "UNCHANGED") or (isinstance(symbol, Operator) and symbol.level == ACTION)
    return any(speaks_of_steps(specification, part) for part in _parts(node))


def changed_variables(specification: Specification, node: Any) -> set[Variable]:
    """The variables whose next values a formula speaks of, also in definitions that it names (not in parameters)."""
    return _Changed(specification).in_formula(node)


class _Changed:
    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.seen: set[tuple[Operator, bool]] = set()

    def in_formula(self, node: Any, primed: bool = False) -> set[Variable]:
        match node:
            case tree.Apply(tree.Name("'" | "UNCHANGED"), args):
                return self.in_formula(args, True)
            case tree.Name():
                return self.in_symbol(self.specification.symbol_of(node), primed)
        return set().union(*(self.in_formula(part, primed) for part in _parts(node)))

    def in_symbol(self, symbol: object, primed: bool) -> set[Variable]:
        if isinstance(symbol, Variable):
            return {symbol} if primed else set()
        if not isinstance(symbol, Operator) or (symbol, primed) in self.seen or symbol.definition is None:
            return set()
        self.seen.add((symbol, primed))
        return self.in_formula(symbol.definition.body, primed)


def _parts(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple):
        yield from node
    elif type(node).__module__ == tree.__name__:
        yield from (getattr(node, name) for name in node.__match_args__ if not name.endswith("span"))
