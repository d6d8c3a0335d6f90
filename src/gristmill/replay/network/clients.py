"""Operations of clients: `[client.NAME]`.

    [client.put]
    http = "/v3/kv/put"           # the path
    method = "POST"               # by default, if there is a body
    port = "client"
    body = { key = "{base64.key}", value = "{base64.value}" }

or a Python function beside the mapping, `function = "FILE.py:name"`: name(node, ports, **arguments), on a thread of its
own; what it returns is the body of the answer.

Texts may have the arguments of the call, {key}, also in the encoding that binary data have in JSON, {base64.key}; and
all that texts of `[node]` may have. A text of the body that is nothing but an argument is its value, a number perhaps.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Mapping
from typing import Any

from gristmill.replay.driver import DriverError, Node, Setup
from gristmill.replay.network.background import Background, Begun
from gristmill.replay.network.http_client import request
from gristmill.replay.observing import load_function
from gristmill.source.toml_reader import suggestion
from gristmill.systems.decoders import plain
from gristmill.systems.running.processes import Processes

_KEYS = ("http", "method", "port", "body")


class Clients:
    def __init__(self, setup: Setup, processes: Processes, background: Background) -> None:
        self.setup, self.processes, self.background = setup, processes, background
        self.operations: Mapping[str, Mapping[str, Any]] = setup.document.get("client", {})
        self._last: dict[tuple[str, Node], _Call] = {}
        self._asking: list[Begun[None]] = []

    def begin(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        table = self.operations.get(operation)
        if table is None:
            help = suggestion(operation, self.operations) or f"write [client.{operation}]"
            raise DriverError(f"there is no operation {operation!r} of clients", help)
        call = _Call()
        if "function" in table:
            self._run_function(call, table, node, arguments)
        else:
            self._ask(call, operation, node, arguments)
        self._last[operation, node] = call

    def _run_function(self, call: _Call, table: Mapping[str, Any], node: Node, arguments: Mapping[str, Any]) -> None:
        function = load_function(self.setup.folder, str(table["function"]))
        ports = {name: self.processes.port(node, name) for name in self.processes.table.get("ports", ())}

        def run() -> None:
            try:
                call.answer = {"body": plain(function(node, ports, **arguments))}
            except Exception as error:  # the system may be down, which is no mistake of anybody's
                call.answer = {"error": str(error)}

        threading.Thread(target=run, name=f"client on {node}", daemon=True).start()

    def _ask(self, call: _Call, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        table = self.operations[operation]
        self._check(operation, table)
        texts = {name: _text(value) for name, value in arguments.items()}
        texts |= {f"base64.{name}": base64.b64encode(each.encode()).decode() for name, each in texts.items()}
        body = self._filled(table.get("body"), node, texts, ("client", operation, "body"), arguments)
        port = self.processes.port(node, str(table.get("port", "client")))
        method = str(table.get("method", "GET" if body is None else "POST"))
        path = self.processes.fill(table["http"], node, ("client", operation, "http"), texts)

        async def ask() -> None:
            try:
                call.answer = await request(port, method, path, body)
            except OSError as error:
                call.answer = {"error": str(error)}

        self._asking = [each for each in self._asking if not each.done] + [self.background.begin(ask())]

    def _check(self, operation: str, table: Mapping[str, Any]) -> None:
        for key in table:
            if key not in _KEYS:
                span = self.setup.places.key("client", operation, key)
                raise DriverError(f"[client.{operation}] has no key `{key}`", suggestion(key, _KEYS), span)
        if not isinstance(table.get("http"), str):
            span = self.setup.places.key("client", operation)
            raise DriverError(f"[client.{operation}] does not say what is asked", 'write http = "/path"', span)

    def _filled(
        self, value: Any, node: Node, texts: Mapping[str, str], path: tuple[str, ...], arguments: Mapping[str, Any]
    ) -> Any:
        if isinstance(value, str):
            return arguments[value[1:-1]] if value[1:-1] in arguments else self.processes.fill(value, node, path, texts)
        if isinstance(value, dict):
            return {key: self._filled(each, node, texts, path, arguments) for key, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each, node, texts, path, arguments) for each in value]
        return value

    def forget(self) -> None:
        for begun in self._asking:
            self.background.give_up(begun)
        self._asking.clear()
        self._last.clear()

    def answer(self, operation: str, node: Node) -> Mapping[str, Any] | None:
        """Of the last call on this node: {"status": 200, "body": …}; {"error": …} if there is none; None before it."""
        call = self._last.get((operation, node))
        return None if call is None else call.answer

    def waiting(self) -> list[str]:
        """Calls that were not answered, or came to a bad end."""
        found = []
        for (operation, node), call in self._last.items():
            if call.answer is None:
                found.append(f"a client waits for the answer of {node} to {operation}")
            elif "error" in call.answer:
                found.append(f"a client has failed at {operation} on {node}: {call.answer['error']}")
        return found


class _Call:
    """What a client has asked."""

    answer: Mapping[str, Any] | None = None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)
