"""Servers of ZooKeeper on loopback, each with a folder of its own, which find each other and are found at taps."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from etcd_cluster import HOST, free_ports

PORTS = ("client", "quorum", "election")
_JAVA = ("java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.admin.enableServer=false")
_MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
_CREATE, _READ, _WRITE, _RECONFIGURE = 1, 4, 5, 16


@dataclass
class Server:
    """`ports`: where it listens; `taps`: where it is found."""

    number: int
    ports: Mapping[str, int]
    taps: Mapping[str, int]
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def name(self) -> str:
        return str(self.number)


@dataclass
class Ensemble:
    """`tapped`: whether links go through taps. `ways`: where a server finds another one's port, if not at its tap.

    `observers`: servers without a vote. `founders`: if members can change, those that there are in the beginning.
    """

    jars: Path
    folder: Path
    size: int = 3
    tapped: bool = True
    options: Sequence[str] = ()
    snapshots: int = 100_000  # transactions between two of them
    observers: Collection[int] = ()
    founders: Collection[int] | None = None
    members: list[Server] = field(default_factory=list)
    ways: dict[tuple[int, int, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        free = iter(free_ports(2 * len(PORTS) * self.size))
        for number in range(1, self.size + 1):
            ports, taps = ({name: next(free) for name in PORTS} for _ in range(2))
            self.members.append(Server(number, ports, taps, self.folder / f"server{number}"))

    def __enter__(self) -> Ensemble:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.members:
            self.kill(server)
            shutil.rmtree(server.folder, ignore_errors=True)

    def mapping_links(self) -> str:
        """For the mapping."""
        lines = []
        for server in self.members:
            for name in PORTS:
                lines.append(f'[watch.links.{name}{server.number}]\nat = "{HOST}:{server.ports[name]}"')
                lines.append(f'node = "{server.number}"')
                if self.tapped:
                    lines.append(f'tap = "{HOST}:{server.taps[name]}"')
        return "\n".join(lines) + "\n"

    def found_at(self, server: Server, name: str, by: int = 0) -> int:
        """By another server; 0: by a client."""
        way = self.ways.get((by, server.number, name))
        return way or (server.taps if self.tapped else server.ports)[name]

    def _configure(self, server: Server) -> None:
        server.folder.mkdir(parents=True, exist_ok=True)
        (server.folder / "myid").write_text(f"{server.number}\n")
        if self.founders is not None and (server.folder / "zoo.cfg").exists():
            return  # it has been told since who is there
        lines = [f"dataDir={server.folder}"]
        if self.founders is None:
            lines += [f"clientPort={server.ports['client']}", f"clientPortAddress={HOST}"]
        else:
            lines += ["reconfigEnabled=true", "standaloneEnabled=false"]
        lines += ["tickTime=500", "initLimit=20", "syncLimit=10", "maxClientCnxns=0", f"snapCount={self.snapshots}"]
        lines += ["4lw.commands.whitelist=srvr", "admin.enableServer=false"]
        for other in self.members:
            if self.founders is None or other.number in self.founders or other is server:
                lines.append(self.described(other, server))
        (server.folder / "zoo.cfg").write_text("\n".join(lines) + "\n")

    def described(self, other: Server, by: Server | None = None, role: str = "") -> str:
        """A server in the configuration of another one, or of all."""
        own = other is by
        quorum, election = (
            other.ports[name] if own else self.found_at(other, name, by.number if by else 0)
            for name in ("quorum", "election")
        )
        role = role or ("observer" if other.number in self.observers else "participant")
        clients = "" if self.founders is None else f";{HOST}:{other.ports['client']}"
        return f"server.{other.number}={HOST}:{quorum}:{election}:{role}{clients}"

    def start(self, server: Server) -> None:
        self._configure(server)
        command = [*_JAVA, *self.options, "-cp", f"{self.jars}/*", _MAIN, str(server.folder / "zoo.cfg")]
        with (server.folder / "log").open("ab") as log:
            server.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def start_all(self) -> None:
        for server in self.members:
            self.start(server)

    def kill(self, server: Server) -> None:
        if server.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.process.pid, signal.SIGKILL)
            server.process.wait()
            server.process = None

    def leader(self, seconds: float = 60.0, but: Server | None = None) -> Server:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for server in self.members:
                if server is not but and b"Mode: leader" in self._asked(server):
                    return server
            time.sleep(0.2)
        raise AssertionError("there is no leader")

    def _asked(self, server: Server) -> bytes:
        """Where it really listens: it is none of what is watched through the tap."""
        try:
            with socket.create_connection((HOST, server.ports["client"]), timeout=1) as connection:
                connection.sendall(b"srvr")
                found = b""
                while data := connection.recv(4096):
                    found += data
                return found
        except OSError:
            return b""


class Load:
    """Clients that write and read, one request after the other; `latencies` of what was answered, in seconds."""

    def __init__(self, ensemble: Ensemble, clients: int = 4, reads: float = 0.3, pause: float = 0.0) -> None:
        self.ensemble, self.reads, self.pause = ensemble, reads, pause
        self.latencies: list[float] = []
        self.stopped = threading.Event()
        self._threads = [
            threading.Thread(target=_Client(self, number).run, daemon=True) for number in range(1, clients + 1)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self._threads:
            thread.join()


def reconfigure(server: Server, joining: Sequence[str] = (), leaving: Sequence[int] = (), seconds: float = 30) -> None:
    """Asked at a server; once more as long as it is refused: a new member must have caught up before it gets a vote."""
    deadline = time.monotonic() + seconds
    texts = (",".join(joining), ",".join(map(str, leaving)), "")
    content = b"".join(_buffer(each.encode()) if each else struct.pack(">i", -1) for each in texts)
    refused = 0
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((HOST, server.ports["client"]), timeout=5) as connection:
                _exchanged(connection, struct.pack(">iqiq", 0, 0, 8000, 0) + _buffer(bytes(16)) + b"\0")
                asked = struct.pack(">ii", 1, _RECONFIGURE) + content + struct.pack(">q", -1)
                (refused,) = struct.unpack_from(">i", _exchanged(connection, asked), 12)
                if not refused:
                    return
        except (OSError, EOFError):
            pass
        time.sleep(0.3)
    raise AssertionError(f"members do not change: error {refused}")


class _Client:
    """Its session goes on at another server if one is gone."""

    def __init__(self, load: Load, number: int) -> None:
        self.load, self.number = load, number
        self.chance = random.Random(number)
        self.session, self.password, self.seen, self.xid = 0, bytes(16), 0, 0

    def run(self) -> None:
        ensemble = self.load.ensemble
        while not self.load.stopped.is_set():
            server = self.chance.choice(ensemble.members)
            try:
                address = (HOST, ensemble.found_at(server, "client"))
                with socket.create_connection(address, timeout=5) as connection:
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._talk(connection)
            except (OSError, EOFError):
                self.load.stopped.wait(0.1)

    def _talk(self, connection: socket.socket) -> None:
        hello = struct.pack(">iqiq", 0, self.seen, 8000, self.session) + _buffer(self.password) + b"\0"
        answer = _exchanged(connection, hello)
        (self.session,) = struct.unpack_from(">q", answer, 8)
        self.password = answer[20:36] if self.session else bytes(16)
        if not self.session:
            raise EOFError
        path = _buffer(f"/n{self.number}".encode())
        access = struct.pack(">ii", 1, 31) + _buffer(b"world") + _buffer(b"anyone")
        self._request(connection, _CREATE, path + _buffer(b"") + access + struct.pack(">i", 0))
        while not self.load.stopped.wait(self.load.pause):
            began = time.perf_counter()
            if self.chance.random() < self.load.reads:
                self._request(connection, _READ, path + b"\0")
            else:
                value = b"%d " % self.xid * self.chance.randrange(5, 40)
                self._request(connection, _WRITE, path + _buffer(value) + struct.pack(">i", -1))
            self.load.latencies.append(time.perf_counter() - began)

    def _request(self, connection: socket.socket, operation: int, content: bytes) -> None:
        self.xid += 1
        answer = _exchanged(connection, struct.pack(">ii", self.xid, operation) + content)
        self.seen = max(self.seen, struct.unpack_from(">q", answer, 4)[0])


def _exchanged(connection: socket.socket, packet: bytes) -> bytes:
    connection.sendall(_buffer(packet))
    (length,) = struct.unpack(">i", _exactly(connection, 4))
    return _exactly(connection, length)


def _exactly(connection: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        data = connection.recv(length - len(found))
        if not data:
            raise EOFError
        found += data
    return found


def _buffer(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content
