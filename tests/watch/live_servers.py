"""Servers and clients for tests of links that are in use: real sockets on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.ring import Ring
from gristmill.watch.recording import Chunk, records_in

HOST = "127.0.0.1"
SECONDS = 60.0  # that anything may take: on a loaded machine, too

Serve = Callable[[socket.socket], None]


def free_port(host: str = HOST) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
        trial.bind((host, 0))
        port: int = trial.getsockname()[1]
        return port


def link_to(port: int, name: str = "x", host: str = HOST) -> Link:
    """A link with a tap at a free port."""
    return Link(name, Address(host, port), Address(host, free_port(host)), node="server")


@contextlib.contextmanager
def serving(serve: Serve, host: str = HOST, port: int = 0) -> Iterator[int]:
    """A server: `serve` is called for each connection, in a thread of its own. Its port."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(1024)
    threads: list[threading.Thread] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=_guarded, args=(serve, connection), daemon=True)
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for thread in threads:
            thread.join(SECONDS)


def _guarded(serve: Serve, connection: socket.socket) -> None:
    connection.settimeout(SECONDS)
    with connection, contextlib.suppress(OSError):
        serve(connection)


def echo(connection: socket.socket) -> None:
    while data := connection.recv(1 << 16):
        connection.sendall(data)


def dialed(address: Address | None) -> socket.socket:
    assert address is not None
    connection = socket.create_connection((address.host, address.port), timeout=SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def received(connection: socket.socket, count: int) -> bytes:
    """So many bytes, or fewer if there is an end before."""
    parts = []
    while count > 0 and (data := connection.recv(min(count, 1 << 16))):
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it has not happened"
        time.sleep(0.005)


def taken(ring: Ring) -> list[Chunk]:
    """All records that are there."""
    found: list[Chunk] = []
    while data := ring.take():
        found += records_in(data)
    return found


def bytes_of(chunks: list[Chunk], connection: int, direction: int) -> bytes:
    wanted = (connection, direction)
    return b"".join(each.data for each in chunks if (each.connection, each.direction) == wanted)


class Taker:
    """Takes records all the time, as whoever watches does."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.chunks: list[Chunk] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Taker:
        self._thread.start()
        return self

    def _run(self) -> None:
        while not self._stop.wait(0.002):
            self.chunks += taken(self.ring)

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.chunks += taken(self.ring)
