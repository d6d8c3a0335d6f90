"""Connections and their ends. A connection has two ends, each a transport on one node, and two lanes.

Closing sends `end`; a crash or a fault sends `reset`.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gristmill.controlled.network import Address, Lane, PacketKind

if TYPE_CHECKING:
    from gristmill.controlled.node import Node


class Connection:
    """Two ends and their lanes. `number` counts the connections from one node to another."""

    def __init__(self, client: Node, server: Node, number: int, port: int) -> None:
        self.client, self.server = client, server
        self.key = f"{client.name}-{server.name} {number}"
        self.port = port
        self.client_port = client.stream_ports.bind(0, self)
        self.to_server, self.to_client = Lane(), Lane()
        self.client_address: Address = (client.host, self.client_port)
        self.server_address: Address = (server.host, port)
        self.ends: list[StreamTransport] = []
        self.broken = False
        client.connections[self] = None

    @property
    def nodes(self) -> tuple[Node, Node]:
        return self.client, self.server

    @property
    def established(self) -> bool:
        return not self.broken and len(self.ends) == 2 and all(end.is_open for end in self.ends)

    def end_of(self, at_server: bool) -> StreamTransport | None:
        """The transport at one side, if its node still has it open."""
        return next((end for end in self.ends if end.at_server == at_server and end.is_open), None)

    def reset(self) -> None:
        """Everything in flight is lost, and each end learns of it in its own time."""
        self.broken = True
        network = self.client.network
        for lane in (self.to_server, self.to_client):
            network.discard_lane(lane)
            lane.paused = False
        for at_server in (False, True):
            self.tell(at_server, "reset")

    def lose(self, crashed: Node) -> None:
        """The process at one side is gone, and its system says so; what it had sent is still on its way."""
        at_server = crashed is self.server
        unread = self.to_server if at_server else self.to_client
        kind: PacketKind = "reset" if unread.packets else "end"
        self.client.network.discard_lane(unread)
        self.tell(not at_server, kind)

    def tell(self, at_server: bool, kind: PacketKind) -> None:
        """A packet that the system of the other side sends, not its program."""

        def arrive(data: bytes) -> None:
            end = self.end_of(at_server)
            if end is not None:
                end.receive(kind, data)

        target, other = (self.server, self.client) if at_server else (self.client, self.server)
        lane = self.to_server if at_server else self.to_client
        target.network.send(other, target, kind, b"", arrive, lane, by_system=True)

    def release(self) -> None:
        self.client.connections.pop(self, None)
        self.client.stream_ports.release(self.client_port, self)


class StreamTransport(asyncio.Transport):
    """One end of a connection."""

    def __init__(
        self,
        connection: Connection,
        node: Node,
        protocol: asyncio.BaseProtocol,
        at_server: bool,
        on_lost: Callable[[], None],
    ) -> None:
        super().__init__()
        self.node = node
        self.connection = connection
        self.incarnation = node.incarnation
        self.at_server = at_server
        self._on_lost = on_lost
        self._loop = node.loop
        self._protocol = protocol
        self._closing = False
        self._lost = False
        self._end_sent = False
        connection.ends.append(self)
        node.connections[connection] = None

    # What the program calls.

    def write(self, data: Any) -> None:
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"data argument must be a bytes-like object, not {type(data).__name__!r}")
        if self._closing or self.connection.broken or not data:
            return
        if self._end_sent:
            raise RuntimeError("Cannot call write() after write_eof()")
        self._send("data", bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        if not self._closing and not self._end_sent:
            self._end_sent = True
            self._send("end")

    def can_write_eof(self) -> bool:
        return True

    def close(self) -> None:
        if self._closing:
            return
        self._closing = True
        if not self._end_sent:
            self._end_sent = True
            self._send("end")
        self._incoming.paused = False  # what still comes is thrown away
        self._loop.call_soon(self._lose, None)

    def abort(self) -> None:
        if self._closing:
            return
        self._closing = True
        self._incoming.paused = False
        if not self.connection.broken:
            self._send("reset")
        self._loop.call_soon(self._lose, None)

    def is_closing(self) -> bool:
        return self._closing

    def pause_reading(self) -> None:
        self._incoming.paused = not self._closing

    def resume_reading(self) -> None:
        self._incoming.paused = False

    def is_reading(self) -> bool:
        return not self._closing and not self._incoming.paused

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """What is written is in flight at once; nothing waits in a buffer."""

    def get_write_buffer_size(self) -> int:
        return 0

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return (16384, 65536)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        ours, theirs = self.connection.client_address, self.connection.server_address
        if self.at_server:
            ours, theirs = theirs, ours
        return {"sockname": ours, "peername": theirs}.get(name, default)

    # What arrives.

    def made(self) -> None:
        self._incoming.paused = False
        self._protocol.connection_made(self)

    def arrive_data(self, data: bytes) -> None:
        if self._closing:
            return
        protocol = self._protocol
        if isinstance(protocol, asyncio.BufferedProtocol):
            self._fill(protocol, data)
        else:
            protocol.data_received(data)  # type: ignore[attr-defined]

    def _fill(self, protocol: asyncio.BufferedProtocol, data: bytes) -> None:
        while data:
            buffer = memoryview(protocol.get_buffer(len(data)))
            size = min(len(buffer), len(data))
            buffer[:size] = data[:size]
            protocol.buffer_updated(size)
            data = data[size:]

    def arrive_end(self, _: bytes) -> None:
        if not self._closing and not self._protocol.eof_received():  # type: ignore[attr-defined]
            self.close()

    def arrive_reset(self, _: bytes) -> None:
        if not self._lost:
            self._closing = True
            self._lose(ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)))

    def _lose(self, error: Exception | None) -> None:
        if self._lost:
            return
        self._lost = True
        self.node.connections.pop(self.connection, None)
        self._on_lost()
        self._protocol.connection_lost(error)

    # The lanes.

    @property
    def _incoming(self) -> Lane:
        return self.connection.to_server if self.at_server else self.connection.to_client

    def _send(self, kind: PacketKind, data: bytes = b"") -> None:
        connection = self.connection
        peer = connection.client if self.at_server else connection.server
        lane = connection.to_client if self.at_server else connection.to_server
        self.node.network.send(self.node, peer, kind, data, lambda data: self._hand_over(kind, data), lane)

    def _hand_over(self, kind: PacketKind, data: bytes) -> None:
        end = self.connection.end_of(not self.at_server)
        if end is not None:
            end.receive(kind, data)
        elif kind == "data" and self.is_open and not self.connection.broken:
            self.connection.tell(self.at_server, "reset")  # that end is no longer read

    def receive(self, kind: PacketKind, data: bytes) -> None:
        arrivals = {"data": self.arrive_data, "end": self.arrive_end, "reset": self.arrive_reset}
        self._loop.io_event(arrivals[kind], data)

    @property
    def is_open(self) -> bool:
        return not self._lost and self.node.up and self.node.incarnation == self.incarnation
