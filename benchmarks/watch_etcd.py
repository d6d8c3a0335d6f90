"""Recordings of a cluster of etcd with clients, to be judged by `gristmill watch`.

    python benchmarks/watch_etcd.py --program ETCD run.trace [--members 3] [--seconds 20] [--grpc] [--changes]

Clients write and read, linearizable and serializable, through JSON (and gRPC, if grpcio is there); meanwhile the leader
is killed and started again, and with `--changes` a member is added and another one removed. It ends all that it has
started.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from watch_recorder import Change, Recorder

from gristmill.systems.decoders.protobuf import write_content, write_number


class Cluster:
    """Member m has four ports: `first` + 10 m is where its peers listen for it, the next is the tap of that; then the
    same for clients."""

    def __init__(
        self, program: str, recorder: Recorder, folder: Path, first: int, members: int, version: str = "v3"
    ) -> None:
        self.version = version  # of the paths of its JSON
        self.program, self.recorder, self.folder, self.first = program, recorder, folder, first
        self.founders = list(range(members))
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        for member in self.founders:
            self.link(member)

    def port(self, member: int, which: int) -> int:
        return self.first + 10 * member + which

    def link(self, member: int) -> None:
        self.recorder.link(f"m{member}", self.port(member, 1), self.port(member, 0))
        self.recorder.link(f"m{member}", self.port(member, 3), self.port(member, 2))

    def peers(self, members: list[int]) -> str:
        return ",".join(f"m{each}=http://127.0.0.1:{self.port(each, 1)}" for each in members)

    def start(self, member: int, members: list[int] | None = None) -> None:
        """`members`: of a cluster that exists, which this one joins."""
        peer, tap, client, _ = (f"http://127.0.0.1:{self.port(member, which)}" for which in range(4))
        arguments = [
            self.program, "--name", f"m{member}", "--data-dir", str(self.folder / f"m{member}"),
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", tap,
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--initial-cluster", self.peers(members or self.founders),
            "--initial-cluster-state", "existing" if members else "new",
            "--heartbeat-interval", "100", "--election-timeout", "1000", "--snapshot-count", "2000",
        ]  # fmt: skip
        log = (self.folder / f"m{member}.log").open("ab")
        self.running[member] = subprocess.Popen(arguments, stdout=log, stderr=log)

    def kill(self, member: int) -> None:
        process = self.running.pop(member)
        process.kill()
        process.wait(10)

    def close(self) -> None:
        for member in list(self.running):
            self.kill(member)

    def call(self, member: int, path: str, body: dict[str, Any], tapped: bool = True, seconds: float = 8) -> Any:
        """By JSON. None if it fails."""
        port = self.port(member, 3 if tapped else 2)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        try:
            connection.request("POST", f"/{self.version}/{path}", json.dumps(body))
            answer = connection.getresponse()
            said = json.loads(answer.read())
            return said if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def leader(self) -> int | None:
        for member in list(self.running):
            said = self.call(member, "maintenance/status", {}, tapped=False, seconds=2)
            if said and said.get("leader") == said["header"]["member_id"]:
                return member
        return None

    def ready(self, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.leader() is not None:
                return
            time.sleep(0.3)
        raise SystemExit("etcd has no leader")


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class Load:
    """Clients in threads, each with a member at a time."""

    def __init__(self, cluster: Cluster, clients: int, grpc: bool, pause: float = 0.01) -> None:
        self.cluster, self.pause, self.stopped = cluster, pause, threading.Event()
        self.done = 0
        self.threads = [
            threading.Thread(target=self._grpc if grpc and number % 2 else self._json, args=(number,), daemon=True)
            for number in range(clients)
        ]
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join(15)

    def _json(self, number: int) -> None:
        chance = random.Random(number)
        connection: http.client.HTTPConnection | None = None
        count = 0
        while not self.stopped.wait(self.pause):
            count += 1
            try:
                if connection is None:
                    member = chance.choice(list(self.cluster.running) or [0])
                    connection = http.client.HTTPConnection("127.0.0.1", self.cluster.port(member, 3), timeout=4)
                path, body = self._request(chance, number, count)
                connection.request("POST", f"/{self.cluster.version}/kv/{path}", json.dumps(body))
                connection.getresponse().read()
                self.done += 1
            except (OSError, http.client.HTTPException):
                if connection is not None:
                    connection.close()
                connection = None

    def _request(self, chance: random.Random, number: int, count: int) -> tuple[str, dict[str, Any]]:
        key, value = b64(f"k{number}"), b64(f"{number}-{count}")
        match chance.randrange(8):
            case 0 | 1 | 2:
                return "put", {"key": key, "value": value}
            case 3 | 4:
                return "range", {"key": key}
            case 5:
                return "range", {"key": key, "serializable": True}
            case 6:
                return "deleterange", {"key": key}
        return "txn", {"success": [{"requestPut": {"key": key, "value": value}}]}

    def _grpc(self, number: int) -> None:
        import grpc

        chance = random.Random(number)
        count = 0
        channel = None
        while not self.stopped.wait(self.pause):
            if channel is None:
                member = chance.choice(list(self.cluster.running) or [0])
                channel = grpc.insecure_channel(f"127.0.0.1:{self.cluster.port(member, 3)}")
            count += 1
            key, value = write_content(1, f"g{number}".encode()), write_content(2, f"{number}-{count}".encode())
            name, message = [
                ("Put", key + value), ("Put", key + value), ("Range", key), ("Range", key),
                ("Range", key + write_number(7, 1)), ("DeleteRange", key),
                ("Txn", write_content(2, write_content(2, key + value))),
                ("Txn", write_content(2, write_content(1, key))),
            ][chance.randrange(8)]  # fmt: skip
            call = channel.unary_unary(f"/etcdserverpb.KV/{name}", lambda data: data, lambda data: data)
            try:
                call(message, timeout=4)
                self.done += 1
            except grpc.RpcError:
                channel.close()
                channel = None
        if channel is not None:
            channel.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("recording", type=Path)
    parser.add_argument("--program", required=True)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.01)
    parser.add_argument("--grpc", action="store_true")
    parser.add_argument("--changes", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(options, Path(folder))


def run(options: argparse.Namespace, folder: Path, change: Change | None = None) -> None:
    recorder = Recorder(options.recording, change or (lambda name, direction, data: data))
    cluster = Cluster(options.program, recorder, folder, random.randrange(20_000, 30_000, 200), options.members)
    load = None
    try:
        for member in cluster.founders:
            cluster.start(member)
        cluster.ready()
        load = Load(cluster, options.clients, options.grpc, options.pause)
        time.sleep(options.seconds / 4)
        if options.changes:
            changes(cluster)
        time.sleep(options.seconds / 4)
        killed = cluster.leader()
        if killed is not None:
            cluster.kill(killed)
            time.sleep(options.seconds / 4)
            cluster.start(killed)
        time.sleep(options.seconds / 4)
    finally:
        if load is not None:
            load.stop()
            print(f"{load.done} calls were answered")
        cluster.close()
        recorder.close()


def changes(cluster: Cluster) -> None:
    """A member joins; then one that does not lead leaves."""
    new, old = len(cluster.founders), list(cluster.running)
    cluster.link(new)
    asked = old[0]
    address = f"http://127.0.0.1:{cluster.port(new, 1)}"
    for _ in range(10):  # not before all members have been connected for a while
        if cluster.call(asked, "cluster/member/add", {"peerURLs": [address]}) is not None:
            print("added")
            break
        time.sleep(1)
    cluster.start(new, [*old, new])
    time.sleep(7)
    members = cluster.call(asked, "cluster/member/list", {}, tapped=False) or {}
    leader = cluster.leader()
    leaves = next(each for each in old if each not in (leader, asked))
    for member in members.get("members", ()):
        if member.get("name") == f"m{leaves}":
            print("removed:", cluster.call(asked, "cluster/member/remove", {"ID": member["ID"]}) is not None)
    time.sleep(2)
    cluster.kill(leaves)


if __name__ == "__main__":
    main()
