"""A cell that three nodes keep together: the program that Cell.tla specifies, with the log it writes.

    python cell.py run logs                      three nodes on this machine for a second; the leader is killed once
    python cell.py run logs --writes 1000        until the leaders have written so often
    python cell.py run logs --forget             with a mistake: a node that is started again has forgotten its epoch

Each node is a process of its own, talks TCP to the others, and writes NODE.ndjson: a line for each thing that it does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Message = dict[str, Any]

NODES = ("s1", "s2", "s3")
PATIENCE = 0.15  # seconds without a leader, about, before a node wants to be one
RECONNECT = 0.02


class JsonLines(logging.Formatter):
    """A line of JSON for each record: the time, the node, what happened, and whatever else was said."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps({"ts": record.created, "node": record.name, "event": record.msg, **record.__dict__["fields"]})


def logger(node: str, file: Path) -> logging.Logger:
    handler = logging.FileHandler(file)
    handler.setFormatter(JsonLines())
    log = logging.getLogger(node)
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    return log


class Node:
    def __init__(self, name: str, ports: dict[str, int], folder: Path, pause: float, forget: bool) -> None:
        self.name, self.ports, self.pause = name, ports, pause
        self.others = [each for each in ports if each != name]
        self.disk = folder / f"{name}.disk"
        self.log = logger(name, folder / f"{name}.ndjson")
        self.epoch, self.role = 0, "follower"
        self.cell = {"epoch": 0, "version": 0, "value": 0}
        self.votes: set[str] = set()
        self.acks: set[str] = set()
        self.links: dict[str, asyncio.StreamWriter] = {}
        self.heard = time.monotonic()
        self.parent = os.getppid()
        if self.disk.exists():
            kept = json.loads(self.disk.read_text())
            self.cell, self.epoch = kept["cell"], 0 if forget else kept["epoch"]
            self.tell("start")

    def tell(self, event: str, **fields: Any) -> None:
        """What has been done is logged before anybody can know of it: messages are sent later."""
        seen = {"epoch": self.epoch, "role": self.role, "cell": self.cell}
        self.log.info(event, extra={"fields": {**fields, **seen}})

    def save(self) -> None:
        new = self.disk.with_suffix(".new")
        new.write_text(json.dumps({"epoch": self.epoch, "cell": self.cell}))
        new.rename(self.disk)

    def send(self, to: str, message: Message) -> None:
        link = self.links.get(to)
        if link is not None and not link.is_closing():
            link.write(json.dumps(message).encode() + b"\n")

    def broadcast(self, message: Message) -> None:
        for other in self.others:
            self.send(other, message)

    # ------------------------------------------------------------------------------------------------------ protocol

    def campaign(self) -> None:
        self.epoch, self.role, self.votes, self.acks = self.epoch + 1, "candidate", {self.name}, set()
        self.save()
        self.tell("campaign")
        self.broadcast({"type": "ask", "epoch": self.epoch, "cell": self.cell})

    def write(self, value: int) -> None:
        self.cell = {"epoch": self.epoch, "version": self.cell["version"] + 1, "value": value}
        self.acks = {self.name}
        self.save()
        self.tell("write", value=value)
        self.broadcast({"type": "store", "epoch": self.epoch, "cell": self.cell})

    def receive(self, other: str, m: Message) -> None:
        handle = {"ask": self.asked, "vote": self.voted, "store": self.store, "ack": self.acked}[m["type"]]
        if not handle(other, m):
            self.tell("ignore", **{"from": other, "type": m["type"]})

    def asked(self, other: str, m: Message) -> bool:
        if m["epoch"] <= self.epoch or stamp(self.cell) > stamp(m["cell"]):
            return False
        self.epoch, self.role, self.heard = m["epoch"], "follower", time.monotonic()
        self.save()
        self.tell("grant", **{"from": other})
        self.send(other, {"type": "vote", "epoch": self.epoch})
        return True

    def voted(self, other: str, m: Message) -> bool:
        if self.role != "candidate" or m["epoch"] != self.epoch:
            return False
        self.votes.add(other)
        if 2 * len(self.votes) > len(self.ports):
            self.role = "leader"
        self.tell("vote", **{"from": other, "votes": len(self.votes)})
        return True

    def store(self, other: str, m: Message) -> bool:
        if m["epoch"] < self.epoch:
            return False
        self.epoch, self.role, self.cell, self.heard = m["epoch"], "follower", m["cell"], time.monotonic()
        self.save()
        self.tell("store", **{"from": other})
        self.send(other, {"type": "ack", "epoch": self.epoch, "version": self.cell["version"]})
        return True

    def acked(self, other: str, m: Message) -> bool:
        if (self.role, m["epoch"], m["version"]) != ("leader", self.epoch, self.cell["version"]):
            return False
        self.acks.add(other)
        self.tell("ack", **{"from": other, "done": 2 * len(self.acks) > len(self.ports)})
        return True

    # -------------------------------------------------------------------------------------------------------- tasks

    async def run(self) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", self.ports[self.name])
        async with server:
            await asyncio.gather(self.lead(), self.wait(), *map(self.connect, self.others))

    async def lead(self) -> None:
        """The leader writes all the time."""
        while True:
            await asyncio.sleep(self.pause)
            if self.role == "leader":
                self.write((self.cell["value"] + 1) % 10)

    async def wait(self) -> None:
        while True:
            patience = PATIENCE * random.uniform(1, 2)
            await asyncio.sleep(patience / 4)
            if os.getppid() != self.parent:  # whoever has started it is gone
                sys.exit(1)
            if self.role != "leader" and time.monotonic() - self.heard > patience:
                self.heard = time.monotonic()
                self.campaign()

    async def connect(self, other: str) -> None:
        """Keep a connection that this node sends on; whatever comes back on it is its end."""
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.ports[other])
                self.tell("connect", to=other)
                writer.write(json.dumps(self.name).encode() + b"\n")
                self.links[other] = writer
                await reader.read()
                writer.close()
            await asyncio.sleep(RECONNECT)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            other = json.loads(await reader.readline())
            while line := await reader.readline():
                self.receive(other, json.loads(line))
        writer.close()


