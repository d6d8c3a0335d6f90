"""Small questions about syntax trees, for those who cut and merge them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.modules.symbols import Instance
from gristmill.source import InternalError, Span
from gristmill.syntax import tree


def same_sign(node: tree.Expression, sign: str) -> Sequence[tree.Expression]:
    match node:
        case tree.Junction(operator, items) if operator == sign:
            return items
        case tree.Apply(tree.Name(operator), args) if operator == sign:
            return [part for arg in args for part in same_sign(arg, sign)]
    return (node,)


def closed(node: tree.Expression) -> tree.Expression:
    """In parentheses, where it is not clear that it needs none."""
    if isinstance(node, tree.Name | tree.Parens | tree.SetFilter | tree.SetMap | tree.FunctionApply):
        return node
    return tree.Parens(node, node.span)


def names_in(node: Any) -> set[str]:
    if isinstance(node, tree.Name | tree.NameSegment):
        own = {node.name}
        return own if isinstance(node, tree.Name) else own.union(*(names_in(arg) for arg in node.args))
    if isinstance(node, tuple) and not isinstance(node, Span):
        return set().union(*(names_in(each) for each in node))
    if type(node).__module__ != tree.__name__:
        return set()
    return set().union(*(names_in(getattr(node, each)) for each in type(node).__match_args__))


def names_defined(definition: tree.Definition) -> set[str]:
    if isinstance(definition, tree.Recursive):
        return {param.name for param in definition.params}
    return {definition.name}


def unit_of(instance: Instance) -> tree.Unit:
    for unit in instance.home.node.units:
        if isinstance(unit, tree.InstanceUnit | tree.InstanceDefinition) and unit.instance is instance.node:
            return unit
    raise InternalError("an INSTANCE of no module")
