"""The gossip library `aiogossip`, as it is on PyPI: what is published reaches every peer that is connected.

gristmill explore examples/explore/aiogossip_publish.py --crashes 1
"""

from __future__ import annotations

import asyncio

from aiogossip import Message, Peer
from aiogossip.concurrency.mutex import MUTEX

from gristmill.controlled import Node, World

PORT = 7000
NAMES = ("hub", "east", "west")


def program(world: World) -> None:
    """East and west know the hub only; east publishes when it has learned of west."""
    world.describe = describe
    MUTEX.clear()  # a table of the library that would grow from run to run
    received: dict[str, list[bytes]] = {name: [] for name in NAMES}
    peers: dict[Node, Peer] = {}

    async def start(node: Node) -> Peer:
        peer = Peer(host=node.host, port=PORT, peer_id=node.name)
        peers[node] = peer

        @peer.subscribe("news")
        async def on_news(message: Message) -> None:
            received[node.name].append(message.payload)
            world.note(f"received {message.payload.decode()}")

        if node.name != "hub":
            peer.connect(f"hub@10.0.0.1:{PORT}")
        return peer

    async def listen(node: Node) -> None:
        await start(node)

    async def publish(node: Node) -> None:
        await asyncio.sleep(1.0)
        peer = await start(node)
        await asyncio.sleep(10.0)
        known = sorted(name.decode() for name in peer.nodes)
        world.note(f"knows {', '.join(known)}")
        message = Message(payload=b"hello")
        message.kind.append(Message.Kind.PUB)
        message.routing.src_id = peer.peer_id
        await peer.publish("news", message)
        await asyncio.sleep(10.0)
        if not any(world.used.values()):
            for name in set(known) - {node.name}:
                assert received[name], f"{node.name} knows {name}, and {name} has not received what it published"

    def everybody_listens() -> None:
        deaf = [node.name for node, peer in peers.items() if node.up and not peer.task_manager.tasks]
        assert not deaf, f"the task in which {deaf[0]} receives messages has ended"

    world.always("every peer listens", everybody_listens)
    world.node("hub", listen, daemon=True)
    world.node("west", listen, daemon=True)
    world.node("east", publish, may_crash=False)


def describe(data: bytes) -> str:
    message = Message.FromString(data)
    kinds = "+".join(Message.Kind.Name(kind) for kind in message.kind)
    return f"{kinds} {message.topic[:12]} {message.payload.decode()}".strip()
