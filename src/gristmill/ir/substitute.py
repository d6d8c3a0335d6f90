"""Values in the place of names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from gristmill.ir import nodes
from gristmill.ir.walk import Node, rebuilt
from gristmill.values import Value

N = TypeVar("N", bound=Node)


def substituted(node: N, known: Mapping[tuple[int, int], Value]) -> N:
    """An expression with values in the place of names, which are given by depth and slot."""
    if isinstance(node, nodes.Local):
        key = (node.depth, node.slot)
        return nodes.Literal(known[key], node.span) if key in known else node  # type: ignore[return-value]
    return rebuilt(node, lambda child: substituted(child, known))
