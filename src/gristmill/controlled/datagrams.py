"""Datagram endpoints: `loop.create_datagram_endpoint`, and what datagram sockets share with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gristmill.controlled.network import WILDCARDS, Address

if TYPE_CHECKING:
    from gristmill.controlled.node import Node

_LARGEST_DATAGRAM = 65507


class Endpoint:
    """A bound datagram port of a node. `receive(data, address)` is called as an I/O callback of its loop."""

    def __init__(self, node: Node, local: Address, receive: Callable[[bytes, Address], None]) -> None:
        self.node = node
        self.receive = receive
        self.host = local[0]
        self.incarnation = node.incarnation
        self.port = node.datagram_ports.bind(local[1], self)

    @property
    def address(self) -> Address:
        return (self.host, self.port)

    def send(self, data: bytes, target: Address) -> None:
        if len(data) > _LARGEST_DATAGRAM:
            raise OSError(90, "Message too long")
        network = self.node.network
        receiver = network.find(self.node, target[0])
        if receiver is None:  # unknown address: the datagram is lost, as on a network
            return
        source = (self.node.host if receiver is not self.node else target[0], self.port)
        port = target[1]
        network.send(self.node, receiver, "datagram", data, lambda data: arrive(receiver, port, data, source))

    def close(self) -> None:
        if self.node.incarnation == self.incarnation:
            self.node.datagram_ports.release(self.port, self)


def arrive(receiver: Node, port: int, data: bytes, source: Address) -> None:
    endpoint = receiver.datagram_ports.get(port) if receiver.up else None
    if endpoint is not None:
        receiver.loop.io_event(endpoint.receive, data, source)


class DatagramTransport(asyncio.DatagramTransport):
    def __init__(self, node: Node, local: Address, remote: Address | None, protocol: asyncio.DatagramProtocol) -> None:
        super().__init__()
        self._endpoint = Endpoint(node, local, self._receive)
        self._remote = remote
        self._protocol: asyncio.BaseProtocol = protocol
        self._loop = node.loop
        self._closing = False

    def _receive(self, data: bytes, source: Address) -> None:
        if not self._closing:
            self._protocol.datagram_received(data, source)  # type: ignore[attr-defined]

    def sendto(self, data: Any, addr: Any = None) -> None:
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"data argument must be a bytes-like object, not {type(data).__name__!r}")
        target = addr or self._remote
        if target is None:
            raise ValueError("an address is needed: the endpoint has no remote address")
        if self._remote is not None and addr not in (None, self._remote):
            raise ValueError(f"Invalid address: must be None or {self._remote}")
        if not self._closing:
            self._endpoint.send(bytes(data), (str(target[0]), int(target[1])))

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._endpoint.close()
            self._loop.call_soon(self._protocol.connection_lost, None)

    abort = close

    def is_closing(self) -> bool:
        return self._closing

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "sockname":
            return self._endpoint.address
        return self._remote if name == "peername" else default


def local_address(node: Node, wanted: Address | None) -> Address:
    """Where to bind; a host that is not this node's is refused as the system would."""
    host, port = wanted or ("0.0.0.0", 0)
    if host not in WILDCARDS and node.network.find(node, host) is not node:
        raise OSError(99, f"Cannot assign requested address: {host} is not an address of node {node.name}")
    return (host or "0.0.0.0", port)
