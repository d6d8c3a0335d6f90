"""Passive capture: a program in C that sees packets go by (`native/capture.c`). Nothing stands between the nodes."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from pathlib import Path

from gristmill.cc import build
from gristmill.source import Diagnostic, SourceError
from gristmill.watch.live.links import Link
from gristmill.watch.live.program import NotingProgram
from gristmill.watch.live.ring import FLAGS, NATIVE, Ring

_FILES = ("capture.c", "streams.c", "filter.c", "orders.c", "ring.c")
_ANYWHERE = ("0.0.0.0", "::")


def capture_program(flags: Sequence[str] = FLAGS) -> Path:
    """Built on first use. Raises `cc.CompilerError`."""
    return build(paths=[NATIVE / name for name in _FILES], flags=flags, kind="program")


class Capture(NotingProgram):
    """`interface`: its name; all of them, otherwise. Raises `SourceError` where packets must not be seen."""

    source = "capture"
    after_restart = ", and what went by meanwhile is not known"

    def __init__(
        self, links: Sequence[Link], ring: Ring, interface: str | None = None, program: Path | None = None
    ) -> None:
        self.links = links
        self._number = 0 if interface is None else _number_of(interface)
        self._interface = interface or "all interfaces"
        super().__init__(ring, program or capture_program())
        self._socket = _packet_socket()
        self._used = False

    def describe(self) -> tuple[str, ...]:
        return tuple(f"{link.name}: packets of {link.at} on {self._interface}" for link in self.links)

    def start(self) -> None:
        if self._used:  # the one before has left its memory with the socket
            self._socket.close()
            self._socket = _packet_socket()
        self._used = True
        super().start()

    def descriptors(self) -> Sequence[int]:
        return [self._socket.fileno()]

    def orders(self) -> Sequence[str]:
        lines = []
        for link in self.links:
            family = 6 if link.at.family == socket.AF_INET6 else 4
            host = "*" if link.at.host in _ANYWHERE else link.at.host
            lines.append(f"port {family} {host} {link.at.port} {link.about()}")
        return [*lines, f"packets {self._socket.fileno()} {self._number}"]

    def close(self) -> None:
        super().close()
        self._socket.close()


def _packet_socket() -> socket.socket:
    try:
        return socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    except PermissionError:
        help = (
            "run it as root, or with this capability alone: AmbientCapabilities=CAP_NET_RAW in a systemd unit, or "
            "`sudo setpriv --inh-caps +net_raw --ambient-caps +net_raw --reuid USER gristmill watch …`"
        )
        message = "packet capture needs the capability CAP_NET_RAW, which this process does not have"
        raise SourceError(Diagnostic("no-capture", message, None, help=help)) from None
    except OSError as error:
        message = f"packets cannot be captured here: {os.strerror(error.errno or 0)}"
        raise SourceError(Diagnostic("no-capture", message, None)) from None


def _number_of(interface: str) -> int:
    try:
        return socket.if_nametoindex(interface)
    except OSError:
        known = ", ".join(name for _, name in socket.if_nameindex())
        message = f"there is no interface {interface}"
        raise SourceError(Diagnostic("no-interface", message, None, help=f"there are {known}")) from None
