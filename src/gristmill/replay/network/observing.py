"""What can be seen of a node in this driver: readings.

    { message = "term", kind = ["MsgVote", "MsgApp"] }          the last message that it has sent, of these kinds if any
    { http = "/v3/maintenance/status", port = "client", body = {}, path = "raftTerm" }     what it answers to a request
    { http = "/metrics", format = "metrics", path = "etcd_server_is_leader" }   the same, in the format of Prometheus
    { file = "data/member/wal", decoder = "etcd-wal", path = "entries[*].term" }           what it has on disk
    { answer = "put", path = "body.header.revision" }           what the last call of an operation on it was answered
    { sent = true }            the messages that it has sent and that are held on their way: a tuple for each other node

Members of a cluster that are called as in their protocol become nodes. What is not there is None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gristmill.replay.driver import DriverError, Node, Reading
from gristmill.replay.network.background import Background
from gristmill.replay.network.clients import Clients
from gristmill.replay.network.holding import Holding
from gristmill.replay.network.http_client import request
from gristmill.replay.network.tap import Tap
from gristmill.source.toml_reader import suggestion
from gristmill.systems.decoders import DecodingError, part, plain
from gristmill.systems.decoders.etcd import write_ahead_log
from gristmill.systems.decoders.fields import steps
from gristmill.systems.running.processes import Processes

_SECONDS = 5.0
_EVERYBODYS = ("keep", "down", "null")  # what the coordinator looks at
_KEYS = {
    "message": ("message", "kind"),
    "http": ("http", "port", "method", "body", "format", "path"),
    "file": ("file", "decoder", "path"),
    "answer": ("answer", "path"),
    "sent": ("sent",),
}


def _json(path: Path) -> Any:
    try:
        return plain(json.loads(path.read_bytes()))
    except ValueError as error:
        raise DecodingError(f"{path.name} is no JSON: {error}") from None


def _text(path: Path) -> Any:
    return path.read_text("utf-8", "replace")


FILES: Mapping[str, Callable[[Path], Any]] = {"etcd-wal": write_ahead_log, "json": _json, "text": _text}


def check(reading: Reading) -> None:
    """Raises `DriverError` if it is none of this driver's."""
    kinds = [kind for kind in _KEYS if kind in reading.how]
    if len(kinds) != 1:
        help = 'write { message = "term" }, { http = "/…" }, { file = "…" }, { answer = "…" } or { sent = true }'
        raise DriverError(f"`{reading.name}` does not say what is read", help, reading.span)
    for key in reading.how:
        if key not in _KEYS[kinds[0]] and key not in _EVERYBODYS:
            message = f"`{reading.name}`: there is no `{key}` beside `{kinds[0]}`"
            raise DriverError(message, suggestion(key, _KEYS[kinds[0]]), reading.span)
    if reading.how.get("decoder", "text") not in FILES:
        name = reading.how["decoder"]
        raise DriverError(f"there is no decoder {name!r} of files", suggestion(str(name), FILES), reading.span)
    if reading.how.get("format", "json") not in ("json", "metrics"):
        raise DriverError(f'`{reading.name}`: format is "json" or "metrics"', None, reading.span)
    try:
        steps(reading.how.get("path", ""))
        steps(reading.how.get("message", ""))
    except (ValueError, TypeError) as error:
        raise DriverError(f"`{reading.name}`: {error}", None, reading.span) from None


class Observer:
    """Of one node, at one time: whatever several readings need is asked once."""

    def __init__(
        self,
        node: Node,
        tap: Tap,
        holding: Holding,
        processes: Processes,
        background: Background,
        clients: Clients,
    ) -> None:
        self.node, self.tap, self.holding = node, tap, holding
        self.processes, self.background, self.clients = processes, background, clients
        self._known: dict[str, Any] = {}

    def value(self, reading: Reading) -> Any:
        check(reading)
        how = reading.how
        if "message" in how:
            return part(self._message(how.get("kind")), how["message"])
        if "sent" in how:
            return self._sent()
        try:
            found = self._once(reading)
        except (OSError, DecodingError) as error:
            log = self.processes.log_tail(self.node)
            raise DriverError(f"`{reading.name}` of {self.node}: {error}", None, reading.span, log) from None
        if how.get("format") == "metrics":
            return metric(str(found), how.get("path", ""))
        return self.tap.names.of_nodes(part(found, how.get("path", "")))

    def _message(self, kinds: Any) -> Any:
        wanted = [kinds] if isinstance(kinds, str) else kinds
        sent = self.tap.newest.get(self.node, {})
        fitting = [record for kind, record in list(sent.items()) if wanted is None or kind in wanted]
        return fitting[-1] if fitting else None

    def _sent(self) -> dict[Node, tuple[Any, ...]]:
        return {
            other: tuple(each.bindings["message"] for each in self.holding.on_the_way(self.node, other))
            for other in self.holding.nodes
        }

    def _once(self, reading: Reading) -> Any:
        asked = {name: each for name, each in reading.how.items() if name not in ("path", *_EVERYBODYS)}
        key = repr(sorted(asked.items(), key=str))
        if key not in self._known:
            self._known[key] = self._read(reading)
        return self._known[key]

    def _read(self, reading: Reading) -> Any:
        how = reading.how
        if "file" in how:
            file = self.processes.folder(self.node) / self.processes.fill(how["file"], self.node)
            return FILES[how.get("decoder", "text")](file)
        if "answer" in how:
            return self.clients.answer(how["answer"], self.node)
        if not self.processes.running(self.node):
            raise DriverError(f"`{reading.name}`: node {self.node} is not running", span=reading.span)
        return self._ask(reading)

    def _ask(self, reading: Reading) -> Any:
        how = reading.how
        body = how.get("body")
        method = str(how.get("method", "GET" if body is None else "POST"))
        port = self.processes.port(self.node, str(how.get("port", "client")))
        what = f"`{reading.name}`: the answer of {self.node} to {method} {how['http']}"
        answer = self.background.run(request(port, method, how["http"], body), _SECONDS, what)
        if answer["status"] != 200:
            message = f"`{reading.name}`: {self.node} has answered {how['http']} with status {answer['status']}"
            raise DriverError(message, span=reading.span, log=str(answer["body"])[:1_000])
        return answer["body"]


def metric(said: str, name: str) -> Any:
    """The number of this name (with labels); there are hundreds, so that reading all of them would take a while."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", said, re.MULTILINE)
    return None if found is None else plain(float(found[1]))
