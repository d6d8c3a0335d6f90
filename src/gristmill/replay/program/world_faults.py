"""What can be done to an asyncio program.

start kill restart    a node (kill: `lose` = "from" or "both": what it had sent does not arrive; it does otherwise)
cut heal              two nodes (`to`): connections between them break, and there are no others until they heal
reset                 two nodes (`to`): connections between them break
drop duplicate        a datagram that is held
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.controlled import Node
from gristmill.controlled.network import Packet
from gristmill.replay.driver import DriverError
from gristmill.replay.program.stage import Actor, check_lose

KINDS = ("start", "kill", "restart", "cut", "heal", "reset", "drop", "duplicate")


def do(kind: str, node: Node | None, other: Node | None, details: Mapping[str, Any], actor: Actor | None) -> None:
    """Inside of the world. Raises `DriverError`."""
    if kind in ("drop", "duplicate"):
        _hit(kind, actor)
        return
    if node is None:
        raise DriverError(f"`{kind}` needs a node", 'on = "…" names it')
    if kind in ("start", "kill", "restart"):
        _of_node(kind, node, check_lose(details))
        return
    if other is None or other is node:
        raise DriverError(f"`{kind}` needs two nodes", 'with = { to = "…" } names the other one')
    network = node.network
    {"cut": network.cut, "heal": network.mend, "reset": network.break_connections}[kind](node, other)


def _of_node(kind: str, node: Node, lose: str) -> None:
    if kind != "restart" and node.up == (kind == "start"):
        raise DriverError(f"`{kind}`: node {node.name} is {'running' if node.up else 'down'} already")
    if node.up:
        node.crash()
        if lose in ("from", "both"):
            node.network.lose_sent(node)
    if kind != "kill" and node.has_crashed:
        node.restart()
    elif kind != "kill":
        node.start()


def _hit(kind: str, actor: Actor | None) -> None:
    packet = None if actor is None else actor.key
    if not isinstance(packet, Packet):
        raise DriverError(f"`{kind}` hits nothing that is held")
    if packet.lane is not None:
        text = f"`{kind}`: {packet.key} is part of a connection, which neither loses nor doubles anything"
        raise DriverError(text, 'fault = "reset" breaks the connections between two nodes')
    network = packet.sender.network
    if kind == "drop":
        network.take(packet)
    else:
        network.duplicate(packet)
