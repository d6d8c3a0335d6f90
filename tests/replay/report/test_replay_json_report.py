"""The report of a replay as JSON, and its description."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import replayed_raft as raft

from gristmill.replay.outcome import Outcome
from gristmill.replay.report.document import outcome_document

DESCRIPTION = Path(__file__).parents[3] / "docs" / "reference" / "replay-json.md"


def document(outcome: Outcome) -> Any:
    return json.loads(json.dumps(outcome_document(outcome)))


def test_it_tells_what_was_found() -> None:
    told = document(raft.with_differences())
    assert (told["verdict"], told["exit_code"], told["traces"], told["conforming"]) == ("property", 13, 5, 1)
    first = told["discrepancies"][0]
    assert (first["kind"], first["step"], first["variable"], first["node"], first["times"]) == (
        "differs",
        30,
        "log",
        "s2",
        2,
    )
    assert first["comparisons"][0]["differences"][0] == {"path": "[1].term", "model": "1", "real": "9"}
    assert len(first["trace"]) == len(first["run"]["steps"]) == 30
    assert [each["kind"] for each in told["discrepancies"]] == ["differs", "never-came", "failed"]
    assert told["avoided"] == [
        {"name": "SecondCandidate", "times": 41, "because": "issue 7: two candidates of one term"}
    ]


def test_of_a_trace_that_was_made_smaller_it_has_the_small_one() -> None:
    found = document(raft.shrunk())["discrepancies"][0]
    assert (found["shrunk"], found["tries"], found["step"], len(found["trace"])) == (True, 6, 7, 7)


def test_it_tells_what_was_confirmed() -> None:
    told = document(raft.confirming())
    assert told["exit_code"] == 12
    assert [(each["invariant"], each["confirmed"]) for each in told["confirmations"]] == [
        ("ElectionSafety", True),
        ("LogMatching", False),
    ]


def test_every_field_is_described() -> None:
    described = set(re.findall(r"`(\w+)`", DESCRIPTION.read_text(encoding="utf-8")))
    fields = {name for make in (raft.with_differences, raft.confirming) for name in _fields(document(make()))}
    assert fields - described == set()


def _fields(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if path not in ("actions", "unobserved"):  # there, names are of actions and variables
                yield name
            yield from _fields(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _fields(each, path)
