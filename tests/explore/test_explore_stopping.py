"""A search that is interrupted, or reaches a limit, stops soon and is incomplete: every search, in C and in Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from explore_protocols import One, clocks

from gristmill.cli.explore import explore as command
from gristmill.explore import Bounds, Options, Process, Result, System, eventually, explore, invariant, on, timer
from gristmill.explore.api import Violated, check
from gristmill.explore.native.library import library as explore_library
from gristmill.explore.native.search import NativeSearch
from gristmill.explore.properties import Property, View

SECONDS = 0.15
AFTER = f"stopped after {SECONDS:g} s"
SOON = 4.0  # much more than that, much less than any of these would take; the machine may be busy

SEARCHES = {
    "dbss": Options("dbss"),
    "dbss, no selective push": Options("dbss", selective_push=False),
    "dbss, static": Options("dbss", por="static"),
    "dbss, dynamic": Options("dbss", por="dynamic"),
    "dbss, symmetry": Options("dbss", symmetry=True),
    "dbss, static, symmetry": Options("dbss", por="static", symmetry=True),
    "dbss, verified": Options("dbss", verify_decomposition=True),
    "dbss, 2 workers": Options("dbss", workers=2),
    "dbss, symmetry, 2 workers": Options("dbss", symmetry=True, workers=2),
    "dfs": Options("dfs"),
    "dfs, 2 workers": Options("dfs", workers=2),
    "bfs": Options("bfs"),
    "bfs, 2 workers": Options("bfs", workers=2),
    "stateless": Options("stateless"),
    "stateless, dynamic": Options("stateless", por="dynamic"),
    "deepening": Options("deepening"),
    "random": Options("random", runs=10**9),
    "random, 2 workers": Options("random", runs=10**9, workers=2),
    "pct": Options("pct", runs=10**9),
    "pct, 2 workers": Options("pct", runs=10**9, workers=2),
}
IN_C = [name for name, options in SEARCHES.items() if options.search not in ("deepening", "random", "pct")]
EVERY = [
    *(
        (name, engine)
        for name in IN_C
        for engine in ("native", "python")
        if "dynamic" not in name or engine == "python"
    ),
    *((name, "python") for name in SEARCHES if name not in IN_C),
]


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """The search in C, by whoever comes first on a machine: it may take longer than a test has."""
    explore_library()


class Counter(Process):
    """Counts for ever: every state is new, and a handler is run for it."""

    def __init__(self) -> None:
        self.count = 0

    def start(self) -> None:
        self.set_timer("tick")

    @timer("tick")
    def tick(self) -> None:
        self.count += 1
        self.set_timer("tick")


@invariant
def is_no_fraction(state: View) -> bool:
    return all(isinstance(state[name].count, int) for name in ("a", "b", "c"))


def counters() -> System:
    names = ("a", "b", "c")
    return System({name: Counter() for name in names}, (is_no_fraction,), symmetric=[names])


def many_clocks() -> System:
    """All handlers have run soon; the rest is arithmetic, for long."""
    system = clocks(18)
    return System(system.processes, (), symmetric=[("c0", "c1", "c2", "c3")])


def within(options: Options, engine: str, bounds: Bounds) -> Options:
    return replace(options, engine=engine, bounds=bounds)  # type: ignore[arg-type]


@contextmanager
def soon() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < SOON


@contextmanager
def ctrl_c(after: float) -> Iterator[None]:
    presses = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    presses.start()
    try:
        yield
        presses.join()
    finally:
        presses.cancel()


def is_incomplete(result: Result, why: str) -> bool:
    return result.verdict == "incomplete" and not result.ok and any(why in one for one in result.caveats)


@pytest.mark.parametrize(("name", "engine"), EVERY)
def test_the_limit_of_time(name: str, engine: str) -> None:
    options = within(SEARCHES[name], engine, Bounds(seconds=SECONDS))
    for system in (counters(), many_clocks()):
        with soon():
            result = explore(system, options)
        assert is_incomplete(result, AFTER), result


@pytest.mark.parametrize(("name", "engine"), EVERY)
def test_ctrl_c(name: str, engine: str, capfd: pytest.CaptureFixture[str]) -> None:
    handler = signal.getsignal(signal.SIGINT)
    for system in (counters(), many_clocks()):
        with soon(), ctrl_c(SECONDS):
            result = explore(system, within(SEARCHES[name], engine, Bounds()))
        assert is_incomplete(result, "interrupted"), result
    assert capfd.readouterr() == ("", "")
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["dbss", "bfs, 2 workers"])
def test_ctrl_c_at_any_moment_is_not_lost(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(12):
        with soon(), ctrl_c(0.02 + 0.013 * number):
            try:
                result = explore(counters(), within(SEARCHES[name], "native", Bounds()))
            except KeyboardInterrupt:  # before there was a search
                continue
        assert is_incomplete(result, "interrupted"), result
    assert capfd.readouterr() == ("", "")


def test_an_exception_that_leaves_a_callback_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of somebody else's signal handler may, which ctypes prints and forgets."""
    forgets = 0

    def unguarded(self: NativeSearch, callback: object) -> object:
        def forgetful(*arguments: object) -> None:
            nonlocal forgets
            forgets += 1
            if forgets < 20:
                callback_answers(*arguments)

        def callback_answers(*arguments: object) -> None:
            arguments[-1][0] = callback(*arguments[:-1])  # type: ignore[index, operator]

        return forgetful

    monkeypatch.setattr(NativeSearch, "_guarded", unguarded)
    assert is_incomplete(explore(many_clocks(), Options("dfs", engine="native")), "interrupted")


