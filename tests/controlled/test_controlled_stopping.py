"""A search of an asyncio program that is interrupted, or reaches a limit, stops soon and is incomplete."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from gristmill.cli.explore import explore as command
from gristmill.controlled import Node, Result, World, check, explore
from gristmill.controlled.plan import SearchKind
from gristmill.controlled.report import result_text, to_json
from gristmill.controlled.run import Run
from gristmill.controlled.search import shrink_run
from gristmill.search.budget.deadline import TookTooLong

SECONDS = 0.3
AFTER = f"stopped after {SECONDS:g} s"
SOON = 5.0
FOREVER = 10**9
EVERY = [(search, workers) for search in get_args(SearchKind) for workers in (1, 2) if (search, workers) != ("dfs", 2)]


class Real:
    """The clock of the machine. Names of a module would stand for the clock of the world while a program runs."""

    sleep = staticmethod(time.sleep)
    now = staticmethod(time.monotonic)


def chatter(world: World) -> None:
    """Many schedules, each soon over."""

    async def main(node: Node) -> None:
        for _ in range(20):
            await asyncio.sleep(0.1)

    for name in "abc":
        world.node(name, main)


def stubborn(world: World) -> None:
    """One run takes very long, and catches everything."""

    async def main(node: Node) -> None:
        until = Real.now() + 60
        while Real.now() < until:
            with suppress(BaseException):
                Real.sleep(0.05)

    world.node("stubborn", main)


def sleepy(world: World) -> None:
    """One run takes long."""

    async def main(node: Node) -> None:
        Real.sleep(20)

    world.node("sleepy", main)


@contextmanager
def soon() -> Iterator[None]:
    began = Real.now()
    yield
    assert Real.now() - began < SOON


@contextmanager
def ctrl_c(after: float = SECONDS) -> Iterator[None]:
    presses = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    presses.start()
    try:
        yield
        presses.join()
    finally:
        presses.cancel()


def assert_incomplete(result: Result, why: str) -> None:
    assert result.verdict == "incomplete"
    assert not result.ok
    assert why in result.stopped
    assert result_text(result).startswith("Incomplete: ")
    assert why in result_text(result)
    assert json.loads(to_json(result, []))["verdict"] == "incomplete"


@pytest.mark.parametrize(("search", "workers"), EVERY)
def test_the_limit_of_time(search: SearchKind, workers: int) -> None:
    with soon():
        result = explore(chatter, runs=FOREVER, search=search, deviations=None, seconds=SECONDS, workers=workers)
    assert_incomplete(result, AFTER)
    assert result.runs > 0 or workers > 1  # to begin with several takes time


@pytest.mark.parametrize(("search", "workers"), EVERY)
def test_ctrl_c(search: SearchKind, workers: int, capfd: pytest.CaptureFixture[str]) -> None:
    with soon(), ctrl_c():
        result = explore(chatter, runs=FOREVER, search=search, deviations=None, workers=workers)
    assert_incomplete(result, "interrupted")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_takes_long_is_not_waited_for(workers: int) -> None:
    with soon():
        limited = explore(sleepy, seconds=SECONDS, workers=workers)
    assert_incomplete(limited, AFTER)
    with soon(), ctrl_c():
        interrupted = explore(sleepy, workers=workers)
    assert_incomplete(interrupted, "interrupted")


def test_ctrl_c_is_not_lost_in_a_program_that_catches_everything() -> None:
    """It goes on all the same; what ends it is that workers are killed."""
    with soon(), ctrl_c():
        result = explore(stubborn, workers=2)
    assert_incomplete(result, "interrupted")


@pytest.mark.parametrize("search", ["dfs", "deepening"])
def test_a_systematic_search_that_has_more_to_run_is_incomplete(search: SearchKind) -> None:
    limited = explore(chatter, runs=3, search=search)
    assert_incomplete(limited, "stopped after 3 runs")
    assert explore(chatter, search="deepening", deviations=0).ok  # all there is


def test_a_failing_run_is_told_though_no_time_is_left_to_make_it_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(world: World) -> None:
        async def main(node: Node) -> None:
            pass

        world.node("a", main)
        world.at_end("never", lambda: False)

    def shrink_when_time_is_up(*given: Any) -> Run:
        monkeypatch.setattr("gristmill.search.budget.deadline._Real.now", lambda: Real.now() + 3600)
        return shrink_run(*given)

    monkeypatch.setattr("gristmill.controlled.search.shrink_run", shrink_when_time_is_up)
    result = explore(program, seconds=600)
    assert result.verdict == "invariant"
    assert "stopped after 600 s" in result.stopped


def test_check_fails_if_not_all_was_explored() -> None:
    with pytest.raises(AssertionError, match="Incomplete"):
        check(chatter, runs=FOREVER, seconds=SECONDS)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "chatter.py"
    file.write_text(f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
                    "from test_controlled_stopping import chatter\n")  # fmt: skip
    monkeypatch.setattr("gristmill.cli.explore_asyncio.steady_hashes", lambda: None)  # it would start over
    line = [f"{file}:chatter", "--runs", str(FOREVER), "--format", "json"]
    limited = CliRunner().invoke(command, [*line, "--seconds", str(SECONDS)])
    with ctrl_c(1.0):
        interrupted = CliRunner().invoke(command, line)
    for found, why in ((limited, AFTER), (interrupted, "interrupted")):
        assert found.exit_code == 3, found.output
        assert json.loads(found.output)["verdict"] == "incomplete"
        assert why in json.loads(found.output)["caveats"]


def test_the_running_loop_is_restored_however_a_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal may come where a node's loop is about to restore the one around it."""
    set_running_loop, interrupted = asyncio.events._set_running_loop, []

    def interrupted_once(loop: asyncio.AbstractEventLoop | None) -> None:
        if loop is None and not interrupted:
            interrupted.append(True)
            raise TookTooLong
        set_running_loop(loop)

    monkeypatch.setattr("gristmill.controlled.loop.events", _Events(asyncio.events._get_running_loop, interrupted_once))
    explore(chatter, search="random", runs=1, seconds=SOON)
    assert interrupted
    assert asyncio.events._get_running_loop() is None


class _Events:
    def __init__(self, get: Any, set: Any) -> None:
        self._get_running_loop, self._set_running_loop = get, set
