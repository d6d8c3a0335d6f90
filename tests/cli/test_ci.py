"""`check --junit` and `--github`: what a build server is told."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from gristmill.cli.main import gristmill

MODULE = """---- MODULE Count ----
EXTENDS Naturals
CONSTANT N
VARIABLE n
Init == n = 0
Next == n < N /\\ n' = n + 1
Small == n < 3
====
"""


@pytest.fixture
def count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Count.tla").write_text(MODULE)
    (tmp_path / "Count.cfg").write_text("CONSTANT N = 5\nINIT Init\nNEXT Next\nINVARIANT Small\n")
    return tmp_path


def run(*arguments: str) -> str:
    return CliRunner().invoke(gristmill, ["check", "Count.tla", "--no-deadlock", *arguments]).output


def test_a_failure_in_junit(count: Path) -> None:
    run("--junit", "out.xml")
    suite = ElementTree.parse(count / "out.xml").getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        "Count",
        "1",
        "1",
        "0",
    )
    failure = suite[0][0]
    assert (suite[0].get("name"), failure.tag, failure.get("type")) == ("Count", "failure", "invariant")
    assert failure.get("message") == "Invariant Small is violated"
    assert "n = 3" in (failure.text or "")


def test_a_sweep_has_a_test_for_each_value(count: Path) -> None:
    run("--junit", "out.xml", "--sweep", "N=1..4")
    suite = ElementTree.parse(count / "out.xml").getroot()[0]
    assert [(test.get("name"), len(test)) for test in suite] == [("N = 1", 0), ("N = 2", 0), ("N = 3", 1), ("N = 4", 1)]


def test_annotations_stand_where_the_mistake_is(count: Path) -> None:
    assert "::error file=Count.tla,line=7,col=1::Invariant Small is violated" in run("--github").splitlines()
    (count / "Count.tla").write_text(MODULE.replace("n < 3", "m < 3"))
    (line,) = [line for line in run("--github").splitlines() if line.startswith("::")]
    assert line.startswith("::error file=Count.tla,line=7,col=10::the name `m` is not declared or defined")


def test_nothing_is_annotated_if_nothing_is_wrong(count: Path) -> None:
    assert "::" not in run("--github", "--constant", "N = 2")


def test_a_file_that_cannot_be_written(count: Path) -> None:
    assert "cannot be written" in run("--junit", "nowhere/out.xml")
