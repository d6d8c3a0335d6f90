"""Whether an action looks at messages otherwise than a node can: at those of others, or at all there are."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.ir.walk import Node, children, reachable

_KEEPS = ("\\cup", "\\union", "\\")  # operators of sets by which messages are added or taken away


def looks_elsewhere(action: Action, network: int) -> bool:
    """Allowed are the set that the parameters are chosen from, and what the next set of messages is made of."""
    chosen = [bound.domain for bound in parameter_bounds(action)]
    looked_at = reachable(action.code.body, below=lambda node: _below(node, network, chosen))
    return any(_is_network(node, network) for node in looked_at)


def parameter_bounds(action: Action) -> Iterator[nodes.Bound]:
    """Of the quantifiers that choose the parameters."""
    slots = {each.slot for _, each in action.parameters if isinstance(each, nodes.Local) and each.depth == 0}
    node: Node = action.code.body
    while isinstance(node, nodes.Quantified | nodes.Disjunct):
        if isinstance(node, nodes.Quantified):
            yield from (bound for bound in node.bounds if set(bound.slots) <= slots)
        node = node.body


def _below(node: Node, network: int, chosen: list[nodes.Expression | None]) -> list[Node]:
    """Where else to look: not at the domains of parameters, nor at what only stays in the set."""
    if isinstance(node, nodes.Equal) and _is_network(node.left, network, primed=True):
        return list(_added(node.right, network))
    return [child for child in children(node) if not any(child is each for each in chosen)]


def _added(node: Node, network: int) -> Iterator[Node]:
    if _is_network(node, network):
        return
    if isinstance(node, nodes.Primitive) and node.operator.name in _KEEPS:
        for each in node.args:
            yield from _added(each, network)
    else:
        yield node


def _is_network(node: Node, network: int, primed: bool = False) -> bool:
    return isinstance(node, nodes.Variable) and node.index == network and node.primed == primed
