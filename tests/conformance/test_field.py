"""The comparison with TLC: which module a configuration belongs to, what TLC says, what counts as different."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from field import markdown, ours, paired, subjects
from tlc import Answer, compared, theirs

DONE = """Model checking completed. No error has been found.
1,234 states generated, 56 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 7.
"""
OK = Answer("ok", None, 56, 1234, 7)


@pytest.fixture
def repositories(tmp_path: Path) -> Path:
    for name in ("one/Model", "one/MCModel", "two/deep/Other"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.tla").write_text("")
    for name in ("one/Model", "one/Model_small", "one/MCModel", "two/deep/Other"):
        (tmp_path / f"{name}.cfg").write_text("SPECIFICATION Spec\n")
    (tmp_path / "two" / "deep" / "Other_setup.cfg").write_text("[flake8]\nignore = 1\n")
    return tmp_path


def test_configurations_find_their_modules(repositories: Path) -> None:
    found = {each.config.name: (each.repository, each.module.name) for each in subjects(repositories, None)}
    assert found == {
        "Model.cfg": ("one", "Model.tla"),
        "Model_small.cfg": ("one", "Model.tla"),
        "MCModel.cfg": ("one", "MCModel.tla"),
        "Other.cfg": ("two", "Other.tla"),
    }
    assert paired(repositories / "two" / "deep" / "Other_setup.cfg") is None
    assert len([each for each in subjects(repositories, 2) if each.repository == "one"]) == 2


@pytest.mark.parametrize(
    ("code", "out", "expected"),
    [
        (0, DONE, OK),
        (12, "Error: Invariant Safe is violated.\n", Answer("invariant", "Safe")),
        (13, "Error: Action property Step is violated.\n", Answer("property", "Step")),
        (13, "Error: Temporal properties were violated.\n", Answer("liveness")),
        (11, "Error: Deadlock reached.\n", Answer("deadlock")),
        (150, "Error: Parsing or semantic analysis failed.\n", Answer("refused")),
        (10, "Error: Evaluating assumption line 1, col 2 to line 3, col 4 of module M failed.\n", Answer("error")),
        (10, "Error: Assumption line 1, col 2 to line 3, col 4 of module M is false.\n", Answer("assumption")),
    ],
)
def test_what_tlc_says(code: int, out: str, expected: Answer) -> None:
    assert theirs(code, out, 0.0) == expected


def test_what_is_different() -> None:
    assert compared(OK, OK) == "same"
    assert compared(OK, replace(OK, distinct=55)) == "counts"
    assert compared(Answer("invariant", "A"), OK) == "FALSE OK"
    assert compared(Answer("invariant", "A"), Answer("invariant", "B")) == "property"
    assert compared(OK, Answer("deadlock")) == "verdict"
    assert compared(Answer("error"), Answer("refused")) == "same"
    assert compared(Answer("timeout"), OK) == "gristmill alone finishes"
    assert compared(OK, Answer("timeout")) == "TLC alone finishes"
    assert compared(Answer("timeout"), Answer("hang")) == "hang"


def test_no_document_is_a_crash() -> None:
    assert ours(-11, "", "Segmentation fault", 1.0).verdict == "crash"


def test_a_table_has_all_of_it() -> None:
    side = {"verdict": "ok", "property": None, "distinct": 56, "generated": 1234, "depth": 7, "seconds": 1.25}
    text = markdown([{"model": "one: M.tla [M.cfg]", "outcome": "same", "tlc": side, "gristmill": side}])
    assert "| one: M.tla [M.cfg] | same | ok 56 / 1,234 / 7, 1.2 s |" in text
