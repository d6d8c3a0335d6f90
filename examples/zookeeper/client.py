"""A client of ZooKeeper that writes: just enough of its protocol to create a node."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping

_CREATE = 1
_SESSION_MILLISECONDS = 600_000


def write(node: str, ports: Mapping[str, int], name: int) -> int:
    """Create a node, and wait for the answer: 0, or an error of ZooKeeper's. Raises `OSError` if the server goes."""
    with socket.create_connection(("127.0.0.1", ports["client"]), timeout=600) as connection:
        _send(connection, struct.pack(">iqiq", 0, 0, _SESSION_MILLISECONDS, 0) + _buffer(bytes(16)) + b"\0")
        _receive(connection)
        access = struct.pack(">ii", 1, 31) + _buffer(b"world") + _buffer(b"anyone")
        path = f"/t{name}".encode()
        _send(connection, struct.pack(">ii", 1, _CREATE) + _buffer(path) + _buffer(b"") + access + struct.pack(">i", 0))
        _, _, error = struct.unpack_from(">iqi", _receive(connection))
        return int(error)


def _buffer(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def _send(connection: socket.socket, packet: bytes) -> None:
    connection.sendall(_buffer(packet))


def _receive(connection: socket.socket) -> bytes:
    (length,) = struct.unpack(">i", _exactly(connection, 4))
    return _exactly(connection, length)


def _exactly(connection: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        part = connection.recv(count - len(received))
        if not part:
            raise ConnectionResetError("the server has closed the connection")
        received += part
    return received
