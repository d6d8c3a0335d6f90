"""`gristmill watch` as users run it, on links of a test, with a lock server that does what the test says."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from live_servers import SECONDS, Serve, dialed, link_to, received, serving, until

from gristmill.watch.live.links import Link

HERE = Path(__file__).parent


class LockServer:
    """Tickets, one after the other, for all connections; who asks with the number 666 is given one that is not next."""

    def __init__(self) -> None:
        self.tickets = 0

    def __call__(self, connection: socket.socket) -> None:
        for line in connection.makefile("rb"):
            try:
                asked = json.loads(line)
                answer = self._answer(asked["kind"], asked)
            except (ValueError, KeyError):
                return
            if answer is not None:
                connection.sendall(json.dumps(answer).encode() + b"\n")

    def _answer(self, kind: str, asked: dict[str, Any]) -> dict[str, Any] | None:
        done = {"Assign": "Assigned", "Acquire": "Acquired", "Release": "Released"}.get(kind)
        ticket = asked["ticket"]
        if kind == "Assign":
            self.tickets += 1
            ticket = self.tickets + (5 if asked["number"] == 666 else 0)
        return None if done is None else {"kind": done, "from": "lock", "to": "client", "ticket": ticket}


def ask(client: socket.socket, kind: str, ticket: int = 0, number: int = 0) -> dict[str, Any]:
    """A request, and its answer."""
    told = {"kind": kind, "from": "client", "to": "lock", "ticket": ticket, "number": number}
    client.sendall(json.dumps(told).encode() + b"\n")
    line = b""
    while not line.endswith(b"\n"):
        piece = received(client, 1)
        assert piece, "the server has ended the connection"
        line += piece
    answer: dict[str, Any] = json.loads(line)
    return answer


def assign(client: socket.socket, first: int, count: int) -> None:
    for number in range(first, first + count):
        assert ask(client, "Assign", number=number)["ticket"] == number


class LiveWatch:
    """`said`: lines of its standard error."""

    def __init__(self, process: subprocess.Popen[str], link: Link) -> None:
        self.process, self.link = process, link
        self.said: list[str] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))

    def has_said(self, text: str) -> bool:
        return any(text in line for line in [*self.said])

    def wait_for(self, text: str) -> None:
        until(lambda: self.has_said(text) or self.process.poll() is not None)
        assert self.has_said(text), self.said

    def client(self) -> socket.socket:
        return dialed(self.link.tap)

    def children(self) -> list[int]:
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return [int(each) for each in found.stdout.split()]

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, dict[str, Any]]:
        """Its exit status, and what it has printed."""
        self.process.send_signal(number)
        assert self.process.stdout is not None
        printed = self.process.stdout.read()
        status = self.process.wait(SECONDS)
        self._reading.join(SECONDS)
        found: dict[str, Any] = json.loads(printed)
        return status, found


@contextlib.contextmanager
def watching(
    folder: Path,
    *options: str,
    serve: Serve | None = None,
    at: int | None = None,
    program: Sequence[str] = ("-m", "gristmill.cli"),
) -> Iterator[LiveWatch]:
    """`program`: what Python runs."""
    with serving(serve or LockServer()) as port:
        link = link_to(at or port, "lock")
        text = (HERE / "lock.map.toml").read_text().replace('"Lock.tla"', f'"{HERE}/Lock.tla"')
        mapping = folder / "live.map.toml"
        text = text.replace("[watch]", '[system.constants]\nTicket = "<- Nat"\n[watch]', 1)
        mapping.write_text(f'{text}\n[watch.links.lock]\nat = "{link.at}"\ntap = "{link.tap}"\nnode = "lock"\n')
        process = subprocess.Popen(
            [sys.executable, *program, "watch", str(mapping), "--format", "json", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        watch = LiveWatch(process, link)
        try:
            watch.wait_for("Watching")
            yield watch
        finally:
            left = watch.children() if process.poll() is None else []
            for each in left:  # those that a test has stopped
                os.kill(each, signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                for each in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(each, signal.SIGKILL)
            process.wait()
            for stream in (process.stdout, process.stderr):
                assert stream is not None
                stream.close()
