"""`gristmill examples`: listing, running, copying, and what is said when something comes out otherwise."""

import _thread
import json
import threading
from pathlib import Path

import pytest
from pages import call

from gristmill.cli import examples as verb
from gristmill.examples.catalogue import Expected, examples, find, read_expected, read_run


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_are_listed() -> None:
    lines = call("gristmill examples").splitlines()
    assert [line.split()[1] for line in lines[: len(examples())]] == [example.name for example in examples()]


@pytest.mark.parametrize("name", ["liveness", "16", "16-liveness"])
def test_names(name: str) -> None:
    found = find(name)
    assert found is not None
    assert found.number == 16
    assert call(f"gristmill examples {name}").startswith("16 Liveness")


def test_copying(tmp_path: Path) -> None:
    call("gristmill examples clock --copy here")
    assert (tmp_path / "here" / "02-clock" / "Clock.tla").is_file()
    assert "is there already" in call("gristmill examples clock --copy here 2>&1")
    call("gristmill examples --copy everything")
    assert len(list((tmp_path / "everything").iterdir())) == len(examples())


def test_mistakes() -> None:
    assert "there is no example Nowhere" in call("gristmill examples Nowhere 2>&1")
    assert "either" in call("gristmill examples clock --all 2>&1")


def test_what_comes_out_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "found", lambda result, expected: Expected("ok", None, 7))
    output = call("gristmill examples liveness")
    assert "ok, 7 states" in output
    assert "expected: ok, 4 states" in output


def test_what_is_expected_to_be_incomplete_is_not_shown_by_an_interrupt(tmp_path: Path) -> None:
    """It is to end at a limit of its own."""
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\nNext == n' = n + 1\n====\n"
    )
    (tmp_path / "M.cfg").write_text("\\* Endless.\n\\* Expected: incomplete\nINIT Init\nNEXT Next\n")
    threading.Timer(1.0, _thread.interrupt_main).start()
    with pytest.raises(SystemExit) as ending:
        verb._as_expected(read_run(tmp_path / "M.cfg"), 1, "python")
    assert ending.value.code == 3


def test_a_configuration_must_say_what_is_expected(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text("INIT Init\n")
    with pytest.raises(ValueError, match="does not say"):
        read_run(tmp_path / "M.cfg")


@pytest.mark.parametrize("text", ["ok, 1,440 states", "liveness Midnight", "deadlock", "ok"])
def test_expectations_print_as_they_are_written(text: str) -> None:
    assert str(read_expected(text)) == text


def test_dumps_have_every_state() -> None:
    """Chapter 17: look at the states, even if there is no error."""
    call("gristmill examples fairness guideline --copy .")
    call("gristmill check 15-fairness/Elevator.tla --dump json elevator.json")
    states = json.loads(Path("elevator.json").read_text())["states"]
    assert [state["floor"] for state in states] == [1, 2, 3, 4]
    call("gristmill check 17-guideline/Locks.tla --dump dot locks.dot")
    assert Path("locks.dot").read_text().count('[label="has') == 5
