"""`gristmill explore` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gristmill.cli.explore import explore
from gristmill.source import SourceError

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "explore" / "ping.py")
FAULTY = """
from gristmill.bench.dbss.paxos import CredulousAcceptor, paxos

def system():
    return paxos(faulty=CredulousAcceptor)

other = paxos(1)
"""


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY)
    return str(path)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(explore, arguments)


def test_no_error() -> None:
    found = invoke(EXAMPLE)
    assert found.exit_code == 0
    assert "no error" in found.output
    assert "117 states" in found.output
    assert "states are not told apart by Client.log" in found.output


def test_a_counterexample_is_shown_kept_drawn_and_replayed(faulty: str, tmp_path: Path) -> None:
    schedule, drawing = str(tmp_path / "schedule.json"), str(tmp_path / "run.svg")
    found = invoke(faulty, "--por", "static", "--save", schedule, "--svg", drawing)
    assert found.exit_code == 12
    assert found.output.startswith("Error: the invariant agreement does not hold\n\n  1  start\n")
    assert Path(drawing).read_text(encoding="utf-8").startswith("<svg")
    again = invoke(faulty, "--replay", schedule)
    assert again.exit_code == 12
    with pytest.raises(SourceError, match="cannot happen here"):
        _raise(invoke(faulty, "--system", "other", "--replay", schedule))


def _raise(result: Result) -> None:
    assert isinstance(result.exception, SourceError)
    raise result.exception


def test_json(faulty: str) -> None:
    found = json.loads(invoke(faulty, "--format", "json").output)
    assert (found["verdict"], found["property"], found["exit_code"]) == ("invariant", "agreement", 12)
    assert found["message"] == "Error: the invariant agreement does not hold"
    assert (found["trace"][0]["number"], found["trace"][0]["action"]) == (1, "start")
    assert found["violations"][0]["kind"] == "invariant"


def test_not_everything_explored(faulty: str) -> None:
    found = invoke(faulty, "--system", "other", "--states", "10")
    assert found.exit_code == 3
    assert "not everything explored" in found.output


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\nraise KeyError('a')\n", ":2: KeyError: 'a'"),
        ("def system(:\n", ":1: SyntaxError"),
        ("x = 1\n", "has no System or scenario called system: there is none of that name"),
        ("system = 3\n", "has no System or scenario called system: it is a int"),
        ("def system():\n    return 1 / 0\n", r":2: system\(\) raised ZeroDivisionError"),
    ],
)
def test_mistakes_in_the_file(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(SourceError, match=says):
        _raise(invoke(str(path)))


def test_a_file_without_a_system_says_how_to_write_one(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    with pytest.raises(SourceError) as told:
        _raise(invoke(str(path)))
    assert "write `system = System(" in str(told.value.diagnostics[0].help)


def test_places_are_told_as_one_would_type_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(EXAMPLE).read_text(encoding="utf-8").replace("max(self.answered, ping.round)", "{}[ping.round]")
    (tmp_path / "crash.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    told = invoke("crash.py").output
    assert told.startswith("Error: process server, handler ping (crash.py:")
    assert str(tmp_path) not in told


def test_no_such_file() -> None:
    with pytest.raises(SourceError, match="there is no file"):
        _raise(invoke("nowhere.py"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--workers", "2", "--por", "static"], "partial-order reduction is for one worker"),
        (["--workers", "2", "--search", "stateless"], "the search stateless is for one worker"),
        (["--workers", "2", "--search", "deepening"], "the search deepening is for one worker"),
        (["--drops", "1"], "--drops is for asyncio programs, and this is a system of processes"),
        (["--por", "static", "--search", "bfs"], "partial-order reduction does not go with the search bfs"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], says: str) -> None:
    with pytest.raises(SourceError, match=says):
        _raise(invoke(EXAMPLE, *options))


def test_workers() -> None:
    found = [invoke(EXAMPLE, "--search", "dfs", "--workers", str(workers)) for workers in (1, 3)]
    assert [one.exit_code for one in found] == [0, 0]
    states = [one.output.split(" states")[0].split()[-1] for one in found]
    assert states[0] == states[1]
    assert "3 workers go level by level" in found[1].output


def test_a_system_without_properties_is_not_found_to_be_in_order(tmp_path: Path) -> None:
    source = Path(EXAMPLE).read_text(encoding="utf-8")
    (tmp_path / "unchecked.py").write_text(source + "\nunchecked = system.checked()\n")
    arguments = (str(tmp_path / "unchecked.py"), "--system", "unchecked")
    found = invoke(*arguments)
    assert found.exit_code == 0
    assert found.output.startswith("system: nothing was checked but exceptions and assertions of handlers\n")
    assert "note: the system has no properties to be checked" in found.output
    document = json.loads(invoke(*arguments, "--format", "json").output)
    assert document["message"] == "system: nothing was checked but exceptions and assertions of handlers"
    assert document["caveats"][0] == "the system has no properties to be checked"
    assert "not everything was explored" in invoke(*arguments, "--states", "3").output
