"""Three replicas of a counter on `pysyncobj`, a Raft library, as it is on PyPI.

The library is given a transport (its public `transport` parameter) over asyncio streams and is driven with
`autoTick=False`; its clock, its journal files and its connections are the world's. Connections are those of TCP: in
order, without loss, until they break.

    gristmill explore examples/explore/pysyncobj_counter.py --crashes 2 --resets 2
"""

from __future__ import annotations

import asyncio
import pickle
import struct
from typing import Any

from pysyncobj import FAIL_REASON, SyncObj, SyncObjConf, replicated
from pysyncobj.transport import Transport

from gristmill.controlled import Node, World
from gristmill.search.linearizability import Counter

PORT = 4000
NAMES = ("n1", "n2", "n3")
TICK = 0.1
OPERATIONS = 3  # of each replica's client
NO_EFFECT = (
    FAIL_REASON.QUEUE_FULL,
    FAIL_REASON.MISSING_LEADER,
    FAIL_REASON.DISCARDED,
    FAIL_REASON.NOT_LEADER,
    FAIL_REASON.REQUEST_DENIED,
)


class ReplicatedCounter(SyncObj):
    def __init__(self, name: str, transport: StreamTransport, **options: Any) -> None:
        others = [address(other) for other in NAMES if other != name]
        configuration = SyncObjConf(**{"autoTick": False, "journalFile": "journal", **options})
        super().__init__(address(name), others, configuration, transport=transport)
        self.total = 0

    @replicated
    def add(self, number: int) -> int:
        self.total += number
        return self.total

    @replicated
    def read(self) -> int:
        return self.total


def address(name: str) -> str:
    return f"{name}:{PORT}"


class StreamTransport(Transport):  # type: ignore[misc]
    """What `TCPTransport` does, over asyncio: the greater address connects to the smaller, and says who it is."""

    def __init__(self, node: Node) -> None:
        super().__init__(None, None, [])
        self.node = node
        self.peers: dict[str, Any] = {}  # by address: what pysyncobj calls a node
        self.links: dict[str, Link] = {}
        self.replica: ReplicatedCounter | None = None

    async def run(self, replica: ReplicatedCounter) -> None:
        self.replica = replica
        self.peers = {peer.id: peer for peer in sorted(replica.otherNodes, key=lambda peer: str(peer.id))}
        loop = asyncio.get_running_loop()
        await loop.create_server(lambda: Link(self, None), "0.0.0.0", PORT)
        for peer in self.peers:
            if address(self.node.name) > peer:
                self.connect_soon(peer)

    def connect_soon(self, peer: str, delay: float = 0.0) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(delay, lambda: loop.create_task(self.connect(peer)))

    async def connect(self, peer: str) -> None:
        try:
            host = peer.partition(":")[0]
            await asyncio.get_running_loop().create_connection(lambda: Link(self, peer), host, PORT)
        except OSError:
            self.connect_soon(peer, 0.5)

    def connected(self, peer: str, link: Link) -> None:
        self.links[peer] = link
        self._onNodeConnected(self.peers[peer])

    def disconnected(self, peer: str, link: Link) -> None:
        if self.links.get(peer) is link:
            del self.links[peer]
            self._onNodeDisconnected(self.peers[peer])
        if address(self.node.name) > peer:
            self.connect_soon(peer, 0.5)

    def received(self, peer: str, message: Any) -> None:
        self._onMessageReceived(self.peers[peer], message)
        assert self.replica is not None
        self.replica.doTick(0)

    def send(self, node: Any, message: Any) -> bool:
        link = self.links.get(node.id)
        if link is None:
            return False
        link.send(message)
        return True


class Link(asyncio.Protocol):
    """One connection: messages pickled, with their length in front."""

    def __init__(self, owner: StreamTransport, peer: str | None) -> None:
        self.owner = owner
        self.peer = peer
        self.buffer = b""
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        if self.peer is not None:
            self.send(address(self.owner.node.name))
            self.owner.connected(self.peer, self)

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
            if self.peer is None:
                self.peer = message
                self.owner.connected(message, self)
            else:
                self.owner.received(self.peer, message)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.peer is not None:
            self.owner.disconnected(self.peer, self)


def program(world: World, at_once: int = 1, **options: Any) -> None:
    """Every replica serves clients of its own, which add numbers and read the sum."""
    world.describe = describe
    raft = RaftProperties(world)

    async def main(node: Node) -> None:
        transport = StreamTransport(node)
        replica = ReplicatedCounter(node.name, transport, **options)
        raft.replicas[node] = replica
        await transport.run(replica)
        clients = [client(world, node, replica, number) for number in range(at_once)]
        raft.clients[node] = asyncio.gather(*clients)
        while True:
            replica.doTick(0)
            await asyncio.sleep(TICK)

    for name in NAMES:
        world.node(name, main, daemon=True)
    world.always("election safety", raft.one_leader_a_term)
    world.always("log matching", raft.logs_match)
    world.always("state-machine safety", raft.same_entries_applied)
    world.at_end("linearizable counter", lambda: linearizable(world), even_if_cut=True)
    world.until(raft.clients_are_done)


