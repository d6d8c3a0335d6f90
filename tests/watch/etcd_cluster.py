"""Members of etcd on loopback, each with a folder of its own; the others are told that it listens at a tap."""

from __future__ import annotations

import base64
import contextlib
import http.client
import itertools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

HOST = "127.0.0.1"


_RESERVED: list[socket.socket] = []  # as long as this process lives


def free_ports(count: int) -> list[int]:
    """None of those that the system gives to whoever dials: a server that is killed must find its port free again. Nor
    does another test or soak get one, as some are not used before a member joins."""
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(10_000, 32_000)
        mark = socket.socket(socket.AF_UNIX)
        try:
            with socket.socket() as trial:
                trial.bind((HOST, port))
            mark.bind(f"\0gristmill-port-{port}")  # a name, no file
        except OSError:
            mark.close()
            continue
        _RESERVED.append(mark)
        found.append(port)
    return found


@dataclass
class Member:
    name: str
    client: int
    peer: int
    tap: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    service: int = 0  # where clients find it, if not at `client`


@dataclass
class Cluster:
    """`tapped`: whether links go through taps."""

    program: Path
    folder: Path
    size: int = 3
    tapped: bool = True
    options: Sequence[str] = ()
    members: list[Member] = field(default_factory=list)
    joined: dict[str, Sequence[Member]] = field(default_factory=dict)  # those that were there, by who joined them

    def __post_init__(self) -> None:
        self.founders = [self.new_member(f"m{number}") for number in range(1, self.size + 1)]

    def new_member(self, name: str) -> Member:
        """It is not started yet."""
        member = Member(name, *free_ports(3), self.folder / name)
        self.members.append(member)
        return member

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            self.kill(member)
            shutil.rmtree(member.folder, ignore_errors=True)

    def mapping_links(self) -> str:
        """For the mapping."""
        lines = []
        for member in self.members:
            lines.append(f'[watch.links.{member.name}]\nat = "{HOST}:{member.peer}"\nnode = "{member.name}"')
            if self.tapped:
                lines.append(f'tap = "{HOST}:{member.tap}"')
        return "\n".join(lines) + "\n"

    def start(self, member: Member, among: Sequence[Member] | None = None) -> None:
        """`among`: the members of a cluster that is there, which it joins; otherwise they begin together. Who has
        joined, and is started once more, is told the same as then."""
        if among is not None:
            self.joined[member.name] = among
        members = self.joined.get(member.name, self.founders)
        state = "existing" if member.name in self.joined else "new"
        advertised = {each.name: self.found_at(each) for each in members}
        cluster = ",".join(f"{name}=http://{HOST}:{port}" for name, port in advertised.items())
        member.folder.mkdir(parents=True, exist_ok=True)
        with (member.folder / "log").open("ab") as log:
            member.process = subprocess.Popen(
                [
                    self.program, "--name", member.name, "--data-dir", member.folder / "data",
                    "--initial-cluster", cluster, "--initial-cluster-state", state,
                    "--initial-advertise-peer-urls", f"http://{HOST}:{advertised[member.name]}",
                    "--listen-peer-urls", f"http://{HOST}:{member.peer}",
                    "--listen-client-urls", f"http://{HOST}:{member.client}",
                    "--advertise-client-urls", f"http://{HOST}:{member.client}",
                    "--unsafe-no-fsync", *self.options,
                ],
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def found_at(self, member: Member) -> int:
        return member.tap if self.tapped else member.peer

    def start_all(self) -> None:
        for member in self.founders:
            self.start(member)

    def kill(self, member: Member) -> None:
        if member.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(member.process.pid, signal.SIGKILL)
            member.process.wait()
            member.process = None

    # ------------------------------------------------------------------------------------------------------ as a client

    def call(self, member: Member, path: str, body: object, seconds: float = 5.0) -> dict[str, object]:
        connection = http.client.HTTPConnection(HOST, member.client, timeout=seconds)
        try:
            return _call(connection, path, body)
        finally:
            connection.close()

    def leader(self, seconds: float = 30.0, but: Member | None = None) -> Member:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for member in (each for each in self.members if each is not but):
                with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                    status = self.call(member, "/v3/maintenance/status", {}, 1.0)
                    header = status["header"]
                    assert isinstance(header, dict)
                    if status.get("leader") == header.get("member_id") and status.get("leader"):
                        return member
            time.sleep(0.1)
        raise AssertionError("there is no leader")


def _call(connection: http.client.HTTPConnection, path: str, body: object) -> dict[str, object]:
    connection.request("POST", path, json.dumps(body))
    answer = connection.getresponse()
    found: dict[str, object] = json.loads(answer.read())
    if answer.status != 200:
        raise OSError(str(found)[:200])
    return found


def _text(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class Load:
    """Clients that put and read, one after the other, on all members; `latencies` of what was answered, in seconds."""

    def __init__(self, cluster: Cluster, clients: int = 4, reads: float = 0.3, pause: float = 0.0) -> None:
        self.cluster, self.reads, self.pause = cluster, reads, pause
        self.latencies: list[float] = []
        self.failed = 0
        self._stop = threading.Event()
        self._numbers = itertools.count()
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True) for number in range(clients)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        members = itertools.cycle(self.cluster.members[number % self.cluster.size :] + self.cluster.members[:1])
        member = next(members)
        connection = http.client.HTTPConnection(HOST, member.service or member.client, timeout=3.0)
        while not self._stop.wait(self.pause):
            began = time.perf_counter()
            try:
                self._one(connection)
                self.latencies.append(time.perf_counter() - began)
            except (OSError, http.client.HTTPException, ValueError):
                self.failed += 1
                connection.close()
                member = next(members)
                connection = http.client.HTTPConnection(HOST, member.service or member.client, timeout=3.0)
                self._stop.wait(0.05)
        connection.close()

    def _one(self, connection: http.client.HTTPConnection) -> None:
        number = next(self._numbers)
        key = _text(f"k{number % 97}")
        if number % 100 < 100 * self.reads:
            _call(connection, "/v3/kv/range", {"key": key})
        else:
            _call(connection, "/v3/kv/put", {"key": key, "value": _text(f"v{number}")})


class Linked(Protocol):
    """A cluster: of etcd, or of something else."""

    def mapping_links(self) -> str: ...


def mapping_of(cluster: Linked, example: Path, folder: Path) -> Path:
    """The example's mapping, with the links of this cluster."""
    text = example.read_text().replace('specification = "', f'specification = "{example.parent}/')
    text = text.replace('config = "', f'config = "{example.parent}/')
    path = folder / "live.map.toml"
    path.write_text(text + "\n" + cluster.mapping_links())
    return path
