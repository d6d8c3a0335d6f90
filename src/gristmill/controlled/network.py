"""The virtual network: nodes with addresses, packets in flight, and what becomes of each.

A datagram may arrive at any time after it was sent, in any order, once, twice or never. What travels on a connection
stands in a lane: first come, first delivered, none lost unless the connection is reset. When the network falls apart,
datagrams to the other side are lost, and what travels on connections to it waits until the network heals.
"""

from __future__ import annotations

import errno
import os
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from gristmill.controlled.event import Event

if TYPE_CHECKING:
    from gristmill.controlled.node import Node
    from gristmill.controlled.world import World

Address = tuple[str, int]
PacketKind = Literal["datagram", "connect", "accept", "refuse", "data", "end", "reset"]

WILDCARDS = ("0.0.0.0", "::", "", None)
_FIRST_EPHEMERAL = 49152


@dataclass(slots=True, eq=False)
class Lane:
    """One direction of a connection."""

    packets: deque[Packet] = field(default_factory=deque)
    paused: bool = False  # its receiver has asked for no more, for now


@dataclass(slots=True, eq=False)
class Packet:
    number: int  # among all from this sender to this receiver
    sender: Node
    receiver: Node
    kind: PacketKind
    data: bytes
    arrive: Callable[[bytes], None]
    lane: Lane | None = None
    sent: int = 0  # the step in which it was sent
    sent_at: float = 0.0  # the virtual time
    copy: int = 0  # of a duplicate: which
    event: Event | None = None  # of its delivery
    _key: str = ""

    @property
    def key(self) -> str:
        if not self._key:
            copy = f"+{self.copy}" if self.copy else ""
            self._key = f"{self.sender.name}>{self.receiver.name} {self.number}{copy}"
        return self._key

    @property
    def deliverable(self) -> bool:
        lane = self.lane
        if lane is None:
            return True
        return lane.packets[0] is self and not lane.paused and not self.sender.network.divides(self)

    @property
    def can_be_split(self) -> bool:
        return self.kind == "data" and len(self.data) > 1 and self.deliverable


class Network:
    def __init__(self, world: World) -> None:
        self.world = world
        self.nodes: dict[str, Node] = {}  # by address and by name
        self.in_flight: list[Packet] = []
        self.side: frozenset[Node] | None = None  # of a network that has fallen apart
        self.cuts: set[frozenset[Node]] = set()  # pairs that do not reach each other
        self._numbers: dict[tuple[Node, Node], int] = {}

    def add(self, node: Node) -> None:
        self.nodes[node.host] = node
        self.nodes[node.name] = node

    def find(self, seeker: Node, host: str | None) -> Node | None:
        """The node at an address, as seen from another: everybody has a loopback of their own."""
        if host in ("localhost", "::1", *WILDCARDS) or (host is not None and host.startswith("127.")):
            return seeker
        return self.nodes.get(str(host))

    def send(
        self,
        sender: Node,
        receiver: Node,
        kind: PacketKind,
        data: bytes,
        arrive: Callable[[bytes], None],
        lane: Lane | None = None,
        *,
        by_system: bool = False,
    ) -> None:
        if not self.world.running or not (by_system or sender.can_act):
            return  # code that is cleaned up after a crash, or after the run, sends nothing any more
        link = (sender, receiver)
        number = self._numbers[link] = self._numbers.get(link, 0) + 1
        packet = Packet(number, sender, receiver, kind, data, arrive, lane, self.world.step, self.world.now)
        self.world.packets.append(packet)
        if lane is not None:
            lane.packets.append(packet)
        elif self.divides(packet):
            return
        self.in_flight.append(packet)

    def take(self, packet: Packet) -> None:
        """Out of the network, to be delivered or lost."""
        self.in_flight.remove(packet)
        if packet.lane is not None:
            packet.lane.packets.popleft()

    def divides(self, packet: Packet) -> bool:
        side = self.side
        if side is not None and (packet.sender in side) != (packet.receiver in side):
            return True
        return bool(self.cuts) and frozenset((packet.sender, packet.receiver)) in self.cuts

    def divide(self, side: frozenset[Node]) -> None:
        self.side = side
        for packet in [one for one in self.in_flight if one.lane is None and self.divides(one)]:
            self.take(packet)

    def heal(self) -> None:
        self.side = None

    def cut(self, one: Node, other: Node) -> None:
        """These two do not reach each other until `mend`: their connections break, which both notice at once,
        datagrams between them are lost, and new connections wait."""
        self.break_connections(one, other)
        self.cuts.add(frozenset((one, other)))
        for packet in [each for each in self.in_flight if each.lane is None and self.divides(each)]:
            self.take(packet)

    def mend(self, one: Node, other: Node) -> None:
        self.cuts.discard(frozenset((one, other)))

    def break_connections(self, one: Node, other: Node) -> None:
        """Those that are established. Both ends notice at once, and what was on its way is lost."""
        for connection in [each for each in one.connections if each.established and other in each.nodes]:
            connection.reset()
            for packet in (*connection.to_server.packets, *connection.to_client.packets):
                self.take(packet)
                packet.arrive(packet.data)

    def lose_sent(self, sender: Node) -> None:
        """What a node has sent and nobody has received is lost; that its connections have ended is still noticed."""
        for packet in [each for each in self.in_flight if each.sender is sender]:
            if packet.kind in ("data", "datagram"):
                self.in_flight.remove(packet)
                if packet.lane is not None:
                    packet.lane.packets.remove(packet)

    def duplicate(self, packet: Packet) -> None:
        """A second copy, right behind the first."""
        copy = replace(packet, copy=packet.copy + 1, event=None, _key="")
        self.in_flight.insert(self.in_flight.index(packet) + 1, copy)

    def discard_lane(self, lane: Lane) -> None:
        for packet in lane.packets:
            self.in_flight.remove(packet)
        lane.packets.clear()

    def resolve(self, seeker: Node | None, host: Any, port: Any, family: int, kind: int, proto: int) -> list[Any]:
        """What `getaddrinfo` answers: addresses stay as they are, names are those of nodes."""
        name = host.decode() if isinstance(host, bytes) else host
        if name is None or name == "localhost":
            address = "127.0.0.1"
        elif name in self.nodes:
            address = self.nodes[name].host
        elif is_address(name):
            address = name
        else:
            raise socket.gaierror(socket.EAI_NONAME, f"no node is called {name!r}")
        kinds = [kind] if kind else [socket.SOCK_STREAM, socket.SOCK_DGRAM]
        number = int(port) if port is not None else 0
        return [(socket.AF_INET, each, proto, "", (address, number)) for each in kinds]


def is_address(text: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, text)
        except OSError:
            continue
        return True
    return False


class Ports:
    """The ports of one node, of one kind (datagrams or connections)."""

    def __init__(self) -> None:
        self._bound: dict[int, Any] = {}
        self._next = _FIRST_EPHEMERAL

    def bind(self, port: int, owner: Any) -> int:
        if port == 0:
            while self._next in self._bound:
                self._next += 1
            port = self._next
            self._next += 1
        elif port in self._bound:
            raise OSError(errno.EADDRINUSE, f"{os.strerror(errno.EADDRINUSE)}: port {port}")
        self._bound[port] = owner
        return port

    def release(self, port: int, owner: Any) -> None:
        if self._bound.get(port) is owner:
            del self._bound[port]

    def get(self, port: int) -> Any:
        return self._bound.get(port)

    def clear(self) -> None:
        self._bound.clear()
