"""Ports on loopback that are free."""

from __future__ import annotations

import random
import socket
import sys

from gristmill.source import Span
from gristmill.systems.running.failing import DriverError

HOST = "127.0.0.1"
_LOWEST, _HIGHEST = 10_000, 32_000  # below those that the system gives to clients


def is_free(port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
        except OSError:
            return False
    return True


def _claimed(port: int) -> socket.socket | None:
    """A sign for other replays, up to the end of this one: nodes listen at their ports only when they have started.

    It is a name in the kernel, which leaves nothing behind; elsewhere than on Linux there is none. None: it is theirs.
    """
    sign = socket.socket(socket.AF_UNIX)
    if sys.platform == "linux":
        try:
            sign.bind(f"\0gristmill-replay-port-{port}")
        except OSError:
            sign.close()
            return None
    return sign


class Ports:
    """Hands out each port once."""

    def __init__(self) -> None:
        self._taken: dict[int, socket.socket] = {}
        self._random = random.Random()  # of the system: two replays side by side must not try the same ports

    def free(self) -> int:
        for _ in range(1_000):
            port = self._random.randrange(_LOWEST, _HIGHEST)
            if self._take(port):
                return port
        raise DriverError("no free port was found on loopback", "end what listens there, or wait for it")

    def fixed(self, port: int, span: Span | None = None) -> int:
        if not self._take(port):
            help = "another replay may run: end it, or leave the number out and a free port is taken"
            raise DriverError(f"port {port} on {HOST} is taken", help, span)
        return port

    def _take(self, port: int) -> bool:
        if port in self._taken or not is_free(port):
            return False
        sign = _claimed(port)
        if sign is not None:
            self._taken[port] = sign
        return sign is not None

    def end(self) -> None:
        """All are free again."""
        for sign in self._taken.values():
            sign.close()
        self._taken.clear()
