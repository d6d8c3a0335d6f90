"""An ensemble of ZooKeeper under load and faults, with every link recorded, for `gristmill watch --from`.

    python benchmarks/watch_zookeeper.py JARS OUT.trace [--servers 3] [--scenario NAME] [--seconds 10]

JARS: a folder with ZooKeeper and what it needs. Each server is told addresses of our own for the others, one for each
directed link: a proxy notes what it reads before it passes it on. The address that a server gives for itself when it
dials for an election is replaced by that of the link back.

Scenarios, each with clients that read and write all the time:

    load        nothing else
    kill        the leader is killed and started again, then a follower
    partition   the leader is cut off from the others for some seconds, then a follower
    snapshot    a follower is down for so long that it needs a snapshot
    trunc       the leader has transactions that nobody else has, and comes back when others have gone on
    bug-1154    the same, and TRUNC becomes DIFF on its way (ZOOKEEPER-1154)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import struct
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from gristmill.systems.decoders import Piece
from gristmill.systems.decoders.zookeeper import ZooKeeper
from gristmill.watch.recording import ANSWERED, CLOSED, DIALED, OPENED, Chunk, write_chunk

_BASE = 21000  # five digits, so that addresses have the same length
_JAVA = ["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.admin.enableServer=false"]
_SNAPSHOTS = ["-Dzookeeper.commitLogCount=100", "-Dzookeeper.snapshotSizeFactor=-1"]  # soon, and instead of the log
_SCENARIOS = ("load", "kill", "partition", "snapshot", "trunc", "bug-1154")


def real(kind: str, server: int) -> int:
    return _BASE + {"c": 0, "q": 100, "e": 200}[kind] + server


def tapped(kind: str, dialer: int, acceptor: int) -> int:
    return _BASE + {"c": 1000, "q": 2000, "e": 3000}[kind] + 10 * dialer + acceptor


class Recorder:
    """Proxies, and the recording of what goes through them."""

    def __init__(self, path: Path, servers: int, forge: bool) -> None:
        self.file = path.open("wb")
        self.servers, self.forge = servers, forge
        self.sequence = self.connections = self.forged = 0
        self.cut: set[frozenset[int]] = set()  # pairs of servers that cannot reach each other
        self.slow: dict[int, float] = {}  # seconds by which what a server is sent is held up
        self.open: dict[asyncio.StreamWriter, tuple[int, int]] = {}
        self.listening: list[asyncio.Server] = []
        self.decoder = ZooKeeper()

    def note(self, connection: int, direction: int, data: bytes) -> None:
        self.sequence += 1
        write_chunk(self.file, Chunk(self.sequence, time.monotonic_ns(), connection, direction, data))

    async def listen(self) -> None:
        everybody = range(1, self.servers + 1)
        for acceptor in everybody:
            await self._serve("c", 0, acceptor)
            for dialer in everybody:
                if dialer != acceptor:
                    await self._serve("q", dialer, acceptor)
                    await self._serve("e", dialer, acceptor)

    async def _serve(self, kind: str, dialer: int, acceptor: int) -> None:
        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._link(kind, dialer, acceptor, reader, writer)

        self.listening.append(await asyncio.start_server(accepted, "127.0.0.1", tapped(kind, dialer, acceptor)))

    async def _link(
        self, kind: str, dialer: int, acceptor: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if frozenset((dialer, acceptor)) in self.cut:
            writer.transport.abort()
            return
        try:
            there = await asyncio.open_connection("127.0.0.1", real(kind, acceptor))
        except OSError:
            writer.transport.abort()
            return
        self.connections += 1
        number = self.connections
        name = f"{kind}{dialer}-{acceptor}" if dialer else f"{kind}{acceptor}"
        self.note(number, OPENED, json.dumps({"name": name, "tport": tapped(kind, dialer, acceptor)}).encode())
        self.open[writer] = self.open[there[1]] = (dialer, acceptor)
        conversation = self.decoder.conversation() if kind == "q" and self.forge else None
        if conversation is not None:
            conversation.ends["acceptor"] = str(acceptor)
        change = self._address(dialer, acceptor) if kind == "e" else None
        if conversation is not None:

            def dialed(data: bytes) -> bytes:
                return b"".join(piece.wire for piece in conversation.dialed(data))

            def answered(data: bytes) -> bytes:
                return b"".join(self._forged(piece) for piece in conversation.answered(data))

            forward = self._pump(number, DIALED, reader, there[1], acceptor, dialed)
            back = self._pump(number, ANSWERED, there[0], writer, dialer, answered)
        else:
            forward = self._pump(number, DIALED, reader, there[1], acceptor, change)
            back = self._pump(number, ANSWERED, there[0], writer, dialer, None)
        tasks = [asyncio.ensure_future(forward), asyncio.ensure_future(back)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for each in (writer, there[1]):
                self.open.pop(each, None)
                each.transport.abort()
            self.note(number, CLOSED, b"{}")

    async def _pump(
        self,
        number: int,
        direction: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        to: int,
        change: Callable[[bytes], bytes] | None,
    ) -> None:
        try:
            while data := await reader.read(65536):
                if delay := self.slow.get(to, 0.0):
                    await asyncio.sleep(delay)
                data = change(data) if change else data
                if data:
                    self.note(number, direction, data)
                    writer.write(data)
                    await writer.drain()
        except OSError:
            return

    def _address(self, dialer: int, acceptor: int) -> Callable[[bytes], bytes]:
        own = f"127.0.0.1:{real('e', dialer)}".encode()
        back = f"127.0.0.1:{tapped('e', acceptor, dialer)}".encode()
        first = [True]

        def change(data: bytes) -> bytes:
            if not first[0]:
                return data
            first[0] = own not in data
            return data.replace(own, back, 1)

        return change

    def _forged(self, piece: Piece) -> bytes:
        if piece.record is None or piece.record["kind"] != "TRUNC" or piece.encode is None:
            return piece.wire
        self.forged += 1
        return piece.encode({**piece.record, "kind": "DIFF"})

    def partition(self, pairs: set[frozenset[int]]) -> None:
        self.cut = pairs
        self.reset(lambda pair: frozenset(pair) in pairs)

    def reset(self, which: Callable[[tuple[int, int]], bool]) -> None:
        """Connections between these two, dialer and acceptor; 0 is a client."""
        for writer, pair in list(self.open.items()):
            if which(pair):
                writer.transport.abort()

    async def close(self) -> None:
        for each in self.listening:
            each.close()
        for writer in list(self.open):
            writer.transport.abort()
        await asyncio.sleep(0.2)
        self.file.close()


class Ensemble:
    def __init__(self, jars: Path, folder: Path, servers: int, options: list[str]) -> None:
        self.jars, self.folder, self.servers, self.options = jars, folder, servers, options
        self.running: dict[int, asyncio.subprocess.Process] = {}
        for server in range(1, servers + 1):
            self._configure(server)

    def _configure(self, server: int) -> None:
        folder = self.folder / str(server)
        folder.mkdir()
        (folder / "myid").write_text(f"{server}\n")
        lines = [f"dataDir={folder}", f"clientPort={real('c', server)}", "tickTime=500", "initLimit=20", "syncLimit=10"]
        lines += ["maxClientCnxns=0", "snapCount=1000", "4lw.commands.whitelist=srvr"]
        for other in range(1, self.servers + 1):
            own = other == server
            quorum = real("q", other) if own else tapped("q", server, other)
            election = real("e", other) if own else tapped("e", server, other)
            lines.append(f"server.{other}=127.0.0.1:{quorum}:{election}")
        (folder / "zoo.cfg").write_text("\n".join(lines) + "\n")

    async def start(self, server: int) -> None:
        command = [*_JAVA, *self.options, "-cp", f"{self.jars}/*", "org.apache.zookeeper.server.quorum.QuorumPeerMain"]
        log = (self.folder / f"{server}.log").open("ab")
        self.running[server] = await asyncio.create_subprocess_exec(
            *command, str(self.folder / str(server) / "zoo.cfg"), stdout=log, stderr=log
        )

    async def kill(self, server: int) -> None:
        process = self.running.pop(server)
        process.kill()
        await process.wait()

    async def stop(self) -> None:
        for server in list(self.running):
            await self.kill(server)

    async def leader(self, but: int = 0, seconds: float = 60) -> int:
        """Who says that it leads. Asked at the real ports, so that it is not in the recording."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for server in self.running:
                if server != but and b"Mode: leader" in await self._asked(server):
                    return server
            await asyncio.sleep(0.3)
        raise TimeoutError("no server leads")

    async def _asked(self, server: int) -> bytes:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", real("c", server))
            writer.write(b"srvr")
            found = await asyncio.wait_for(reader.read(), 2)
            writer.transport.abort()
            return found
        except (OSError, TimeoutError):
            return b""


