"""A search that goes on after violations counts them in C; the reference evaluator is asked about the first of each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gristmill
from gristmill.native.run import search
from gristmill.search.core.search import NativeSearch

HEAD = "---- MODULE Made ----\nEXTENDS Integers, Sequences, TLC\n"
GRID = """VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x < 60 /\\ x' = x + 1 /\\ UNCHANGED y
        \\/ y < 60 /\\ y' = y + 1 /\\ UNCHANGED x
Low == x < 3
Apart == x # y \\/ x = 0
Fine == x >= 0
Slow == [][x' < 50]_<<x, y>>
Steady == [][y' # 7]_<<x, y>>"""
ENDLESS = """VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == x' = x + 1 /\\ y' \\in 0..40
Low == x = 0"""


def check(text: str, engine: str, **options: Any) -> gristmill.Result:
    given = {"init": "Init", "next": "Next", "deadlock": False, "continue_": True, **options}
    return gristmill.check(f"{HEAD}{text}\n====\n", engine=engine, **given)  # type: ignore[arg-type]


def told(result: gristmill.Result) -> list[object]:
    return [
        (each.verdict, each.property, each.message, each.count, [step.state for step in each.trace or ()])
        for each in result.violations
    ]


def both(text: str, **options: Any) -> gristmill.Result:
    expected = check(text, "python", **{**options, "workers": 1})
    found = check(text, "native", **options)
    assert found.engine == "native", found.diagnostics
    for name in ("verdict", "property", "message", "distinct", "generated", "depth", "queue"):
        assert getattr(found, name) == getattr(expected, name), name
    assert told(found) == told(expected)
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_each_property_has_its_own_count_and_its_first_behaviour(workers: int) -> None:
    properties = {"invariants": ["Fine", "Apart", "Low"], "properties": ["Slow", "Steady"], "deadlock": True}
    found = both(GRID, workers=workers, **properties)
    assert {each.property: each.count for each in found.violations} == {
        "Low": 58 * 61,
        "Apart": 60,
        "Slow": 11 * 61 + 11 * 60,
        "Steady": 61 + 60,
        None: 1,
    }


def test_few_are_put_to_the_reference_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    path = NativeSearch.path
    monkeypatch.setattr(NativeSearch, "path", lambda self, number: paths.append(number) or path(self, number))
    found = check(GRID, "native", invariants=["Low", "Apart"], properties=["Slow"])
    assert sum(each.count for each in found.violations) > 4_000
    assert len(paths) == len(found.violations) == 3


@pytest.mark.parametrize("workers", [1, 2])
def test_a_time_limit_leaves_the_counts(workers: int) -> None:
    found = check(ENDLESS, "native", invariants=["Low"], seconds=4, workers=workers)
    (violation,) = found.violations
    assert (found.verdict, found.property, found.engine) == ("invariant", "Low", "native")
    assert violation.count == found.distinct - 1 > 50_000
    assert violation.trace is not None
    assert len(violation.trace) == 2
    assert found.queue > 0


@pytest.mark.parametrize("going_on", [True, False])
def test_an_interrupt_does_not_hide_what_was_found(monkeypatch: pytest.MonkeyPatch, going_on: bool) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search._Run, "_path", interrupted)
    found = check(GRID, "native", invariants=["Low"], continue_=going_on)
    assert found.verdict == "invariant"
    assert "An invariant is violated" in found.message
    assert any("Not everything that was found wrong" in each for each in found.caveats)
    assert found.distinct == (61 * 61 if going_on else 7)


def test_what_cannot_be_evaluated_where_something_else_is_false() -> None:
    """The search ends there, though an invariant before it is false, and has been before."""
    text = GRID + "\nLeft == x < 20 \\/ CHOOSE n \\in {1} : n = y\nOther == y < 30"
    found = both(text, invariants=["Low", "Left", "Other"])
    assert [each.verdict for each in found.violations] == ["invariant", "error"]
    step = GRID + "\nQuick == [][x' < 20]_<<x, y>>\nOdd == [][x' < 30 \\/ CHOOSE n \\in {1} : n = y]_<<x, y>>"
    found = both(step, properties=["Quick", "Odd"])
    assert [each.verdict for each in found.violations] == ["property", "error"]


def test_violations_in_initial_states() -> None:
    text = """VARIABLES x, y
Init == x \\in 0..9 /\\ y = 0
Next == y < 50 /\\ y' = y + 1 /\\ UNCHANGED x
Low == x < 3
Lower == y < 9 /\\ x # 8
Begin == x < 5 /\\ [][TRUE]_<<x, y>>"""
    found = both(text, invariants=["Low", "Lower"], properties=["Begin"])
    assert {each.property: each.count for each in found.violations} == {
        "Low": 7 * 51,
        "Lower": 51 + 9 * 42,
        "Begin": 5,
    }


def test_more_properties_than_have_a_bit() -> None:
    many = "".join(f"\nP{number} == x + y # {number}" for number in range(1, 71))
    found = both(GRID + many, invariants=[f"P{number}" for number in range(1, 71)])
    assert len(found.violations) == 70


def test_with_fingerprints() -> None:
    found = check(GRID, "native", invariants=["Low", "Apart"], fingerprint=True)
    assert told(found) == told(check(GRID, "python", invariants=["Low", "Apart"]))


def test_counts_go_on_after_a_checkpoint(tmp_path: Path) -> None:
    file, saved = tmp_path / "Made.tla", tmp_path / "saved"
    file.write_text(f"{HEAD}{GRID}\n====\n")

    def finish(*options: str) -> dict[str, Any]:
        own = [sys.executable, "-m", "gristmill.cli", "check", str(file), "--format", "json", "--no-deadlock"]
        given = ["--init", "Init", "--next", "Next", "--invariant", "Low", "--invariant", "Apart", "--continue"]
        done = subprocess.run([*own, *given, *options], capture_output=True, text=True, timeout=300, check=False)
        return json.loads(done.stdout)  # type: ignore[no-any-return]

    finish("--checkpoint", str(saved), "--depth", "40")
    resumed, whole = finish("--checkpoint", str(saved), "--resume"), finish("--engine", "python")
    assert resumed["engine"] == "native"
    for name in ("verdict", "distinct", "generated", "violations"):
        assert resumed[name] == whole[name], name


def test_a_checkpoint_would_not_keep_violations_in_initial_states(tmp_path: Path) -> None:
    """They are found before the search, so that a resumed one would know nothing of them."""
    file = tmp_path / "Made.tla"
    file.write_text(f"{HEAD}{GRID}\nNever == x + y > 0\n====\n")
    own = [sys.executable, "-m", "gristmill.cli", "check", str(file), "--format", "json", "--no-deadlock", "--continue"]
    given = ["--init", "Init", "--next", "Next", "--invariant", "Never", "--checkpoint", str(tmp_path / "saved")]
    done = subprocess.run([*own, *given], capture_output=True, text=True, timeout=300, check=False)
    found = json.loads(done.stdout)
    assert (found["verdict"], found["engine"], found["distinct"]) == ("invariant", "python", 61 * 61)


@pytest.mark.parametrize("workers", [1, 2])
def test_with_a_view_and_states_that_are_cut_off(workers: int) -> None:
    """Which state stands for others is known late, and those cut off are checked each time."""
    text = GRID + "\nSeen == <<x + y, (x * y) % 7>>\nInside == x + y < 70 /\\ y # 33"
    found = both(
        text,
        workers=workers,
        config="VIEW Seen\nCONSTRAINT Inside",
        invariants=["Low", "Apart"],
        properties=["Slow", "Steady"],
    )
    assert len(found.violations) >= 3
