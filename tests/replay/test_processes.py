"""Processes of a system: started, killed, paused, and gone whatever happens to us."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gristmill.replay.driver import DriverError, Setup
from gristmill.source import SourceFile
from gristmill.source.toml_places import places_of
from gristmill.systems.running.ports import HOST, Ports
from gristmill.systems.running.processes import Processes

SERVER = "import sys, time\nprint('up', *sys.argv[1:], flush=True)\ntime.sleep(1000)"


def processes_of(node: dict[str, Any], **more: Any) -> Processes:
    document = {"node": node, **more}
    return Processes(Setup(("1", "2"), (), (), document, places_of(SourceFile("x", "")), Path(".")))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().split()[2] != "Z"


def until(reached: Any) -> None:
    deadline = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def servers() -> Iterator[Processes]:
    found = processes_of(
        {
            "command": [sys.executable, "-c", SERVER, "{node}", "{port.client}", "{peers}", "{greeting}"],
            "ports": ["client", "peer"],
            "files": {"conf/a.cfg": "node={node} number={number}\n{peers}"},
            "each": {"peers": {"text": "{node}:{port.peer}", "join": ","}},
            "failures": ["FATAL"],
        },
        values={"greeting": "hello"},
    )
    found.begin()
    try:
        yield found
    finally:
        found.end()


def test_texts_are_filled_in(servers: Processes) -> None:
    servers.start("2")
    until(lambda: "up" in servers.log_tail("2"))
    peers = f"1:{servers.port('1', 'peer')},2:{servers.port('2', 'peer')}"
    assert servers.log_tail("2") == f"up 2 {servers.port('2', 'client')} {peers} hello"
    assert (servers.folder("2") / "conf/a.cfg").read_text() == f"node=2 number=2\n{peers}"
    assert not servers.running("1")


def test_a_killed_node_is_gone_and_can_be_started_again(servers: Processes) -> None:
    servers.start("1")
    first = servers.pid("1")
    assert first is not None
    servers.kill("1")
    assert not is_alive(first)
    assert servers.failures() == []  # that was asked for
    servers.start("1")
    assert servers.running("1")


def test_a_node_that_runs_is_not_started_twice(servers: Processes) -> None:
    servers.start("1")
    with pytest.raises(DriverError, match="node 1 is running already"):
        servers.start("1")


def test_a_paused_node_stands_still(servers: Processes) -> None:
    servers.start("1")
    pid = servers.pid("1")
    until(lambda: "up" in servers.log_tail("1"))
    servers.pause("1")
    until(lambda: Path(f"/proc/{pid}/stat").read_text().split()[2] == "T")
    servers.resume("1")
    until(lambda: Path(f"/proc/{pid}/stat").read_text().split()[2] != "T")


def test_an_end_that_nobody_asked_for_is_a_failure_with_the_log() -> None:
    processes = processes_of({"command": [sys.executable, "-c", "print('out of luck'); raise SystemExit(3)"]})
    processes.begin()
    try:
        processes.start("1")
        until(lambda: not processes.running("1"))
        (failure,) = processes.failures()
        assert (failure.node, failure.kind, failure.log) == ("1", "exit", "out of luck")
        assert "exit status 3" in failure.message
        assert processes.failures() == []  # told once
    finally:
        processes.end()


def test_lines_of_the_log_can_be_failures() -> None:
    script = "print('fine'); print('FATAL: disk'); import time; time.sleep(1000)"
    processes = processes_of({"command": [sys.executable, "-u", "-c", script], "failures": ["FATAL"]})
    processes.begin()
    try:
        processes.start("1")
        until(lambda: "disk" in processes.log_tail("1"))
        (failure,) = processes.failures()
        assert (failure.kind, failure.message) == ("log", "FATAL: disk")
    finally:
        processes.end()


def test_nothing_is_left_behind(servers: Processes) -> None:
    servers.start("1")
    pid, folder = servers.pid("1"), servers.folder("1")
    assert pid is not None
    servers.end()
    servers.end()
    assert not is_alive(pid)
    assert not folder.parent.exists()


def test_nothing_is_left_behind_if_we_are_killed(tmp_path: Path) -> None:
    script = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_processes import processes_of
found = processes_of({{"command": [sys.executable, "-c", "import time; time.sleep(1000)"]}})
found.begin()
found.start("1")
print(found.pid("1"), found.folder("1"), flush=True)
time.sleep(1000)
"""
    ours = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert ours.stdout is not None
    pid, folder = ours.stdout.readline().split()
    assert is_alive(int(pid))
    os.kill(ours.pid, signal.SIGKILL)
    ours.wait()
    until(lambda: not is_alive(int(pid)) and not Path(folder).parent.exists())


def test_a_port_that_is_taken() -> None:
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        processes = processes_of({"command": ["x"], "ports": {"client": port}})
        with pytest.raises(DriverError, match=f"port {port} on {HOST} is taken") as error:
            processes.begin()
        processes.end()
    assert "another replay may run" in (error.value.help or "")


@pytest.mark.skipif(sys.platform != "linux", reason="the sign for other replays is a name in Linux")
def test_a_port_that_another_replay_is_about_to_use() -> None:
    """Its node does not listen there yet."""
    ports, others = Ports(), Ports()
    taken = ports.free()
    with pytest.raises(DriverError, match=f"port {taken} on {HOST} is taken"):
        others.fixed(taken)
    ports.end()
    assert others.fixed(taken) == taken
    others.end()


def test_a_command_that_is_not_there() -> None:
    processes = processes_of({"command": ["no-such-server"]})
    processes.begin()
    try:
        with pytest.raises(DriverError, match="node 1 cannot be started: No such file or directory"):
            processes.start("1")
    finally:
        processes.end()


def test_a_name_that_is_not_there() -> None:
    processes = processes_of({"command": ["server", "{port.clinet}"], "ports": ["client"]})
    processes.begin()
    try:
        with pytest.raises(DriverError, match=r"nothing called \{port.clinet\}") as error:
            processes.start("1")
        assert error.value.help == "did you mean {port.client}?"
    finally:
        processes.end()
