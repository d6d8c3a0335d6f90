"""`socket.socket` for programs that open one and give it to the loop (`loop.sock_recvfrom` and its like)."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections import deque
from typing import TYPE_CHECKING, Any

from gristmill.controlled.datagrams import Endpoint, local_address
from gristmill.controlled.errors import here
from gristmill.controlled.network import Address

if TYPE_CHECKING:
    from gristmill.controlled.node import Node


class VirtualSocket:
    """A datagram socket on the virtual network."""

    def __init__(self, node: Node, family: int = socket.AF_INET, proto: int = 0) -> None:
        self.node = node
        self.family = family
        self.type = socket.SOCK_DGRAM
        self.proto = proto
        self.waiting: deque[asyncio.Future[tuple[bytes, Address]]] = deque()
        self._endpoint: Endpoint | None = None
        self._remote: Address | None = None
        self._received: deque[tuple[bytes, Address]] = deque()
        self._blocking = True
        self._closed = False

    def bind(self, address: Any) -> None:
        self._check_open()
        self._endpoint = Endpoint(self.node, local_address(self.node, (address[0], address[1])), self._receive)

    def connect(self, address: Any) -> None:
        self._remote = (address[0], address[1])

    def setblocking(self, flag: bool) -> None:
        self._blocking = flag

    def settimeout(self, seconds: float | None) -> None:
        self._blocking = seconds != 0

    def gettimeout(self) -> float | None:
        return None if self._blocking else 0.0

    def setsockopt(self, *arguments: Any) -> None:
        """Options of the system's sockets mean nothing here."""

    def getsockopt(self, *arguments: Any) -> int:
        return 0

    def fileno(self) -> int:
        return -1

    def getsockname(self) -> Address:
        return self._endpoint.address if self._endpoint is not None else ("0.0.0.0", 0)

    def getpeername(self) -> Address:
        if self._remote is None:
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
        return self._remote

    def sendto(self, data: Any, *arguments: Any) -> int:
        self._check_open()
        address = arguments[-1]
        if self._endpoint is None:
            self.bind(("0.0.0.0", 0))
        assert self._endpoint is not None
        self._endpoint.send(bytes(data), (address[0], address[1]))
        return len(data)

    def send(self, data: Any, flags: int = 0) -> int:
        return self.sendto(data, self.getpeername())

    def recvfrom(self, size: int, flags: int = 0) -> tuple[bytes, Address]:
        self._check_open()
        if not self._received:
            if self._blocking:
                self.node.world.report_uncontrolled("a socket is waited for outside the event loop", here())
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        data, source = self._received.popleft()
        return data[:size], source

    def recv(self, size: int, flags: int = 0) -> bytes:
        return self.recvfrom(size, flags)[0]

    def close(self) -> None:
        self._closed = True
        if self._endpoint is not None:
            self._endpoint.close()

    def detach(self) -> int:
        return -1

    def __enter__(self) -> VirtualSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self, data: bytes, source: Address) -> None:
        if self._closed:
            return
        while self.waiting:
            future = self.waiting.popleft()
            if not future.done():
                future.set_result((data, source))
                return
        self._received.append((data, source))

    def _check_open(self) -> None:
        if self._closed:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def open_socket(
    node: Node, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None
) -> VirtualSocket | None:
    """What `socket.socket(…)` gives in the code of a node; None, if it is let through to the real thing.

    Stream sockets are made by the loop alone; others are not controlled.
    """
    if family in (socket.AF_INET, socket.AF_INET6, -1) and type == socket.SOCK_DGRAM and fileno is None:
        return VirtualSocket(node, socket.AF_INET if family == -1 else family, max(proto, 0))
    node.world.report_uncontrolled("a real socket is opened", here())
    return None
