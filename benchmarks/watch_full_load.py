"""A cluster of etcd under as much load as it takes, recorded by passive capture: for `watch_throughput.py`.

    python benchmarks/watch_full_load.py --program ETCD run.trace [--members 3] [--reads 0.5] [--clients 32]

Clients put and read keys out of a million, by gRPC, each one request after the other, on all members alike. One
thread serves all of them with as little work as possible, so that the machine is left to etcd. Nothing is judged
meanwhile. It ends all that it has started. Needs CAP_NET_RAW.
"""

from __future__ import annotations

import argparse
import random
import selectors
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from etcd_cluster import HOST, Cluster

from gristmill.systems.decoders.http2 import PREFACE
from gristmill.systems.decoders.protobuf import write_content
from gristmill.watch.live.capture import Capture
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.ring import Ring

_KEYS = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("recording", type=Path)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--reads", type=float, default=0.5)
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(options.program, Path(folder), options.members, tapped=False)
        with cluster, captured(cluster, options.recording):
            cluster.start_all()
            cluster.leader()
            time.sleep(1.0)
            done = load(cluster, options.clients, options.reads, options.seconds)
    print(f"{options.recording}: {done / options.seconds:,.0f} operations/s")


@contextmanager
def captured(cluster: Cluster, recording: Path) -> Iterator[None]:
    """What goes to and from the members, peers and clients, is written to a file."""
    links = [
        Link(f"{each.name}{kind}", Address(HOST, port), node=each.name)
        for each in cluster.members
        for kind, port in (("p", each.peer), ("c", each.client))
    ]
    ring = Ring()
    capture = Capture(links, ring, "lo")
    stop = threading.Event()

    def take() -> None:
        with recording.open("wb") as file:
            while not stop.wait(0.01):
                while records := ring.take():
                    file.write(records)

    taker = threading.Thread(target=take)
    capture.start()
    taker.start()
    try:
        yield
    finally:
        capture.close()
        stop.set()
        taker.join()
        ring.close()


class Client:
    """One connection by gRPC (HTTP/2), with one request under way. Not by JSON: etcd would ask itself by gRPC then, and
    every request be seen twice."""

    def __init__(self, port: int, chance: random.Random, reads: float) -> None:
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.chance, self.reads, self.done, self.heard, self.stream = chance, reads, 0, b"", 1
        window = (1 << 31) - 1 - (1 << 16)  # the answers of all streams together
        self.socket.sendall(PREFACE + frame(_SETTINGS, 0, 0, b"") + frame(_WINDOW, 0, 0, window.to_bytes(4, "big")))

    def ask(self) -> None:
        key = b"%d" % self.chance.randrange(_KEYS)
        is_read = self.chance.random() < self.reads
        message = write_content(1, key) + (b"" if is_read else write_content(2, key))
        head = frame(_HEADERS, _END_HEADERS, self.stream, _HEADS["Range" if is_read else "Put"])
        body = frame(_DATA, _END_STREAM, self.stream, b"\0" + len(message).to_bytes(4, "big") + message)
        self.socket.sendall(head + body)
        self.stream += 2

    def hear(self) -> None:
        """If the answer is complete, the next request is sent."""
        self.heard += self.socket.recv(65536)
        while len(self.heard) >= 9 and len(self.heard) >= 9 + int.from_bytes(self.heard[:3], "big"):
            end = 9 + int.from_bytes(self.heard[:3], "big")
            kind, flags, content = self.heard[3], self.heard[4], self.heard[9:end]
            self.heard = self.heard[end:]
            if kind in (_SETTINGS, _PING) and not flags & _ACK:
                self.socket.sendall(frame(kind, _ACK, 0, content if kind == _PING else b""))
            elif kind == _HEADERS and flags & _END_STREAM:
                self.done += 1
                self.ask()


def frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    return len(content).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + content


def _head(call: str) -> bytes:
    """The headers of a call, none of which leans on another one's."""
    fields = [(":path", f"/etcdserverpb.KV/{call}"), (":authority", "etcd"), ("te", "trailers")]
    fields.append(("content-type", "application/grpc"))
    texts = [text.encode() for field in fields for text in field]
    written = [bytes((len(text),)) + text for text in texts]
    return b"\x83\x86" + b"".join(b"\0" + name + value for name, value in zip(written[::2], written[1::2], strict=True))


_DATA, _HEADERS, _SETTINGS, _PING, _WINDOW = 0, 1, 4, 6, 8
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_HEADS = {call: _head(call) for call in ("Put", "Range")}


def load(cluster: Cluster, clients: int, reads: float, seconds: float) -> int:
    """How many requests were answered."""
    chance, selector = random.Random(1), selectors.DefaultSelector()
    ports = [member.client for member in cluster.members]
    every = [Client(ports[number % len(ports)], chance, reads) for number in range(clients)]
    for client in every:
        selector.register(client.socket, selectors.EVENT_READ, client)
        client.ask()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for key, _ in selector.select(0.1):
            key.data.hear()
    for client in every:
        client.socket.close()
    return sum(client.done for client in every)


if __name__ == "__main__":
    main()
