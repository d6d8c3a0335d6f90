"""`--start`: the nodes are started by us, as `[node]` of the mapping says, with our tap between them.

Which of their ports go through it says `[network]`, as for `replay`:

    taps = { tap = "peer" }     what comes to a node's port `tap` goes to its port `peer`: nodes call themselves by it
    links = ["peer"]            a port of ours for each pair of nodes: {link.peer.NODE}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from gristmill.source import Diagnostic, SourceError
from gristmill.source.toml_places import Places
from gristmill.systems.running.failing import DriverError
from gristmill.systems.running.ports import HOST
from gristmill.systems.running.processes import Processes
from gristmill.watch.live.capture import Capture
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.program import NotingProgram
from gristmill.watch.live.ring import Ring
from gristmill.watch.live.tap import Tap
from gristmill.watch.mapping import WatchMap


@dataclass(frozen=True, slots=True)
class _Setup:
    nodes: tuple[str, ...]
    document: Mapping[str, Any]
    places: Places
    folder: Path


@dataclass(frozen=True, slots=True)
class Packets:
    """That they are captured: on one interface, or on all."""

    interface: str | None = None


class StartedNodes:
    """The nodes, and the tap between them; or the capture (`packets`), and nothing between them.

    `count`: so many nodes; 0: as many as `start` in `[watch]` says, or all of the specification.
    """

    def __init__(
        self, mapping: WatchMap, values: Mapping[str, str], ring: Ring, packets: Packets | None = None, count: int = 0
    ) -> None:
        self.mapping, self.capture = mapping, packets is not None
        self.nodes = _first_nodes(mapping, count)
        self.processes = Processes(_Setup(self.nodes, mapping.document, mapping.places, mapping.folder))
        self.processes.values |= values
        self.links: list[Link] = []
        self._taps, self._pairs = self._network()
        try:
            self.processes.begin(self._prepare)
            self.noting = self._noting(ring, packets)
        except DriverError as error:
            self.processes.end()
            raise _source_error(error) from None
        except BaseException:
            self.processes.end()
            raise

    def _noting(self, ring: Ring, packets: Packets | None) -> NotingProgram:
        if packets is None:
            return Tap(self.links, ring, stay=False, decoder=self.mapping.new_decoder())
        return Capture(list({link.at: link for link in self.links}.values()), ring, packets.interface)

    def _network(self) -> tuple[Mapping[str, str], Sequence[str]]:
        table = self.mapping.document.get("network", {})
        taps, pairs = table.get("taps", {}), table.get("links", [])
        ports = self.mapping.document.get("node", {}).get("ports", ())
        named = [*taps, *taps.values()] if isinstance(taps, dict) else [""]
        named += pairs if isinstance(pairs, list) else [""]
        if not named or any(name not in ports for name in named):
            help = 'in [network], taps = { tap = "peer" }, or links = ["peer"]; ports of [node]'
            message = "the mapping does not say which ports of its nodes are to be watched"
            raise SourceError(Diagnostic("no-links", message, self.mapping.places.key("network"), help=help))
        return taps, pairs

    def _prepare(self) -> None:
        """Ports are known, and nodes have not been told of them."""
        for node, (ours, real) in product(self.nodes, self._taps.items()):
            at, tap = self._address(node, real), self._address(node, ours)
            self.links.append(Link(f"{node}.{real}", at, tap, node))
            if self.capture:  # nobody listens at the port of a tap
                self._call(node, f"port.{ours}", at.port)
                for other in self.nodes:
                    self._call(other, f"port.{ours}.{node}", at.port)
        for dialer, node, real in product(self.nodes, self.nodes, self._pairs):
            at = self._address(node, real)
            direct = dialer == node or self.capture
            port = at.port if direct else self.processes.free_port()
            self._call(dialer, f"link.{real}.{node}", port)
            if dialer != node:
                self.links.append(Link(f"{dialer}-{node}.{real}", at, Address(HOST, port), node, dialer))

    def _address(self, node: str, name: str) -> Address:
        return Address(HOST, self.processes.port(node, name))

    def _call(self, node: str, name: str, port: int) -> None:
        self.processes.names.setdefault(node, {})[name] = str(port)

    # --------------------------------------------------------------------------------------- as the tap, or the capture

    @property
    def source(self) -> str:
        return self.noting.source

    def describe(self) -> tuple[str, ...]:
        ports = (", ".join(f"{name} {port}" for name, port in self._ports(node)) for node in self.nodes)
        nodes = (f"node {node}: {text}" for node, text in zip(self.nodes, ports, strict=True))
        return (*self.noting.describe(), *nodes)

    def _ports(self, node: str) -> list[tuple[str, int]]:
        names = self.mapping.document.get("node", {}).get("ports", ())
        return [(name, self.processes.port(node, name)) for name in names if name not in self._taps]

    def start(self) -> None:
        self.noting.start()
        for node in self.nodes:
            try:
                self.processes.start(node)
            except DriverError as error:
                raise _source_error(error) from None

    def look(self) -> str | None:
        said = [self.noting.look(), *(failure.message for failure in self.processes.failures())]
        return "; ".join(each for each in said if each is not None) or None

    def stop(self) -> None:
        for node in self.nodes:
            self.processes.kill(node)
        self.noting.stop()

    def close(self) -> None:
        try:
            self.processes.end()
        finally:
            self.noting.close()


def _first_nodes(mapping: WatchMap, count: int) -> tuple[str, ...]:
    """Raises `SourceError`."""
    said = mapping.document.get("watch", {}).get("start", len(mapping.nodes))
    wanted = count or said
    if not isinstance(wanted, int) or not 0 < wanted <= len(mapping.nodes):
        help = f"the specification has {len(mapping.nodes)}; --start N, or start = N in [watch]"
        span = None if count else mapping.places.value("watch", "start")
        raise SourceError(Diagnostic("no-nodes", f"{wanted} nodes cannot be started", span, help=help))
    return tuple(str(node) for node in mapping.nodes[:wanted])


def _source_error(error: DriverError) -> SourceError:
    log = f"\n{error.log}" if error.log else ""
    return SourceError(Diagnostic("cannot-start", f"{error.message}{log}", error.span, help=error.help))
