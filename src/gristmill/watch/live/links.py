"""`[watch.links]`: where the nodes of a system listen, and where our tap does in their place.

[watch.links.s1]
at = "10.0.0.1:2380"          # where the node really listens
tap = "10.0.0.1:12380"        # where the others must be told that it listens; not needed for --capture
node = "s1"                   # whose it is, for reports
from = "s2"                   # who alone dials it, if each of the others has an address of its own
announced = "10.0.0.1:2380"   # where the node says that it listens, if it says so, and that is not `at`
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.source import Diagnostic, SourceError, Span
from gristmill.source.toml_reader import Reader

_KEYS = ("at", "tap", "node", "from", "announced")
_EXAMPLE = '{key} = "127.0.0.1:2380"'


@dataclass(frozen=True, slots=True)
class Address:
    """Of a TCP port. `host` is numeric."""

    host: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Link:
    """`at`: where connections go; `tap`: where ours listens for them; `announced`: what the node says instead."""

    name: str
    at: Address
    tap: Address | None = None
    node: str = ""
    dialer: str = ""
    span: Span | None = None
    announced: Address | None = None

    def about(self) -> str:
        """What is noted of each connection: members of a JSON object."""
        facts = {"name": self.name, "node": self.node, "from": self.dialer, "target": [self.at.host, self.at.port]}
        return json.dumps({key: value for key, value in facts.items() if value})[1:-1]


def read_links(reader: Reader) -> tuple[Link, ...]:
    """The links of a mapping. What is wrong is in the reader's diagnostics."""
    links = []
    for name in reader.table("watch", "links"):
        path = ("watch", "links", name)
        reader.known(path, _KEYS)
        if not reader.table(*path):
            reader.wrong(path, "a table", '{ at = "127.0.0.1:2380", tap = "127.0.0.1:12380" }')
            continue
        at, tap, announced = (_address(reader, (*path, key)) for key in ("at", "tap", "announced"))
        if at is None and reader.text(*path, "at"):
            continue
        if at is None:
            span = reader.places.key(*path)
            reader.error("no-address", f"link `{name}` does not say where the node listens", span, 'at = "HOST:PORT"')
            continue
        node, dialer = (reader.text(*path, key) for key in ("node", "from"))
        links.append(Link(name, at, tap, node, dialer, reader.places.key(*path), announced))
    _check_taps(reader, links)
    return tuple(links)


def _address(reader: Reader, path: Sequence[str]) -> Address | None:
    text = reader.text(*path)
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or not 0 < int(port) < 65536 or not host:
        reader.wrong(tuple(path), "an address with a port", _EXAMPLE.format(key=path[-1]))
        return None
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except OSError as error:
        help = "an address such as 127.0.0.1:2380, or a name that this machine knows"
        reader.error("unknown-host", f"{host} cannot be found: {error.strerror}", reader.places.value(*path), help)
        return None
    return Address(str(found[0][4][0]), int(port))


def _check_taps(reader: Reader, links: Sequence[Link]) -> None:
    seen: dict[Address, str] = {}
    for link in links:
        if link.tap is None:
            continue
        span = reader.places.value("watch", "links", link.name, "tap")
        if link.tap == link.at:
            help = "the node listens at one address, the tap at another, and the others dial the tap"
            reader.error("tap-at-node", f"the tap of link `{link.name}` is where the node listens", span, help)
        if link.tap in seen:
            help = "each link needs an address of its own for the tap"
            reader.error("same-tap", f"links `{seen[link.tap]}` and `{link.name}` have the same tap", span, help)
        seen[link.tap] = link.name


def tapped(links: Sequence[Link], span: Span) -> tuple[Link, ...]:
    """Those that the tap is for. Raises `SourceError` if there are none."""
    found = tuple(link for link in links if link.tap is not None)
    if not found:
        help = (
            'write [watch.links.NAME] with at = "HOST:PORT", where the node listens, and tap = "HOST:PORT", where the '
            "others are told that it does; or watch with --capture, --start, or --from a recording"
        )
        raise SourceError(Diagnostic("no-links", "the mapping does not say which links to tap", span, help=help))
    return found


def capturable(links: Sequence[Link], span: Span) -> tuple[Link, ...]:
    """One for each address at which a node listens. Raises `SourceError` if there are none."""
    found = {link.at: link for link in links}
    if not found:
        help = 'write [watch.links.NAME] with at = "HOST:PORT", where the node listens'
        message = "the mapping does not say which ports to watch"
        raise SourceError(Diagnostic("no-links", message, span, help=help))
    return tuple(found.values())
