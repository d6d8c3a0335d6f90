"""The distributed hash table `kademlia`, as it is on PyPI: a value that was stored can be read from another node.

gristmill explore examples/explore/kademlia_store.py --drops 2
"""

from __future__ import annotations

import umsgpack
from kademlia.network import Server

from gristmill.controlled import Node, World

PORT = 8468
KSIZE = 2


def program(world: World) -> None:
    """Two servers and a client that joins them, stores a value, and reads it again."""
    world.describe = describe

    async def first(node: Node) -> None:
        await Server(ksize=KSIZE, node_id=identity(1)).listen(PORT)

    async def second(node: Node) -> None:
        server = Server(ksize=KSIZE, node_id=identity(2))
        await server.listen(PORT)
        await server.bootstrap([("10.0.0.1", PORT)])

    async def client(node: Node) -> None:
        server = Server(ksize=KSIZE, node_id=identity(3))
        await server.listen(PORT)
        await server.bootstrap([("10.0.0.1", PORT)])
        stored = await server.set("key", "value")
        world.note(f"set returned {stored}")
        found = await server.get("key")
        world.note(f"get returned {found!r}")
        if stored and world.used["drop"] == 0 and world.used["crash"] == 0:
            assert found == "value", f"set returned {stored}, get returned {found!r}"

    world.node("one", first, daemon=True)
    world.node("two", second, daemon=True)
    world.node("client", client, may_crash=False)


def identity(number: int) -> bytes:
    """Node identifiers far from one another."""
    return bytes([number * 64]) + bytes(19)


def describe(data: bytes) -> str:
    """A datagram of rpcudp: a call or an answer, an identifier, and MessagePack."""
    content = umsgpack.unpackb(data[21:])
    if data[:1] == b"\x00":
        return f"{content[0]}?"
    return "answer" if not isinstance(content, dict) else f"value {content.get('value')!r}"
