"""The processes of a system: each node with a folder, ports and a log of its own, started and ended as `[node]` says.

    [values]                      # names for the texts below; `--set NAME=VALUE` goes over them
    jars = "…"
    [node]
    command = ["server", "--data", "{folder}", "--listen", "127.0.0.1:{port.client}"]
    ports = ["client", "peer"]    # a free one each; { client = 2181 } if it must be that one, and there is one node
    files."server.cfg" = "…"      # in the folder of the node, before its first start
    environment = { NAME = "…" }
    failures = ["FATAL"]          # regular expressions: a line of the log with one of them is a failure
    [node.each]                   # a text for each node, joined: {servers}
    servers = { text = "server.{node}=127.0.0.1:{port.peer}", join = "\n" }

Texts may have {node}, {number} (from 1), {folder}, {mapping} (the mapping's folder), {port.NAME}, {port.NAME.NODE}.

Each node is a process group of its own. Whatever happens to us, it is ended: by `end`, or by the reaper.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from gristmill.source.toml_places import Places
from gristmill.systems.running import reaper
from gristmill.systems.running.failing import DriverError, Failure, Node
from gristmill.systems.running.ports import Ports
from gristmill.systems.running.templates import filled
from gristmill.systems.running.undisturbed import undisturbed

_END_SECONDS = 10.0  # for a killed process to be gone
_TAIL_LINES = 30


class Setup(Protocol):
    """What a mapping says: its nodes, the document as a whole, the places of keys and values, its folder."""

    @property
    def nodes(self) -> tuple[Node, ...]: ...
    @property
    def document(self) -> Mapping[str, Any]: ...
    @property
    def places(self) -> Places: ...
    @property
    def folder(self) -> Path: ...


@dataclass(slots=True)
class _Process:
    node: Node
    number: int
    folder: Path
    ports: dict[str, int] = field(default_factory=dict)
    child: subprocess.Popen[bytes] | None = None
    expected_end: bool = True  # it was killed by us, or has not been started
    log_read: int = 0  # how much of its log has been looked at
    paused: bool = False

    @property
    def log(self) -> Path:
        return self.folder / "node.log"


class Processes:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.table: Mapping[str, Any] = setup.document.get("node", {})
        self.values: dict[str, str] = {name: str(each) for name, each in setup.document.get("values", {}).items()}
        self.names: dict[Node, dict[str, str]] = {}  # what else texts of a node may have: a driver adds to it
        self._failures = [re.compile(each) for each in self.table.get("failures", ())]
        self._ports = Ports()
        self._root: Path | None = None
        self._reaper: subprocess.Popen[str] | None = None
        self._nodes: dict[Node, _Process] = {}

    # ----------------------------------------------------------------------------------------------- beginning and end

    def begin(self, prepare: Callable[[], None] = lambda: None) -> None:
        """Folders and ports of all nodes; nothing runs yet. Raises `DriverError`.

        `prepare` is called when the ports are known, and files have not been written yet: it may add to `names`.
        """
        with undisturbed():
            self._root = Path(tempfile.mkdtemp(prefix="gristmill-nodes-"))
            command = [sys.executable, "-I", "-S", str(Path(reaper.__file__))]
            self._reaper = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, process_group=0)
            self._tell_reaper(f"folder {self._root}")
        for number, node in enumerate(self.setup.nodes, 1):
            folder = self._root / re.sub(r"\W", "_", node)
            folder.mkdir()
            self._nodes[node] = _Process(node, number, folder, self._ports_of_node())
        prepare()
        for process in self._nodes.values():
            self._write_files(process)

    def _ports_of_node(self) -> dict[str, int]:
        wanted = self.table.get("ports", ())
        if isinstance(wanted, dict):
            span = self.setup.places.value("node", "ports")
            return {name: self._ports.fixed(port, span) for name, port in wanted.items()}
        return {name: self._ports.free() for name in wanted}

    def _write_files(self, process: _Process) -> None:
        for name, text in self.table.get("files", {}).items():
            file = process.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.fill(text, process.node, ("node", "files", name)), encoding="utf-8")

    def clear(self) -> None:
        """Kill all nodes and forget what they have written: as after `begin`, with the same ports."""
        for process in self._nodes.values():
            self.kill(process.node)
            shutil.rmtree(process.folder, ignore_errors=True)
            process.folder.mkdir(parents=True)
            process.log_read = 0
            self._write_files(process)

    def end(self) -> None:
        """Everything that was started is gone after this. May be called more than once."""
        with undisturbed():
            left = [node for node in self._nodes if not self._is_killed(node)]
            root, self._root = self._root, None
            if root is not None:
                shutil.rmtree(root, ignore_errors=True)
            self._ports.end()
            reaper_process, self._reaper = self._reaper, None
            if reaper_process is not None:
                _dismiss(reaper_process, done=not left)

    def _is_killed(self, node: Node) -> bool:
        try:
            self.kill(node)
        except subprocess.TimeoutExpired:  # the system does not let it go yet; others must not stay because of that
            return False
        return True

    def watch_over(self, child: subprocess.Popen[bytes]) -> None:
        """Another process, the first of a group of its own, which is to end with us whatever happens."""
        self._tell_reaper(f"group {child.pid}")

    def let_be(self, child: subprocess.Popen[bytes]) -> None:
        """It has ended, and its number may become another process's."""
        self._tell_reaper(f"gone {child.pid}")

    def _tell_reaper(self, line: str) -> None:
        if self._reaper is not None and self._reaper.stdin is not None:
            with contextlib.suppress(BrokenPipeError, ValueError):
                self._reaper.stdin.write(line + "\n")
                self._reaper.stdin.flush()

    # ---------------------------------------------------------------------------------------------------------- nodes

    def start(self, node: Node) -> None:
        """Raises `DriverError` if it runs already, or cannot be run."""
        process = self._process(node)
        if self.running(node):
            raise DriverError(f"node {node} is running already")
        self.kill(node)  # what it may have left when it ended by itself
        command = [self.fill(each, node, ("node", "command")) for each in self._command()]
        variables = {name: self.fill(text, node) for name, text in self.table.get("environment", {}).items()}
        with process.log.open("ab") as log, undisturbed():
            try:
                process.child = subprocess.Popen(
                    command,
                    cwd=process.folder,
                    env={**os.environ, **variables, reaper.MARK: str(self._root)},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    process_group=0,
                )
            except OSError as error:
                span = self.setup.places.value("node", "command")
                help = f"is {command[0]} installed, and on the PATH?"
                raise DriverError(f"node {node} cannot be started: {error.strerror}", help, span) from None
            process.expected_end, process.paused = False, False
            self._tell_reaper(f"group {process.child.pid}")

    def _command(self) -> list[str]:
        command = self.table.get("command")
        if not isinstance(command, list) or not command:
            span = self.setup.places.key("node")
            raise DriverError("the mapping does not say how to start a node", 'write command = ["…"] in [node]', span)
        return [str(each) for each in command]

    def kill(self, node: Node) -> None:
        """SIGKILL, and wait for its end. Nothing if it does not run."""
        process = self._process(node)
        with undisturbed():
            child, process.child = process.child, None
            process.expected_end = True
            if child is None:
                return
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(_END_SECONDS)
            self._tell_reaper(f"gone {child.pid}")

    def pause(self, node: Node) -> None:
        self._signal(node, signal.SIGSTOP)
        self._process(node).paused = True

    def resume(self, node: Node) -> None:
        self._signal(node, signal.SIGCONT)
        self._process(node).paused = False

    def is_paused(self, node: Node) -> bool:
        return self._process(node).paused

    def _signal(self, node: Node, number: signal.Signals) -> None:
        child = self._process(node).child
        if child is None or child.poll() is not None:
            raise DriverError(f"node {node} is not running", log=self.log_tail(node))
        os.killpg(child.pid, number)

    def running(self, node: Node) -> bool:
        child = self._process(node).child
        return child is not None and child.poll() is None

    def wait_until(self, node: Node, ready: Callable[[], bool], seconds: float, what: str) -> None:
        """Raises `DriverError` if the node ends, or is not ready in time."""
        deadline = time.monotonic() + seconds
        while not ready():
            if not self.running(node):
                raise DriverError(f"node {node} has ended before {what}", log=self.log_tail(node))
            if time.monotonic() > deadline:
                raise DriverError(f"node {node}: no {what} within {seconds:g} s", log=self.log_tail(node))
            time.sleep(0.01)

    # ------------------------------------------------------------------------------------------------------ knowledge

    def port(self, node: Node, name: str) -> int:
        ports = self._process(node).ports
        if name not in ports:
            known = ", ".join(ports) or "none"
            raise DriverError(f"a node has no port called {name!r}", f"[node] has the ports: {known}")
        return ports[name]

    def free_port(self) -> int:
        """One that no node has."""
        return self._ports.free()

    def folder(self, node: Node) -> Path:
        return self._process(node).folder

    def pid(self, node: Node) -> int | None:
        child = self._process(node).child
        return None if child is None else child.pid

    def log_tail(self, node: Node, lines: int = _TAIL_LINES) -> str:
        with contextlib.suppress(OSError):
            text = self._process(node).log.read_text(encoding="utf-8", errors="replace")
            return "\n".join(text.splitlines()[-lines:])
        return ""

    def failures(self) -> list[Failure]:
        """What has gone wrong since the last call: ends that were not asked for, lines of logs that tell of it."""
        found: list[Failure] = []
        for process in self._nodes.values():
            found += self._failing_lines(process)
            child = process.child
            if child is not None and child.poll() is not None and not process.expected_end:
                process.expected_end = True
                message = f"node {process.node} has ended by itself ({_how_it_ended(child.returncode)})"
                found.append(Failure(process.node, "exit", message, self.log_tail(process.node)))
        return found

    def _failing_lines(self, process: _Process) -> list[Failure]:
        if not self._failures or not process.log.exists():
            return []
        with process.log.open("rb") as log:
            log.seek(process.log_read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]  # the last line may not be complete
        process.log_read += len(whole)
        lines = whole.decode("utf-8", "replace").splitlines()
        return [
            Failure(process.node, "log", line.strip(), "\n".join(lines[max(0, number - 5) : number + 20]))
            for number, line in enumerate(lines)
            if any(pattern.search(line) for pattern in self._failures)
        ]

    def _process(self, node: Node) -> _Process:
        found = self._nodes.get(node)
        if found is None:
            known = ", ".join(self._nodes)
            raise DriverError(f"there is no node {node}", f"the nodes are: {known}" if known else None)
        return found

    # ------------------------------------------------------------------------------------------------------ templates

    def fill(self, text: str, node: Node, path: tuple[str, ...] = (), more: Mapping[str, str] | None = None) -> str:
        """Raises `DriverError` for names that there are not. `more`: names that only this text may have."""
        process = self._process(node)
        known: dict[str, str | Callable[[], str]] = dict(self.values)
        for name, each in self.table.get("each", {}).items():
            known[name] = partial(self._each, process, each)
        known |= self._own(process)
        known |= more or {}
        return filled(text, known, self.setup.places.value(*path) if path else None)

    def _own(self, process: _Process) -> dict[str, str]:
        own = {
            "node": process.node,
            "number": str(process.number),
            "folder": str(process.folder),
            "mapping": str(self.setup.folder.resolve()),
        }
        own |= {f"port.{name}": str(port) for name, port in process.ports.items()}
        for other in self._nodes.values():
            own |= {f"port.{name}.{other.node}": str(port) for name, port in other.ports.items()}
        return own | self.names.get(process.node, {})

    def _each(self, process: _Process, each: Mapping[str, str]) -> str:
        """For `process`: it may reach others by ports that are its own, `{link.NAME}`."""
        texts = []
        for other in self._nodes.values():
            end = f".{other.node}"
            links = {
                name.removesuffix(end): port
                for name, port in self.names.get(process.node, {}).items()
                if name.startswith("link.") and name.endswith(end)
            }
            texts.append(filled(each["text"], {**self.values, **self._own(other), **links}))
        return each.get("join", "\n").join(texts)


def _how_it_ended(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _dismiss(reaper_process: subprocess.Popen[str], done: bool) -> None:
    """If something is left, it is the reaper's to end."""
    assert reaper_process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        if done:
            reaper_process.stdin.write("done\n")
        reaper_process.stdin.close()
    reaper_process.wait(_END_SECONDS)
