"""Whatever happens to a replay, nothing is left of it: no process, no port, no folder."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from leaving import Replay, until
from talking import MAPPING, write_talking

from gristmill.systems.running import reaper
from gristmill.systems.running.ports import HOST, Ports, is_free

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
WORKERS = pytest.mark.parametrize("workers", [1, 2])

DIFFERENT = MAPPING.replace('value = "Len(numbers)"', 'value = "IF Len(numbers) = 1 THEN 7 ELSE Len(numbers)"')
RAISING = MAPPING.replace('http = "/state"\npath = "heard"', 'function = "look.py:look"')
LOOK = """
from pathlib import Path

def look(folder, node):
    if folder.joinpath("state.json").exists():  # a message was heard
        raise ValueError("no luck")
    return ()
"""


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Callable[..., Replay]]:
    made: list[Replay] = []

    def run(mapping: str, *arguments: str, workers: int = 1) -> Replay:
        write_talking(tmp_path, mapping)
        (tmp_path / "look.py").write_text(LOOK)
        made.append(Replay(tmp_path, ["talk.map.toml", *arguments, "--workers", str(workers), "--seed", "1"]))
        return made[-1]

    yield run
    for each in made:
        each.give_up()


@WORKERS
def test_after_success(replay: Callable[..., Replay], workers: int) -> None:
    assert replay(MAPPING, "--random", "60s", "--num", "2", workers=workers).ended() == 0


@WORKERS
def test_after_a_discrepancy(replay: Callable[..., Replay], workers: int) -> None:
    run = replay(DIFFERENT, "--random", "60s", "--first", "--shrink", "1s", workers=workers)
    assert run.ended() == 13
    assert "heard of b" in run.text


@WORKERS
def test_after_an_exception_in_a_function_of_the_mapping(replay: Callable[..., Replay], workers: int) -> None:
    run = replay(RAISING, "--random", "60s", "--num", "1", "--shrink", "0s", workers=workers)
    assert run.ended() == 13  # the system was driven up to there
    assert "the reading numbers of b failed: ValueError: no luck at " in run.text
    assert "Traceback" not in run.text


@WORKERS
def test_after_an_interrupt(replay: Callable[..., Replay], workers: int) -> None:
    run = replay(MAPPING, "--random", "600s", workers=workers)
    run.has_said("agrees")
    run.interrupt()
    assert run.ended() == 3
    assert "Interrupted: no discrepancy so far" in run.text
    assert "Traceback" not in run.text


def test_after_an_interrupt_while_workers_start(replay: Callable[..., Replay]) -> None:
    run = replay(MAPPING, "--random", "600s", workers=2)
    until(lambda: len(run.processes()) > 2, lambda: "there are no workers")
    run.interrupt()
    assert run.ended() == 3
    assert "Traceback" not in run.text


def test_after_one_interrupt_upon_another(replay: Callable[..., Replay]) -> None:
    """The second one comes while nodes are being ended."""
    run = replay(MAPPING, "--random", "600s")
    run.has_said("agrees")
    for _ in range(20):
        run.interrupt()
    assert run.ended() in (1, 3)


@WORKERS
def test_after_sigterm(replay: Callable[..., Replay], workers: int) -> None:
    run = replay(MAPPING, "--random", "600s", workers=workers)
    run.has_said("agrees")
    run.process.terminate()
    assert run.ended() == 128 + signal.SIGTERM


@WORKERS
def test_after_sigkill(replay: Callable[..., Replay], workers: int) -> None:
    run = replay(MAPPING, "--random", "600s", workers=workers)
    run.has_said("agrees")
    assert len(run.processes()) >= 2
    run.process.kill()
    assert run.ended(killed=True) == -signal.SIGKILL


def test_a_worker_that_is_killed_is_noticed(replay: Callable[..., Replay]) -> None:
    run = replay(MAPPING, "--random", "600s", workers=2)
    run.has_said("agrees")
    worker = next(each for each in run.processes() if "spawn_main" in each)
    os.kill(int(worker.partition(":")[0]), signal.SIGKILL)
    assert run.ended(killed=True) == 75
    assert "a worker has ended without a word" in run.text


# ------------------------------------------------------------------------------------------------------------- ports


def on_fixed_ports(*numbers: int) -> str:
    """Which is for one node alone: what it says, nobody hears."""
    alone = MAPPING.replace('{"a", "b"}', '{"a"}').replace("{link.peer.b}", "{port.client}")
    ports = f"ports = {{ peer = {numbers[0]}, client = {numbers[1]} }}"
    return alone.replace('ports = ["peer", "client"]', ports)


def test_two_replays_on_one_port(replay: Callable[..., Replay]) -> None:
    """The second one says so, in one message, and does the first one no harm."""
    free = Ports()
    numbers = [free.free() for _ in range(2)]
    free.end()
    mapping = on_fixed_ports(*numbers)
    first = replay(mapping, "--random", "600s")
    until(lambda: not is_free(numbers[1]), lambda: "the first one does not listen")
    second = replay(mapping, "--random", "600s")
    assert second.ended() == 75
    assert len(re.findall(r"^error", second.text, re.MULTILINE)) == 1
    assert re.search(rf"port ({numbers[0]}|{numbers[1]}) on {HOST} is taken", second.text)
    assert "another replay may run" in second.text
    assert first.process.poll() is None
    first.process.terminate()
    assert first.ended() == 128 + signal.SIGTERM
    assert is_free(numbers[0])
    assert is_free(numbers[1])


def test_ports_are_free_afterwards(replay: Callable[..., Replay]) -> None:
    """Also those of nodes that were killed with the replay."""
    free = Ports()
    numbers = [free.free() for _ in range(2)]
    free.end()
    run = replay(on_fixed_ports(*numbers), "--random", "600s")

    def listens() -> bool:
        with socket.socket() as trial:
            return trial.connect_ex((HOST, numbers[1])) == 0

    until(listens, lambda: "it does not listen")
    run.process.kill()
    run.ended(killed=True)
    assert is_free(numbers[0])
    assert is_free(numbers[1])


def test_a_node_that_nobody_could_tell_of(tmp_path: Path) -> None:
    """The starter was killed between starting a node and telling of it: the node's environment says whose it is."""
    marked = {reaper.MARK: str(tmp_path / "nodes")}
    command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(command, env=marked, process_group=0) as node, subprocess.Popen(command) as other:
        script = [sys.executable, "-I", "-S", str(reaper.__file__)]
        subprocess.run(script, input=f"folder {tmp_path / 'nodes'}\n", text=True, check=True, timeout=60)
        assert node.wait(60) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()
