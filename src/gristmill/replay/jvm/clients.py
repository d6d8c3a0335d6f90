"""Operations of clients, as `[client.NAME]` declares them. They begin, and nobody waits for their end.

[client.create]
function = "clients.py:create"     # of a Python file beside the mapping: create(node, ports, **arguments),
                                   # on a thread of its own; `ports` are those of the node, by name
[client.write]
command = ["java", "-cp", "{classpath}", "Writer", "127.0.0.1:{port.client}", "{path}"]   # with the arguments
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from gristmill.controlled.errors import describe_error
from gristmill.replay.driver import DriverError, Node, Setup
from gristmill.replay.jvm.points import suggestion
from gristmill.replay.observing import load_function
from gristmill.systems.running.processes import Processes
from gristmill.systems.running.undisturbed import undisturbed


class Clients:
    def __init__(self, setup: Setup, processes: Processes) -> None:
        self._setup, self._processes = setup, processes
        self._table: Mapping[str, Mapping[str, Any]] = setup.document.get("client", {})
        self._commands: list[tuple[str, subprocess.Popen[bytes]]] = []
        self._functions: list[tuple[str, threading.Thread]] = []
        self._failed: list[str] = []

    def begin(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        """Raises `DriverError`."""
        declared = self._table.get(operation)
        if declared is None:
            help = suggestion(operation, self._table) or f"write [client.{operation}]"
            raise DriverError(f"there is no operation {operation!r} of clients", help)
        told = f"{operation} on {node}"
        if "function" in declared:
            self._call(told, str(declared["function"]), node, arguments)
        elif isinstance(declared.get("command"), list):
            self._run(told, operation, [str(each) for each in declared["command"]], node, arguments)
        else:
            span = self._setup.places.key("client", operation)
            raise DriverError(
                f"[client.{operation}] does not say what is done", 'write function = "FILE.py:name"', span
            )

    def _call(self, told: str, text: str, node: Node, arguments: Mapping[str, Any]) -> None:
        function = load_function(self._setup.folder, text)
        ports = {name: self._processes.port(node, name) for name in self._processes.table.get("ports", ())}

        def run() -> None:
            try:
                function(node, ports, **arguments)
            except Exception as error:  # the system may be down, which is no mistake of anybody's
                self._failed.append(f"a client has failed at {told}: {describe_error(error)}")

        thread = threading.Thread(target=run, name=f"client {told}", daemon=True)
        self._functions.append((told, thread))
        thread.start()

    def _run(self, told: str, operation: str, command: list[str], node: Node, arguments: Mapping[str, Any]) -> None:
        place = ("client", operation, "command")
        texts = {name: str(value) for name, value in arguments.items()}
        words = [self._processes.fill(_with_arguments(each, texts), node, place) for each in command]
        with undisturbed():
            try:
                child = subprocess.Popen(
                    words,
                    cwd=self._processes.folder(node),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    process_group=0,
                )
            except OSError as error:
                message, span = f"a client cannot be started: {error.strerror}", self._setup.places.value(*place)
                raise DriverError(message, f"is {words[0]} installed?", span) from None
            self._processes.watch_over(child)
            self._commands.append((told, child))

    def waiting(self) -> list[str]:
        """Operations that have not come to their end, and functions that came to a bad one."""
        waiting = [told for told, child in self._commands if child.poll() is None]
        waiting += [told for told, thread in self._functions if thread.is_alive()]
        return [f"a client waits for the end of {told}" for told in waiting] + self._failed

    def end(self) -> None:
        for _, child in self._commands:
            if child.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait(10.0)
            self._processes.let_be(child)
        self._commands.clear()
        self._functions.clear()
        self._failed.clear()


def _with_arguments(text: str, arguments: Mapping[str, str]) -> str:
    for name, value in arguments.items():
        text = text.replace("{" + name + "}", value)
    return text
