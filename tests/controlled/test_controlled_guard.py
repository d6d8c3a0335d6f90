"""What cannot be controlled is reported with its place, never let through in silence."""

from __future__ import annotations

import asyncio
import inspect
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gristmill.controlled import Node, Settings, World, explore
from gristmill.controlled.report import result_text


def program_that(does: Callable[[], Any], swallow: bool = False) -> Callable[[World], None]:
    def program(world: World) -> None:
        async def main(node: Node) -> None:
            try:
                outcome = does()
                if inspect.isawaitable(outcome):
                    await outcome
            except Exception:
                if not swallow:
                    raise

        world.node("main", main)

    return program


def thread() -> None:
    threading.Thread(target=print, daemon=True).start()


def pool() -> None:
    ThreadPoolExecutor(1).submit(print).result()


def executor() -> Any:
    return asyncio.get_running_loop().run_in_executor(None, print)


def to_thread() -> Any:
    return asyncio.to_thread(print)


def process() -> None:
    subprocess.run(["true"], check=False)


def async_process() -> Any:
    return asyncio.create_subprocess_exec("true")


def shell() -> None:
    os.system("true")


def fork() -> None:
    os.fork()


def stream_socket() -> None:
    socket.create_connection(("127.0.0.1", 9))


def unix_socket() -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def pair() -> None:
    socket.socketpair()


def waiting_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).recvfrom(10)


def reader() -> None:
    asyncio.get_running_loop().add_reader(0, print)


def tls() -> Any:
    return asyncio.open_connection("main", 80, ssl=True)


def write_outside() -> None:
    Path("/tmp/gristmill-test-outside").write_text("")


def remove_outside() -> None:
    os.remove("/tmp/gristmill-test-outside")


def change_directory() -> None:
    os.chdir("/")


CASES: list[tuple[Callable[[], Any], str]] = [
    (thread, "a thread is started"),
    (pool, "a thread is started"),
    (executor, "a function is given to an executor"),
    (to_thread, "a function is given to an executor"),
    (process, "another process is started"),
    (async_process, "another process is started"),
    (shell, "another process is started"),
    (fork, "the process is forked"),
    (stream_socket, "a real socket is opened"),
    (unix_socket, "a real socket is opened"),
    (pair, "a real socket is opened"),
    (waiting_socket, "a socket is waited for outside the event loop"),
    (reader, "a file descriptor is watched"),
    (tls, "TLS is used"),
    (write_outside, "a file outside the node's directory is written"),
    (remove_outside, "a file outside the node's directory is changed"),
    (change_directory, "the working directory is changed"),
]


@pytest.mark.parametrize("swallow", [False, True])
@pytest.mark.parametrize(("does", "what"), CASES, ids=[does.__name__ for does, _ in CASES])
def test_it_is_reported_with_its_place(does: Callable[[], Any], what: str, swallow: bool) -> None:
    result = explore(program_that(does, swallow), runs=5)
    assert not result.ok
    assert result.blocked
    assert result.runs == 1
    assert not result.failures
    (found,) = list(result.uncontrolled.values())[:1]
    assert found.what.startswith(what)
    assert "test_controlled_guard.py:" in found.place
    assert not os.path.exists("/tmp/gristmill-test-outside")
    text = result_text(result)
    assert text.startswith("Not explored: the program does what cannot be controlled")
    assert f"not controlled: {what}" in text
    assert "help:" in text


def test_what_is_allowed_is_let_through_and_still_noted() -> None:
    result = explore(program_that(thread), runs=3, settings=Settings(allow=("thread",)))
    assert result.ok
    assert result.runs == 3
    assert "not controlled: a thread is started" in result_text(result)


def test_a_function_for_an_executor_runs_as_one_callback_if_that_is_allowed() -> None:
    results: set[int] = set()

    async def compute() -> None:
        results.add(await asyncio.get_running_loop().run_in_executor(None, sum, [1, 2]))
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)

    result = explore(program_that(compute), runs=3, settings=Settings(allow=("executor",)))
    assert result.ok
    assert results == {3}
    assert "not controlled: a function is given to an executor" in result_text(result)


def test_nothing_happens_while_a_run_is_taken_down(tmp_path: Path) -> None:
    file = tmp_path / "written"

    async def wait() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            file.write_text("")

    result = explore(program_that(wait), runs=3, settings=Settings(seconds=10))
    assert result.ok
    assert result.outcomes == {"cut": 3}
    assert not file.exists()
    assert "most runs reached a bound" in result_text(result)


def test_what_is_read_from_outside_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "configuration"
    file.write_text("x")
    result = explore(program_that(lambda: file.read_text()), runs=3)
    assert result.ok
    assert result.outside == {str(file)}
    assert f"read from outside: {file}" in result_text(result)


def test_outside_a_run_nothing_is_forbidden() -> None:
    explore(program_that(lambda: None), runs=1)
    started = threading.Thread(target=lambda: None)
    started.start()
    started.join()
    left, right = socket.socketpair()
    left.close()
    right.close()