def without_journal(world: World) -> None:
    """What the library does unless it is given a file: a replica that restarts has forgotten its vote and its log."""
    program(world, journalFile=None)


def small_batches(world: World) -> None:
    """As with entries of tens of kilobytes: not all that a replica lacks fits into one message."""
    program(world, at_once=4, appendEntriesBatchSizeBytes=25)


async def client(world: World, node: Node, replica: ReplicatedCounter, client_number: int) -> None:
    loop = asyncio.get_running_loop()
    name_of_client = f"{node.name}/{node.incarnation}/{client_number}"
    for number in range(OPERATIONS):
        name, argument = ("read", None) if number % 3 == 2 else ("add", 1 + node.index)
        answer: asyncio.Future[tuple[Any, int]] = loop.create_future()
        operation = world.history.begin(f"{name_of_client}/{number}", name, argument)

        def answered(result: Any, error: int, answer: asyncio.Future[tuple[Any, int]] = answer) -> None:
            if not answer.done():
                answer.set_result((result, error))

        method = getattr(replica, name)
        method(*(() if argument is None else (argument,)), callback=answered)
        try:
            result, error = await asyncio.wait_for(answer, 3.0)
        except TimeoutError:
            continue  # it may take effect at any time
        if error == FAIL_REASON.SUCCESS:
            world.history.end(operation, result)
            world.note(f"{name}({argument or ''}) = {result}")
        elif error in NO_EFFECT:
            world.history.withdraw(operation)


def linearizable(world: World) -> None:
    problem = world.history.check(Counter())
    assert problem is None, str(problem)


class RaftProperties:
    """The safety properties of figure 3 of the Raft paper, on what the replicas hold in memory."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.replicas: dict[Node, ReplicatedCounter] = {}
        self.clients: dict[Node, asyncio.Future[Any]] = {}
        self.leaders: dict[int, str] = {}  # by term
        self.entries: dict[tuple[int, int], tuple[bytes, int | None]] = {}  # by index and term
        self.applied: dict[int, tuple[bytes, int]] = {}  # by index
        self.looked_at: dict[tuple[str, Node], tuple[Any, ...]] = {}

    def alive(self) -> list[tuple[Node, ReplicatedCounter]]:
        return [(node, replica) for node, replica in self.replicas.items() if node.up]

    def clients_are_done(self) -> bool:
        return len(self.clients) == len(NAMES) and all(
            task.done() or not node.up for node, task in self.clients.items()
        )

    def one_leader_a_term(self) -> None:
        for node, replica in self.alive():
            if replica._isLeader():
                term = replica.raftCurrentTerm
                first = self.leaders.setdefault(term, node.name)
                assert first == node.name, f"{first} and {node.name} are both leaders of term {term}"

    def logs_match(self) -> None:
        """Entries with the same index and term are the same, and so are those before them."""
        for node, replica in self.alive():
            log = log_of(replica)
            if self.is_known(("log", node), (node.incarnation, len(log), *log[-1][1:])):
                continue
            before: int | None = None
            for command, index, term in log[:]:
                known = self.entries.setdefault((index, term), (command, before))
                assert known == (command, before), f"entry {index} of term {term} on {node.name} is not the only one"
                before = term

    def same_entries_applied(self) -> None:
        for node, replica in self.alive():
            last = replica.raftLastApplied
            log = log_of(replica)
            if self.is_known(("applied", node), (node.incarnation, last, len(log), *log[-1][1:])):
                continue
            for command, index, term in log[: last - log[0][1] + 1]:
                known = self.applied.setdefault(index, (command, term))
                assert known == (command, term), (
                    f"{node.name} has applied entry {index} of term {term}, another replica that of term {known[1]}"
                )

    def is_known(self, what: tuple[str, Node], state: tuple[Any, ...]) -> bool:
        """Whether nothing has changed since it was last looked at."""
        if self.looked_at.get(what) == state:
            return True
        self.looked_at[what] = state
        return False


def log_of(replica: ReplicatedCounter) -> Any:
    return replica._SyncObj__raftLog


def describe(data: bytes) -> str:
    message = pickle.loads(data[4:])
    if isinstance(message, str):
        return f"I am {message}"
    kind = message["type"]
    if kind == "append_entries":
        entries = ",".join(f"{index}/{term}" for _, index, term in message.get("entries", ()))
        return f"append t{message['term']} after {message.get('prevLogIdx')} [{entries}]"
    if kind == "next_node_idx":
        return f"next {message['next_node_idx']}{'' if message['success'] else ' no'}"
    return f"{kind} t{message['term']}" if "term" in message else str(kind)
