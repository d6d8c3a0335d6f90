"""Chapter 12.5: samples taken by simulation, and drawn."""

from pathlib import Path

import pytest
from pages import call

from gristmill.examples.catalogue import BOOK

STORE = BOOK / "12-cache"
RUN = f"gristmill simulate {STORE}/Workload.tla --config {STORE}/Workload-%s.cfg --generate --seed 1"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def share_of_hits() -> tuple[int, float]:
    values = Path("latency.csv").read_text().split()
    assert set(values) <= {"10", "100"}
    return len(values), values.count("10") / len(values)


def test_four_of_five_writes_hit_the_cache() -> None:
    assert "No error found" in call(RUN % "sample" + " --num 20 --depth 101")
    number, share = share_of_hits()
    assert number == 20 * 100
    assert 0.77 < share < 0.83


def test_choices_are_no_probabilities() -> None:
    """Of 8 * 4 choices of a cached key and 2 * 8 of another, two of three are hits; not four of five."""
    assert "No error found" in call(RUN % "choices" + " --num 8 --depth 41")
    _, share = share_of_hits()
    assert 0.55 < share < 0.75


def test_the_plot(tmp_path: Path) -> None:
    Path("latency.csv").write_text("10\n" * 80 + "100\n" * 20)
    output = call("gristmill plot latency.csv --title Latency")
    assert output.split() == "10 80 80.0 % 100 20 20.0 % drawn in latency.svg".split()
    drawing = Path("latency.svg").read_text()
    assert drawing.startswith("<svg")
    assert "80.0 %" in drawing


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, "", "cannot be read"),
        ("", "", "there are no values"),
        ("a,b\n1,2\n", "--column c", "it has a, b"),
        ("1,2\n", "--column 3", "it has 1 to 2"),
        ("1\n", "--out nowhere/x.svg", "cannot be written"),
    ],
)
def test_mistakes(content: str | None, options: str, message: str) -> None:
    if content is not None:
        Path("some.csv").write_text(content)
    assert message in call(f"gristmill plot some.csv {options} 2>&1")


def test_columns_by_name() -> None:
    Path("some.csv").write_text("kind,time\nread,5\nwrite,7\nread,5\n")
    assert call("gristmill plot some.csv --column kind").split()[:4] == ["read", "2", "66.7", "%"]
    assert call("gristmill plot some.csv --column time").split()[:4] == ["5", "2", "66.7", "%"]