class Client:
    """Reads and writes, one request after the other, and goes to another server when one is gone."""

    def __init__(self, servers: int, number: int, pause: float) -> None:
        self.servers, self.number, self.pause = servers, number, pause
        self.chance = random.Random(number)
        self.session, self.password, self.seen, self.xid, self.done = 0, bytes(16), 0, 0, 0
        self.allowed = list(range(1, servers + 1))

    async def run(self) -> None:
        while True:
            if not self.allowed:
                await asyncio.sleep(0.1)
                continue
            server = self.chance.choice(self.allowed)
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", tapped("c", 0, server))
            except OSError:
                await asyncio.sleep(0.1)
                continue
            try:
                await self._talk(reader, writer)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.1)
            finally:
                writer.transport.abort()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = struct.pack(">iqiq", 0, self.seen, 8000, self.session) + _buffer(self.password) + b"\0"
        answer = await self._exchange(reader, writer, hello)
        _, _, session = struct.unpack_from(">iiq", answer)
        self.session = session
        if not session:
            self.password = bytes(16)
            raise ConnectionResetError
        self.password = answer[20:36]
        path = _buffer(f"/n{self.number}".encode())
        access = struct.pack(">ii", 1, 31) + _buffer(b"world") + _buffer(b"anyone")
        await self._request(reader, writer, 1, path + _buffer(b"") + access + struct.pack(">i", 0))
        while True:
            if self.chance.random() < 0.6:
                value = b"%d " % self.xid * self.chance.randrange(5, 40)
                await self._request(reader, writer, 5, path + _buffer(value) + struct.pack(">i", -1))
            else:
                await self._request(reader, writer, 4, path + b"\0")
            self.done += 1
            await asyncio.sleep(self.pause)

    async def _request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, operation: int, content: bytes
    ) -> None:
        self.xid += 1
        answer = await self._exchange(reader, writer, struct.pack(">ii", self.xid, operation) + content)
        _, zxid, _ = struct.unpack_from(">iqi", answer)
        self.seen = max(self.seen, zxid)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, packet: bytes) -> bytes:
        writer.write(_buffer(packet))
        (length,) = struct.unpack(">i", await asyncio.wait_for(reader.readexactly(4), 5))
        return await asyncio.wait_for(reader.readexactly(length), 5)