def stamp(cell: dict[str, int]) -> tuple[int, int]:
    return cell["epoch"], cell["version"]


# ------------------------------------------------------------------------------------------------------- three nodes


def run(folder: Path, writes: int, pause: float, forget: bool) -> None:
    """Until so many writes have been stored; the leader is killed after half of them, and started again."""
    folder.mkdir(parents=True, exist_ok=True)
    clean(folder, ("ndjson", "disk", "new"))
    ports = dict(zip(NODES, free_ports(len(NODES)), strict=True))
    running: dict[str, subprocess.Popen[bytes]] = {}

    def start(name: str) -> None:
        settings = json.dumps({"ports": ports, "folder": str(folder), "pause": pause, "forget": forget})
        running[name] = subprocess.Popen([sys.executable, __file__, "node", name, settings])

    try:
        for name in NODES:
            start(name)
        leader = until(folder, writes // 2, running)
        running[leader].kill()
        running[leader].wait()
        time.sleep(0.1)
        start(leader)
        until(folder, writes, running, started=1)
    finally:
        for process in running.values():
            process.kill()
            process.wait()
        clean(folder, ("disk", "new"))


def clean(folder: Path, suffixes: tuple[str, ...]) -> None:
    for name in NODES:
        for suffix in suffixes:
            (folder / f"{name}.{suffix}").unlink(missing_ok=True)


def until(folder: Path, writes: int, running: dict[str, subprocess.Popen[bytes]], started: int = 0) -> str:
    """Wait until so many writes have been stored by a majority, and nodes were started again. Who wrote last?"""
    deadline = time.monotonic() + 60 + writes / 20
    while time.monotonic() < deadline:
        time.sleep(0.02)
        logged = [line for name in NODES for line in lines(folder / f"{name}.ndjson")]
        stored = [line for line in logged if line.get("done")]
        if len(stored) >= writes and sum(line["event"] == "start" for line in logged) >= started:
            return str(max(stored, key=lambda line: line["ts"])["node"])
        if any(process.poll() is not None for process in running.values()):
            break
    raise SystemExit("the nodes do not get on: see what they have logged")


def lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text().splitlines() if file.exists() else ():
        with suppress(ValueError):  # the last one may be half written
            yield json.loads(line)


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("node")
    one.add_argument("name")
    one.add_argument("settings")
    three = verbs.add_parser("run")
    three.add_argument("folder", type=Path)
    three.add_argument("--writes", type=int, default=40)
    three.add_argument("--pause", type=float, default=0.02, help="seconds between writes")
    three.add_argument("--forget", action="store_true", help="lose the epoch when a node is started again")
    given = parser.parse_args()
    if given.verb == "node":
        settings = json.loads(given.settings)
        node = Node(given.name, settings["ports"], Path(settings["folder"]), settings["pause"], settings["forget"])
        with suppress(KeyboardInterrupt):
            asyncio.run(node.run())
    else:
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
        run(given.folder, given.writes, given.pause, given.forget)


if __name__ == "__main__":
    main()
