"""The tap: a program in C between the nodes (`native/tap.c`).

It is a process of its own, so that whatever becomes of the ones that judge (they are slow, or killed), the traffic of
the service goes on; and so that it can be killed itself: the sockets that listen are ours, too, and connections wait
there until the next tap takes them.
"""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from gristmill.cc import build
from gristmill.source import Diagnostic, SourceError
from gristmill.systems import decoders
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.program import NotingProgram
from gristmill.watch.live.ring import FLAGS, NATIVE, Ring

_FILES = ("tap.c", "relay.c", "announcing.c", "orders.c", "ring.c")
_BACKLOG = 1024  # connections that wait to be taken
_SUCCEED_SECONDS = 5.0


def tap_program(flags: Sequence[str] = FLAGS) -> Path:
    """Built on first use. Raises `cc.CompilerError`."""
    return build(paths=[NATIVE / name for name in _FILES], flags=flags, kind="program")


class Tap(NotingProgram):
    """`stay`: the tap goes on if we are killed, until a successor of ours asks it for its links.

    `decoder`: of the protocol, if its nodes tell each other where they listen (`Decoder.announces`).
    """

    source = "tap"
    after_restart = ", and connections begin anew"

    def __init__(
        self,
        links: Sequence[Link],
        ring: Ring,
        stay: bool = True,
        program: Path | None = None,
        decoder: decoders.Decoder | None = None,
    ) -> None:
        super().__init__(ring, program or tap_program())
        self.links, self.stay = links, stay
        self.decoder = decoder if decoder is not None and decoder.announces else None
        self._sockets: list[socket.socket] = []
        try:
            for link in links:
                self._sockets.append(_listening(link))
        except BaseException:
            self.close()
            raise

    def describe(self) -> tuple[str, ...]:
        return tuple(f"{link.name}: {link.tap} to {link.at}" for link in self.links)

    def descriptors(self) -> Sequence[int]:
        return [each.fileno() for each in self._sockets]

    def orders(self) -> Sequence[str]:
        lines = []
        for link, descriptor in zip(self.links, self.descriptors(), strict=True):
            family = 6 if link.at.family == socket.AF_INET6 else 4
            lines.append(f"link {descriptor} {family} {link.at.host} {link.at.port} {link.about()}")
            if self.decoder is not None:
                lines.append(f"announces {descriptor}")
                lines += (f"announced {descriptor} {each}" for each in self._announced_on(link, self.decoder))
        return [*lines, "stay"] if self.stay else lines

    def _announced_on(self, link: Link, decoder: decoders.Decoder) -> list[str]:
        """What this node is told instead of the addresses that the others give for themselves: the links to them."""
        here = _server_on(link, decoder)
        found = []
        for other in self.links:
            server, announced = _server_on(other, decoder), other.announced or other.at
            if server.isdecimal() and server != here and other.dialer in ("", here):
                found.append(f"{server} {announced.port} {other.tap}")
        return found

    def close(self) -> None:
        super().close()
        for each in self._sockets:
            each.close()
        self._sockets = []


def _server_on(link: Link, decoder: decoders.Decoder) -> str:
    return decoder.server_on(decoders.Link(link.name, link.node, link.at.port))


def _listening(link: Link) -> socket.socket:
    """Raises `SourceError`."""
    address = link.tap
    assert address is not None
    listener = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listener, address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        help = None
        if error.errno == errno.EADDRINUSE:
            help = "something listens there: the node itself (the tap needs another address), or another `watch`"
        message = f"the tap of link `{link.name}` cannot listen at {address}: {error.strerror}"
        raise SourceError(Diagnostic("cannot-listen", message, link.span, help=help)) from None
    return listener


def _bind(listener: socket.socket, address: Address) -> None:
    deadline: float | None = None
    while True:
        try:
            listener.bind((address.host, address.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            if deadline is None and _succeeded(address):
                deadline = time.monotonic() + _SUCCEED_SECONDS
            if deadline is None or time.monotonic() > deadline:
                raise
            time.sleep(0.01)  # it is about to let go
        else:
            return


def _succeeded(address: Address) -> bool:
    """If a tap is left of a `watch` that was killed, it is asked to go; whether it has gone."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_SUCCEED_SECONDS)
        try:
            asking.connect(f"\0gristmill-tap-{address.host}-{address.port}")
            while asking.recv(1):
                pass
        except ConnectionResetError:
            pass
        except OSError:
            return False
    return True
