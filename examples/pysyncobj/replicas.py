"""Three replicas of a list on `pysyncobj`, a Raft library, as it is on PyPI, to be driven by `gristmill replay`.

The library is given a transport (its public `transport` parameter) over asyncio streams, and ticks by
`autoTick=False`: after every message, and when time passes. `pysyncobj.map.toml` says what is done with it.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pysyncobj import SyncObj, SyncObjConf, replicated
from pysyncobj.transport import Transport

from gristmill.controlled import Node, World

PORT = 4000
TICK = 0.11  # seconds; a leader sends every 0.1 s
ROLES = ("Follower", "Candidate", "Leader")


class Replica(SyncObj):
    def __init__(self, name: str, others: list[str], transport: StreamTransport, journal: bool) -> None:
        # A leader does not put off its next election, and holds one at once if it steps down later than that. Here
        # elections come when the specification says so: there is time for fifty heartbeats before.
        patience = {"raftMinTimeout": 5.5, "raftMaxTimeout": 6.0, "connectionTimeout": 7.0}
        options = SyncObjConf(autoTick=False, journalFile="journal" if journal else None, **patience)
        super().__init__(address(name), [address(each) for each in others], options, transport=transport)
        self.commands: list[int] = []

    @replicated
    def add(self, command: int) -> None:
        self.commands.append(command)

    def field(self, name: str) -> Any:
        return getattr(self, f"_SyncObj__{name}")

    def tick(self) -> None:
        self.doTick(0)
        # The library writes down how far its log is committed once a second. Here that second has always just passed.
        self.field("raftLog").onOneSecondTimer()


def address(name: str) -> str:
    return f"{name}:{PORT}"


class StreamTransport(Transport):  # type: ignore[misc]
    """One connection between two replicas. Whoever starts connects to all others, and whose connection breaks connects
    again, if its name is the greater one; of two connections, that of the greater one is kept.
    """

    def __init__(self, name: str, others: list[str]) -> None:
        super().__init__(None, None, [])
        self.name, self.others = name, others
        self.peers: dict[str, Any] = {}  # by name: what pysyncobj calls a node
        self.links: dict[str, Link] = {}
        self.replica: Replica | None = None

    async def run(self, replica: Replica) -> None:
        self.replica = replica
        self.peers = {peer.id.partition(":")[0]: peer for peer in replica.otherNodes}
        await asyncio.get_running_loop().create_server(lambda: Link(self, None), "0.0.0.0", PORT)
        for other in self.others:
            self.connect_soon(other)

    def connect_soon(self, other: str) -> None:
        asyncio.get_running_loop().create_task(self.connect(other))

    async def connect(self, other: str) -> None:
        with suppress(OSError):  # if it is down, it will connect when it is up again
            await asyncio.get_running_loop().create_connection(lambda: Link(self, other), other, PORT)

    def connected(self, other: str, link: Link) -> None:
        known = self.links.get(other)
        if known is not None and known.opener(self.name) > link.opener(self.name):
            link.transport.close()
            return
        self.links[other] = link
        if known is not None:
            known.transport.close()
        else:
            self._onNodeConnected(self.peers[other])

    def disconnected(self, other: str, link: Link) -> None:
        if self.links.get(other) is link:
            del self.links[other]
            self._onNodeDisconnected(self.peers[other])
            if self.name > other:
                self.connect_soon(other)

    def received(self, other: str, message: Any) -> None:
        self._onMessageReceived(self.peers[other], message)
        assert self.replica is not None
        self.replica.tick()

    def send(self, node: Any, message: Any) -> bool:
        link = self.links.get(node.id.partition(":")[0])
        if link is None:
            return False
        link.send(message)
        return True


class Link(asyncio.Protocol):
    """One connection: messages pickled, with their length in front; first of all, the name of who opened it."""

    def __init__(self, owner: StreamTransport, other: str | None) -> None:
        self.owner = owner
        self.other = other
        self.opened = other is not None
        self.buffer = b""
        self.transport: Any = None

    def opener(self, own: str) -> str:
        return own if self.opened else str(self.other)

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        if self.other is not None:
            self.send(self.owner.name)
            self.owner.connected(self.other, self)

    def send(self, message: Any) -> None:
        data = pickle.dumps(message)
        self.transport.write(struct.pack("<I", len(data)) + data)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while len(self.buffer) >= 4:
            size = struct.unpack_from("<I", self.buffer)[0]
            if len(self.buffer) < 4 + size:
                break
            message = pickle.loads(self.buffer[4 : 4 + size])
            self.buffer = self.buffer[4 + size :]
            if self.other is None:
                self.other = str(message)
                self.owner.connected(self.other, self)
            else:
                self.owner.received(self.other, message)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            self.owner.disconnected(self.other, self)


def with_journal(world: World, nodes: list[str]) -> None:
    program(world, nodes, journal=True)


def without_journal(world: World, nodes: list[str]) -> None:
    """What the library does unless it is given a file: a replica that restarts has forgotten its vote and its log."""
    program(world, nodes, journal=False)


def program(world: World, nodes: list[str], journal: bool) -> None:
    async def main(node: Node) -> None:
        others = [name for name in nodes if name != node.name]
        transport = StreamTransport(node.name, others)
        node.app = replica = Replica(node.name, others, transport, journal)
        await transport.run(replica)
        while True:
            replica.tick()
            await asyncio.sleep(TICK)

    for name in nodes:
        world.node(name, main, daemon=True)


# Messages: the library counts an empty first entry that every log has, the specification does not.


def decode(data: bytes) -> dict[str, Any] | None:
    """A message in the words of the specification. None: who opens a connection says its name."""
    message = pickle.loads(data[4:])
    return _MESSAGES[message["type"]](message) if isinstance(message, dict) else None


def _request_vote(message: Mapping[str, Any]) -> dict[str, Any]:
    last = {"lastTerm": message["last_log_term"], "length": message["last_log_index"] - 1}
    return {"kind": "RequestVote", "term": message["term"], **last}


def _append(message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "Append",
        "term": message["term"],
        "prev": message["prevLogIdx"] - 1,
        "prevTerm": message["prevLogTerm"],
        "entries": _entries(message["entries"]),
        "commit": message["commit_index"] - 1,
    }


def _answer(message: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "AppendAnswer", "success": message["success"], "next": message["next_node_idx"] - 1}


_MESSAGES: dict[str, Any] = {
    "request_vote": _request_vote,
    "response_vote": lambda message: {"kind": "Vote", "term": message["term"], "granted": True},
    "append_entries": _append,
    "next_node_idx": _answer,
}


def _entries(entries: Any) -> tuple[dict[str, int], ...]:
    return tuple({"term": term, "command": _command(command)} for command, _, term in entries)


def _command(data: bytes) -> int:
    """0 for an entry without a command."""
    return int(pickle.loads(data[1:])[1][0]) if data[0] == 0 else 0


# What is to be seen of a replica.


def term(world: World, node: Node) -> int:
    return int(node.app.raftCurrentTerm)


def role(world: World, node: Node) -> str:
    return ROLES[node.app.field("raftState")]


def vote(world: World, node: Node) -> str | None:
    voted = node.app.field("votedForNodeId")
    return None if voted is None else str(voted).partition(":")[0]


def votes(world: World, node: Node) -> int:
    return int(node.app.field("votesCount"))


def log(world: World, node: Node) -> tuple[dict[str, int], ...]:
    return _entries(node.app.field("raftLog")[1:])


def commit(world: World, node: Node) -> int:
    return int(node.app.raftCommitIndex) - 1


def next_index(world: World, node: Node) -> dict[str, int]:
    found = {peer.id.partition(":")[0]: index - 1 for peer, index in node.app.field("raftNextIndex").items()}
    return {other: found.get(other, 1) for other in node.app.field("transport").others}


def match_index(world: World, node: Node) -> dict[str, int]:
    found = {peer.id.partition(":")[0]: max(0, index - 1) for peer, index in node.app.field("raftMatchIndex").items()}
    return {other: found.get(other, 0) for other in node.app.field("transport").others}


def applied(world: World, node: Node) -> tuple[int, ...]:
    return tuple(node.app.commands)


# What is done to a replica.


def timeout(world: World, node: Node, arguments: Mapping[str, Any]) -> None:
    """Time passes until it has started an election."""
    before = node.app.raftCurrentTerm
    assert node.pass_time(lambda: node.app.raftCurrentTerm > before, seconds=10), "no election within 10 s"


def heartbeat(world: World, node: Node, arguments: Mapping[str, Any]) -> None:
    """Time passes until it sends to its followers."""
    before = node.app.field("newAppendEntriesTime")
    assert node.pass_time(lambda: node.app.field("newAppendEntriesTime") > before, seconds=5), "nothing sent within 5 s"


async def propose(world: World, node: Node, arguments: Mapping[str, Any]) -> None:
    node.app.add(arguments["command"])
    node.app.tick()
