"""The example: a program that really runs, its logs, and its specification."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from logged import EXAMPLE

import gristmill
from gristmill.replay.logs import LogResult, validate
from gristmill.source import SourceError, read_source
from gristmill.source.toml_places import places_of
from gristmill.source.toml_reader import parsed_document
from gristmill.specification import Specification

FILE = read_source(EXAMPLE / "cell.map.toml")
DOCUMENT = parsed_document(FILE)
PLACES = places_of(FILE)
NAMES = ("s1", "s2", "s3")
LOGS = {
    name: [json.loads(line) for line in (EXAMPLE / "logs" / f"{name}.ndjson").read_text("utf-8").splitlines()]
    for name in NAMES
}


@pytest.fixture(scope="module")
def cell() -> Iterator[Specification]:
    with gristmill.open(EXAMPLE / "Cell.tla") as specification:
        yield specification


def _without_clocks() -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    del document["log"]["clock"], document["log"]["skew"]
    return document


def _validated(
    cell: Specification, folder: Path, logs: dict[str, list[Any]], document: dict[str, Any] = DOCUMENT
) -> LogResult:
    files = []
    for name, lines in logs.items():
        files.append(folder / f"{name}.ndjson")
        files[-1].write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return validate(cell, document, PLACES, files)


def _find(name: str, kind: str, after: int = 20) -> int:
    return next(n for n, line in enumerate(LOGS[name]) if n >= after and line["event"] == kind)


def _leader() -> str:
    return max(NAMES, key=lambda name: sum(line["event"] == "write" for line in LOGS[name]))


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("document", [DOCUMENT, _without_clocks()], ids=["clocks", "no clocks"])
def test_the_recorded_run_is_a_behaviour(tmp_path: Path, engine: Any, document: dict[str, Any]) -> None:
    with gristmill.open(EXAMPLE / "Cell.tla", engine=engine) as specification:
        result = _validated(specification, tmp_path, LOGS, document)
    assert result.ok
    assert result.broken == ()
    assert result.matched == sum(map(len, LOGS.values()))


@pytest.mark.parametrize("document", [DOCUMENT, _without_clocks()], ids=["clocks", "no clocks"])
def test_an_event_that_was_removed(cell: Specification, tmp_path: Path, document: dict[str, Any]) -> None:
    """A write: what others have stored was written by nobody."""
    name = _leader()
    at = _find(name, "write")
    logs = {**LOGS, name: [*LOGS[name][:at], *LOGS[name][at + 1 :]]}
    result = _validated(cell, tmp_path, logs, document)
    assert (result.status, result.exit_code) == ("left", 13)
    assert result.departure is not None
    assert result.departure.stuck[0].line.kind in ("store", "ack", "write")
    missing = [each for each in result.departure.repairs if each.repair.kind == "missing"]
    assert "Write" in [each.step.action for each in missing if each.step is not None]


@pytest.mark.parametrize("document", [DOCUMENT, _without_clocks()], ids=["clocks", "no clocks"])
def test_an_event_that_was_altered(cell: Specification, tmp_path: Path, document: dict[str, Any]) -> None:
    name = _leader()
    at = _find(name, "ack")
    line = LOGS[name][at]
    altered = {**line, "cell": {**line["cell"], "version": line["cell"]["version"] + 7}}
    result = _validated(cell, tmp_path, {**LOGS, name: [*LOGS[name][:at], altered, *LOGS[name][at + 1 :]]}, document)
    assert result.status == "left"
    assert result.departure is not None
    stuck = result.departure.stuck[0]
    assert (stuck.line.number, stuck.line.node) == (at + 1, name)
    (lack,) = [each for each in stuck.lacks if each.kind == "after"]
    assert lack.text == "cell[e.node]"
    assert (lack.wanted["version"], lack.owns[0][0]["version"]) == (altered["cell"]["version"], line["cell"]["version"])
    first = result.departure.repairs[0]
    assert (first.repair.kind, first.repair.reaches, first.line.number) == ("values", "end", at + 1)


def test_events_that_were_reordered(cell: Specification, tmp_path: Path) -> None:
    """A write and the acknowledgement before it, which is then of no use."""
    name = _leader()
    at = next(n for n in range(20, len(LOGS[name])) if [x["event"] for x in LOGS[name][n : n + 2]] == ["ack", "write"])
    lines = [*LOGS[name][:at], LOGS[name][at + 1], LOGS[name][at], *LOGS[name][at + 2 :]]
    result = _validated(cell, tmp_path, {**LOGS, name: lines}, _without_clocks())
    assert result.status == "left"
    assert result.departure is not None
    assert result.departure.stuck[0].line.number == at + 2
    found = [each for each in result.departure.repairs if each.repair.kind == "earlier"]
    assert [(each.line.number, each.other and each.other.number) for each in found] == [(at + 2, at + 1)]
    assert found[0].repair.reaches == "end"
    with pytest.raises(SourceError, match="the clock is behind that of line"):
        _validated(cell, tmp_path, {**LOGS, name: lines})


# ------------------------------------------------------------------------------------- another way to find the same


def _merged() -> list[dict[str, Any]]:
    return sorted((line for lines in LOGS.values() for line in lines), key=lambda line: line["ts"])


def _only_actions() -> dict[str, Any]:
    """In the order of the file, with nothing of the state."""
    document = _without_clocks()
    del document["log"]["observes"]
    for rule in document["log"]["event"].values():
        rule.pop("observes", None)
        rule.pop("before", None)
    document["log"]["event"]["start"]["action"] = "Start"
    return document


def _observed(line: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    rule = DOCUMENT["log"]["event"][line["event"]]
    given = {name: text.removeprefix("e.") for name, text in rule["parameters"].items()}
    action = "Start" if line["event"] == "start" else rule["action"]
    model_values = {name: gristmill.ModelValue(name) for name in NAMES}
    return action, {name: model_values.get(line[key], line[key]) for name, key in given.items()}


@pytest.mark.parametrize("change", ["nothing", "remove", "alter", "reorder"])
def test_one_log_is_followed_as_a_trace_is(cell: Specification, tmp_path: Path, change: str) -> None:
    merged, document, differs = _merged(), _only_actions(), 0
    for at in range(3, len(merged) - 1, 11) if change != "nothing" else [0]:
        lines = list(merged)
        if change == "remove":
            del lines[at]
        elif change == "alter":
            lines[at] = {**lines[at], "from": "s2", "to": "s2", "node": "s1", "value": 1}
        elif change == "reorder":
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        followed = cell.follow([_observed(line) for line in lines])
        result = _validated(cell, tmp_path, {"all": lines}, document)
        assert (result.status, result.matched) == (followed.verdict, followed.matched)
        differs += result.status == "left"
    assert (differs > 0) == (change != "nothing")


# --------------------------------------------------------------------------------------------------------- a real run


@pytest.mark.parametrize("forget", [False, True])
def test_a_run_of_today(cell: Specification, tmp_path: Path, forget: bool) -> None:
    """Three processes; the leader is killed and started again. If it forgets its epoch, its log says so."""
    command = [sys.executable, str(EXAMPLE / "cell.py"), "run", str(tmp_path), *(["--forget"] if forget else [])]
    subprocess.run(command, check=True, timeout=300)
    files = sorted(tmp_path.glob("*.ndjson"))
    assert [file.name for file in files] == ["s1.ndjson", "s2.ndjson", "s3.ndjson"]
    assert sorted(tmp_path.iterdir()) == files, "nothing else is left"
    result = validate(cell, DOCUMENT, PLACES, files)
    assert result.ok is not forget, result.message
    if forget:
        assert result.departure is not None
        stuck = next(each for each in result.departure.stuck if each.line.kind == "start")
        assert "epoch[e.node]" in [lack.text for lack in stuck.lacks if lack.kind == "after"]