@pytest.mark.parametrize(("name", "engine"), EVERY)
def test_the_limit_of_states(name: str, engine: str) -> None:
    options = within(SEARCHES[name], engine, Bounds(states=100, seconds=20.0))
    if options.search in ("random", "pct"):
        pytest.skip("a sample has no states to store")
    result = explore(counters(), options)
    assert is_incomplete(result, "stopped after 100 states"), result


class Sleeper(Process):
    def start(self) -> None:
        self.send("other", One(1))


class Stubborn(Process):
    """Does not come back, whatever happens to it."""

    @on(One)
    def one(self, one: One, sender: str) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                time.sleep(1)
            except BaseException:
                return


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_handler_that_takes_long_is_not_waited_for(engine: str) -> None:
    system = System({"sleeper": Sleeper(), "other": Stubborn()}, ())
    with soon():
        limited = explore(system, within(Options(), engine, Bounds(seconds=SECONDS)))
    assert is_incomplete(limited, AFTER)
    with soon(), ctrl_c(SECONDS):
        interrupted = explore(system, within(Options(), engine, Bounds()))
    assert is_incomplete(interrupted, "interrupted")


@pytest.mark.parametrize("kind", [invariant, eventually])
@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_property_that_takes_long_is_not_waited_for(kind: Callable[..., Property], engine: str) -> None:
    @kind
    def slow(state: View) -> bool:
        while True:
            pass

    with soon():
        limited = explore(System(clocks(1).processes, (slow,)), within(Options(), engine, Bounds(seconds=SECONDS)))
    assert is_incomplete(limited, AFTER)


def test_what_was_found_is_told_though_no_time_is_left_to_make_it_short() -> None:
    asked = 0

    @invariant
    def soon_wrong(state: View) -> bool:
        """False after so many steps; asked for long when the run is made shorter."""
        nonlocal asked
        asked += 1
        if asked > 700:
            time.sleep(0.2)
        return sum(state[name].count for name in ("a", "b", "c")) < 300

    system = System({name: Counter() for name in ("a", "b", "c")}, (soon_wrong,))
    with soon():
        result = explore(system, Options("dfs", engine="python", bounds=Bounds(seconds=2.0)))
    assert result.verdict == "invariant"
    assert result.failure is not None


def test_check_fails_if_not_all_was_explored() -> None:
    with pytest.raises(Violated, match="not everything explored"):
        check(counters(), Options(bounds=Bounds(seconds=SECONDS)))


FILE = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_explore_stopping import counters, many_clocks
"""


TELLING = """
from pathlib import Path
from test_explore_stopping import Counter, System, invariant

@invariant
def counts(state):
    return state["telling"].count >= 0

class Telling(Counter):
    def start(self):
        super().start()
        Path(BEGAN).touch()

system = System({"telling": Telling()}, (counts,))
"""


@pytest.mark.parametrize("system", ["counters", "many_clocks"])
@pytest.mark.parametrize("arguments", [[], ["--search", "bfs", "--workers", "2"], ["--engine", "python"]])
def test_the_command_says_so(system: str, arguments: list[str], tmp_path: Path) -> None:
    file = tmp_path / "system.py"
    file.write_text(FILE)
    line = [f"{file}:{system}", "--format", "json", *arguments]
    limited = CliRunner().invoke(command, [*line, "--seconds", str(SECONDS)])
    with ctrl_c(1.0):
        interrupted = CliRunner().invoke(command, line)
    for found, why in ((limited, AFTER), (interrupted, "interrupted")):
        assert found.exit_code == 3, found.output
        assert json.loads(found.output)["verdict"] == "incomplete"
        assert why in json.loads(found.output)["caveats"]


def test_the_command_as_people_call_it(tmp_path: Path) -> None:
    file, began = tmp_path / "system.py", tmp_path / "began"
    file.write_text(FILE + TELLING.replace("BEGAN", repr(str(began))))
    line = [sys.executable, "-m", "gristmill", "explore", str(file)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not began.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    assert process.returncode == 3, errors
    assert errors == ""
    assert output.startswith("system: nothing found, and not everything explored\n")
    assert "note: interrupted" in output
