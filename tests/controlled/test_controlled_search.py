"""Searches find what is there; what they find is replayed, shrunk, saved, drawn, and fails a test."""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from gristmill.controlled import Node, Settings, World, check, explore, load, replay
from gristmill.controlled.crew import Others, crew
from gristmill.controlled.plan import Plan, SearchKind
from gristmill.controlled.report import failure_text, result_text
from gristmill.controlled.run import Laboratory, Program
from gristmill.controlled.strategies import Diverged, deviating, next_prefix
from gristmill.controlled.strategies import Path as ChosenPath
from gristmill.explore.system import System
from gristmill.explore.target import find_target
from gristmill.search.budget.deadline import Deadline

PROGRAM = (Path(__file__).parents[2] / "examples" / "explore" / "bank.py").read_text(encoding="utf-8")


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "bank.py"
    file.write_text(PROGRAM)
    return file


def load_bank(file: Path) -> Program:
    target = find_target(f"{file}:program")
    assert not isinstance(target, System)
    return target


@pytest.mark.parametrize("search", ["random", "pct", "dfs", "deepening"])
def test_every_search_finds_the_lost_update_and_shrinks_it(bank: Path, search: SearchKind) -> None:
    program = load_bank(bank)
    depth = {"dfs": 30, "pct": 3}.get(search)
    result = explore(program, runs=3000, search=search, depth=depth)
    assert not result.ok
    (failure,) = result.failures.values()
    assert str(failure).startswith("nothing is lost: the balance is 10")
    assert len(failure.events) <= failure.found_length
    assert replay(program, failure).violation is not None
    # No event can be left out: both customers reach the bank before its loop has run twice.
    assert len(failure.events) <= 45
    text = failure_text(failure)
    assert "alice" in text
    assert "✗ nothing is lost" in text


def test_the_first_schedule_is_the_usual_one_and_does_not_fail(bank: Path) -> None:
    assert explore(load_bank(bank), search="deepening", deviations=0).ok


def test_the_same_seed_gives_the_same_search(bank: Path) -> None:
    program = load_bank(bank)
    first, second, other = (explore(program, runs=30, seed=seed, keep_going=True) for seed in (5, 5, 6))
    assert first.schedules == second.schedules
    assert first.schedules != other.schedules


def test_a_failure_goes_through_a_file(bank: Path, tmp_path: Path) -> None:
    program = load_bank(bank)
    result = explore(program, runs=500)
    (failure,) = result.failures.values()
    failure.save("failing.json")
    loaded = load("failing.json")
    assert (loaded.events, loaded.seed, loaded.settings) == (failure.events, failure.seed, failure.settings)
    run = replay(program, loaded)
    assert run.events == failure.events
    assert str(run.violation) == str(failure)


def test_a_program_that_has_changed_does_not_follow_the_schedule(bank: Path) -> None:
    result = explore(load_bank(bank), runs=500)
    (failure,) = result.failures.values()
    bank.write_text(PROGRAM.replace('world.node("bob", customer)', ""))
    with pytest.raises(Diverged, match=r"of the schedule is `.* bob`, but possible are: "):
        replay(load_bank(bank), failure)


