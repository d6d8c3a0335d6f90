"""The report of a replay on a terminal. `pytest --update-golden` writes the expected texts anew."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import replayed_raft as raft

from gristmill.replay.conformance import new_outcome
from gristmill.replay.difference import Difference
from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.report.terminal import WIDTH, render
from gristmill.replay.result import Comparison, Discrepancy, Moved, Run, StepRun

GOLDEN = Path(__file__).parent / "terminal"
OUTCOMES: dict[str, Callable[[], Outcome]] = {
    "differences": raft.with_differences,
    "shrunk": raft.shrunk,
    "not-started": raft.not_started,
    "conforming": raft.conforming,
    "confirming": raft.confirming,
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_report_is_as_expected(name: str) -> None:
    text, path = render(OUTCOMES[name]()), GOLDEN / f"{name}.txt"
    if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def _wide() -> Outcome:
    """Everything in it is long: names, values, moves, messages."""
    long = "{" + ", ".join(f'[number |-> {n}, name |-> "{"x" * 40}"]' for n in range(400)) + "}"
    different = Comparison(
        "aVariableWithAVeryLongNameIndeed",
        "node1",
        long,
        long[:-1] + ", 77}",
        False,
        f"path = {long}",
        tuple(Difference(f"[{n}].name", long, "" if n % 2 else long) for n in range(8)),
    )
    move = Moved("release", "node1", f"QuorumPeer[{'y' * 80}] from {'Here' * 10} to {'There' * 10}")
    steps = tuple(StepRun(n, f"Act({long}, node1)", (move,) * 6, (different,)) for n in range(1, 301))
    doing = tuple(f"thread {n}: {'waits ' * 40}" for n in range(50))
    found = Discrepancy(
        "differs", 300, f"Act({long}, node1)", long, "node1", different.variable, (different,) * 40, doing, doing
    )
    outcome = new_outcome(raft.mapping(), "trace")
    outcome.add(Replayed(tuple(raft.trace(1)), Run("a run\nwith \x1b[31m a strange name", steps, found, 300)))
    return outcome


def test_whatever_is_in_it_the_report_fits_the_terminal() -> None:
    lines = render(_wide()).splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []
    assert len(lines) < 200
    assert "\x1b" not in "".join(lines)


def test_a_step_takes_two_lines_at_most_and_a_long_run_is_cut() -> None:
    text = render(_wide())
    assert text.count("… and 5 moves more") == 25
    assert "… 275 steps …" in text


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_verdict_is_the_last_paragraph(name: str) -> None:
    outcome = OUTCOMES[name]()
    last = render(outcome).rstrip("\n").split("\n\n")[-1]
    assert last.startswith(
        {
            "differences": "Error: 3 discrepancies",
            "shrunk": "Error: 1 discrepancy ",
            "not-started": "Error: 1 discrepancy ",
            "conforming": "The system did it",
            "confirming": "1 of 2 violations",
        }[name]
    )


def test_what_was_not_replayed_is_no_success() -> None:
    nothing = replace(raft.conforming(), replayed=[], traces=0, conforming=0)
    assert "Nothing was replayed" in render(nothing)
    assert nothing.exit_code != 0