def _buffer(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


class Run:
    """One ensemble with its clients, and what is done to it."""

    def __init__(self, recorder: Recorder, ensemble: Ensemble, clients: list[Client], seconds: float) -> None:
        self.recorder, self.ensemble, self.clients, self.seconds = recorder, ensemble, clients, seconds

    async def load(self) -> None:
        await asyncio.sleep(self.seconds)

    async def kill(self) -> None:
        await self.load()
        for _ in range(2):
            leader = await self.ensemble.leader()
            await self.ensemble.kill(leader)
            new = await self.ensemble.leader()
            await self.load()
            await self.ensemble.start(leader)
            await self.load()
            follower = next(each for each in self.ensemble.running if each not in (new, leader))
            await self.ensemble.kill(follower)
            await asyncio.sleep(1)
            await self.ensemble.start(follower)
            await self.load()

    async def partition(self) -> None:
        await self.load()
        leader = await self.ensemble.leader()
        others = [each for each in self.ensemble.running if each != leader]
        self.recorder.partition({frozenset((leader, each)) for each in others})
        new = await self.ensemble.leader(but=leader)
        await self.load()
        self.recorder.partition(set())
        await self.load()
        follower = next(each for each in others if each != new)
        self.recorder.partition({frozenset((follower, each)) for each in self.ensemble.running if each != follower})
        await self.load()
        self.recorder.partition(set())
        await self.load()

    async def snapshot(self) -> None:
        await self.load()
        leader = await self.ensemble.leader()
        follower = next(each for each in self.ensemble.running if each != leader)
        await self.ensemble.kill(follower)
        await self.load()
        await self.load()
        await self.ensemble.start(follower)
        await self.load()

    async def trunc(self) -> None:
        """A leader whose last proposals reach nobody, and which comes back when others have gone on."""
        await self.load()
        leader = await self.ensemble.leader()
        for client in self.clients:
            client.allowed = [leader]
        self.recorder.reset(lambda pair: pair[0] == 0)
        await asyncio.sleep(1)
        for server in self.ensemble.running:
            if server != leader:
                self.recorder.slow[server] = 60.0  # what it is sent does not arrive
        await asyncio.sleep(2)
        for client in self.clients:
            client.allowed = []  # a transaction of the new epoch would make it a snapshot
        await self.ensemble.kill(leader)
        self.recorder.slow.clear()
        pairs = {frozenset((leader, each)) for each in self.ensemble.running}
        self.recorder.partition(pairs)  # with what was held up
        self.recorder.partition(set())
        await self.ensemble.leader()
        await self.ensemble.start(leader)
        await asyncio.sleep(4)
        for client in self.clients:
            client.allowed = [*self.ensemble.running]
        await self.load()


async def run(options: argparse.Namespace, folder: Path) -> None:
    forge = options.scenario == "bug-1154"
    recorder = Recorder(Path(options.out), options.servers, forge)
    extra = _SNAPSHOTS if options.scenario == "snapshot" else []
    ensemble = Ensemble(Path(options.jars).absolute(), folder, options.servers, extra)
    clients = [Client(options.servers, number, options.pause) for number in range(1, options.clients + 1)]
    tasks: list[asyncio.Task[None]] = []
    try:
        await recorder.listen()
        for server in range(1, options.servers + 1):
            await ensemble.start(server)
        await ensemble.leader()
        tasks += [asyncio.ensure_future(client.run()) for client in clients]
        scenario = Run(recorder, ensemble, clients, options.seconds)
        play: Callable[[], Awaitable[None]] = getattr(scenario, "trunc" if forge else options.scenario)
        await play()
    finally:
        for task in tasks:
            task.cancel()
        await ensemble.stop()
        await recorder.close()
    done = sum(client.done for client in clients)
    print(f"{options.out}: {recorder.sequence} records, {done} requests, {recorder.forged} messages forged")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jars")
    parser.add_argument("out")
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--scenario", default="load", choices=_SCENARIOS)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--pause", type=float, default=0.01)
    parser.add_argument("--keep", action="store_true", help="keep what the servers have written")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="zookeeper-"))
    try:
        asyncio.run(run(options, folder))
    finally:
        if options.keep:
            print(folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