def test_a_failing_check_is_a_failing_test_with_a_chart(bank: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        check(load_bank(bank), runs=500, save="failing.json")
    text = str(caught.value)
    assert text.startswith("Failed: nothing is lost: the balance is 10")
    assert "├" in text
    assert "replay it with: gristmill explore bank.py:program --replay failing.json" in text
    assert json.loads(Path("failing.json").read_text())["events"]


def test_pytest_shows_it(bank: Path) -> None:
    Path("test_bank.py").write_text(
        "from bank import program\nfrom gristmill.controlled import check\n\n"
        "def test_bank():\n    check(program, runs=500, save='failing.json')\n"
    )
    options = ["-q", "-p", "no:cacheprovider", "test_bank.py"]
    ran = subprocess.run([sys.executable, "-m", "pytest", *options], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "nothing is lost: the balance is 10" in ran.stdout
    assert "alice" in ran.stdout
    assert Path("failing.json").exists()


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONHASHSEED": "random"}
    line = [sys.executable, "-m", "gristmill", "explore", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False, env=environment)


def test_the_command_finds_saves_draws_and_replays(bank: Path) -> None:
    ran = command("bank.py", "--runs", "500", "--svg", "chart.svg")
    assert ran.returncode == 12, ran.stderr
    assert "Failed: nothing is lost" in ran.stdout
    ElementTree.parse("chart.svg")
    saved = Path("failing-schedule.json").read_text()
    again = command("bank.py", "--runs", "500")
    assert Path("failing-schedule.json").read_text() == saved  # another process, the same search
    replayed = command("bank.py", "--replay", "failing-schedule.json", "--svg", "again.svg")
    assert replayed.returncode == 12, replayed.stderr
    assert "✗ nothing is lost: the balance is 10" in replayed.stdout
    assert Path("again.svg").read_text() == Path("chart.svg").read_text()
    assert again.returncode == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.py"], "there is no file nothing.py"),
        (["bank.py:other"], "bank.py has no System or scenario called other: there is none of that name"),
        (["broken.py"], "broken.py:1: SyntaxError"),
        (["bank.py", "--replay", "nothing.json"], "nothing.json cannot be read: No such file or directory"),
        (["bank.py", "--replay", "bank.py"], "bank.py is no schedule of a controlled program"),
        (["bank.py", "--save", "no/such/folder.json"], "no/such/folder.json cannot be written"),
        (["bank.py", "--por", "static"], "--por is for systems of processes, and this is an asyncio program"),
        (["bank.py", "--search", "bfs"], "bfs needs states that can be stored"),
        (["bank.py", "--search", "dfs", "--workers", "2"], "dfs is for one worker"),
        (["bank.py", "--side", "bob"], "--side says how the network falls apart, and it never does"),
        (["bank.py", "--side", "bill", "--partitions", "1"], "there is no node 'bill' to stand on one side"),
        (["bank.py", "--side", "bill", "--partitions", "1", "--workers", "2"], "there is no node 'bill'"),
    ],
)
def test_bad_input_is_one_message(bank: Path, arguments: list[str], message: str) -> None:
    Path("broken.py").write_text("def (")
    ran = command(*arguments)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error[explore-")
    assert message in ran.stderr.replace("\n", " ")
    assert "Traceback" not in ran.stderr


def test_a_program_that_does_not_do_the_same_twice_is_found_out() -> None:
    count = itertools.count()

    def program(world: World) -> None:
        async def main(node: Node) -> None:
            for _ in range(next(count) % 3):
                await asyncio.sleep(0)

        world.node("main", main)

    result = explore(program, runs=10)
    assert not result.ok
    assert result.unsteady
    text = result_text(result)
    assert text.startswith("Not explored: the program does not do the same twice")
    assert "PYTHONHASHSEED" in text


def test_depth_first_search_counts() -> None:
    """Without a program: as many paths as there are combinations of choices."""
    from gristmill.controlled.event import make

    events = [make("run", str(number), None) for number in range(3)]

    def run(prefix: Sequence[int], depth: int) -> tuple[ChosenPath, tuple[int, ...]]:
        path = ChosenPath(prefix, depth)
        return path, tuple(events.index(path.choose(events, step)) for step in range(5))

    def paths(depth: int, deviations: int | None) -> list[tuple[int, ...]]:
        found = []
        prefix: list[int] | None = []
        while prefix is not None:
            path, made = run(prefix, depth)
            found.append(made)
            prefix = next_prefix(path.taken, path.widths, deviations)
        return found

    everything = paths(4, None)
    assert len(everything) == len(set(everything)) == 3**4
    assert all(path[4] == 0 for path in everything)
    few = paths(4, 1)
    assert sorted(few) == sorted(path for path in everything if sum(map(bool, path)) <= 1)
    level: list[tuple[int, ...]] = [()]
    levels = []
    while level:
        ran = [run(prefix, 4) for prefix in level]
        levels.append(sorted(made for _, made in ran))
        level = [prefix for path, _ in ran for prefix in deviating(path.taken, path.widths)]
    by_deviations = [sorted(path for path in everything if sum(map(bool, path)) == number) for number in range(5)]
    assert levels == by_deviations


def test_what_was_explored_is_told(bank: Path) -> None:
    program = load_bank(bank)
    result = explore(program, runs=100, keep_going=True, settings=Settings(resets=1, steps=60))
    text = result_text(result)
    assert "100 runs (random walks, seed 0)" in text
    assert f"{len(result.schedules):,} distinct schedules" in text
    assert "failed with nothing is lost" in text
    assert result.failing_runs["nothing is lost"] >= 1
    assert len(result.orders) <= len(result.schedules) <= 100


@pytest.mark.parametrize("search", ["random", "pct", "deepening"])
@pytest.mark.parametrize("keep_going", [False, True])
def test_what_is_found_does_not_depend_on_the_number_of_workers(
    bank: Path, search: SearchKind, keep_going: bool
) -> None:
    program = load_bank(bank)
    settings = Settings(partitions=1, resets=1)

    def found(workers: int) -> list[object]:
        result = explore(
            program,
            runs=200,
            search=search,
            keep_going=keep_going,
            settings=settings,
            workers=workers,
        )
        schedules = [(kind, one.events, one.number) for kind, one in result.failures.items()]
        counted = [result.runs, result.events, result.outcomes, result.faults, result.failing_runs, result.levels]
        return [result.schedules, result.orders, counted, schedules]

    alone = found(1)
    assert alone[3]
    assert found(3) == alone


def test_workers_end_with_the_search_and_leave_nothing_behind(
    bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    real = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **_: real(dir=folder))
    explore(load_bank(bank), runs=500, workers=2)
    assert not multiprocessing.active_children()
    assert not list(folder.iterdir())


def test_workers_end_even_within_a_program_that_catches_everything(tmp_path: Path) -> None:
    really_sleep = time.sleep  # not the one of the world

    def stubborn(world: World) -> None:
        (tmp_path / "busy").touch()
        while True:
            with suppress(BaseException):
                really_sleep(60)

    plan = Plan(stubborn, "random", 0, Settings(), 10, None, None, False, Deadline())
    with crew(2, Laboratory(), plan) as hands:
        assert isinstance(hands, Others)
        hands.workers.connections[0].send(next(iter(plan.batches())))
        while not (tmp_path / "busy").exists():
            time.sleep(0.01)
    assert not multiprocessing.active_children()


def test_what_is_not_controlled_is_reported_by_workers_too(tmp_path: Path) -> None:
    def program(world: World) -> None:
        async def main(node: Node) -> None:
            await asyncio.get_running_loop().run_in_executor(None, len, "")

        world.node("main", main)

    result = explore(program, runs=200, workers=2)
    assert result.blocked
    assert "executor" in result_text(result)


def test_the_same_history_in_json(bank: Path) -> None:
    ran = command("bank.py", "--format", "json", "--workers", "2")
    assert ran.returncode == 12, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["verdict"], found["property"], found["exit_code"]) == ("invariant", "nothing is lost", 12)
    assert found["runs"] == 3
    violation = found["violations"][0]
    assert violation["schedule"] == "failing-schedule.json"
    assert json.loads(Path("failing-schedule.json").read_text())["events"] == [
        step["action"] for step in violation["trace"]
    ]


def test_misuse_is_told() -> None:
    with pytest.raises(ValueError, match="drops is -1: it must not be negative"):
        Settings(drops=-1)
    with pytest.raises(ValueError, match="ready is 'some'"):
        Settings(ready="some")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="runs is 0"):
        explore(lambda world: None, runs=0)
    with pytest.raises(ValueError, match="the program has set up no node"):
        explore(lambda world: None, runs=3)
