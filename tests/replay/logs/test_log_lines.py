"""Files of logs: what is read, what is left out, what is wrong with them."""

from pathlib import Path

import pytest
from logged import MAPPING, document, mail, refused, written

from gristmill.replay.logs import read_log_mapping
from gristmill.replay.logs.lines import LogFile, read_logs
from gristmill.values import ModelValue, to_python

GOOD = {"event": "send", "body": 1}


def _read(mapping: str, files: list[Path]) -> list[LogFile]:
    with mail() as specification, specification.world.active():
        return read_logs(read_log_mapping(specification, *document(mapping)), files)


def test_lines_know_their_place_and_their_node(tmp_path: Path) -> None:
    mapping = MAPPING.replace('kind = "event"', 'kind = "event"\nignore = ["beat"]\nnode = "host.name"')
    lines = [{**GOOD, "host": {"name": "alice"}}, "", {"event": "beat"}, {**GOOD, "host": {"name": "bob"}}]
    (log,) = _read(mapping, written(tmp_path, all=lines))
    assert [(line.number, line.kind, line.node) for line in log.lines] == [(1, "send", "alice"), (4, "send", "bob")]
    assert log.left_out == {"of kind beat": 1}
    assert log.lines[1].span.text == log.lines[1].text
    assert str(log.lines[1]).endswith("all.ndjson:4")


def test_without_a_key_the_file_says_whose_it_is(tmp_path: Path) -> None:
    (log,) = _read(MAPPING, written(tmp_path, alice=[GOOD]))
    assert log.lines[0].node == "alice"
    assert to_python(log.lines[0].value)["node"] == ModelValue("alice")


def test_names_of_the_log_may_be_others_than_those_of_the_specification(tmp_path: Path) -> None:
    mapping = MAPPING.replace('kind = "event"', 'kind = "event"\nnode = "at"\nnames = { "10.0.0.1" = "alice" }')
    (log,) = _read(mapping, written(tmp_path, all=[{**GOOD, "at": "10.0.0.1", "to": ["10.0.0.1", "10.0.0.2"]}]))
    (line,) = log.lines
    assert line.node == "alice"
    assert to_python(line.value)["to"] == (ModelValue("alice"), "10.0.0.2")


ALICE, BOB = ModelValue("alice"), ModelValue("bob")


@pytest.mark.parametrize(
    ("json", "value"),
    [
        ('{"a": true, "b": -3, "c": "x"}', {"a": True, "b": -3, "c": "x"}),
        ('{"a": [1, [2], []]}', {"a": (1, (2,), ())}),
        ('{"a": {"alice": 1, "bob": 2}}', {"a": {ALICE: 1, BOB: 2}}),
        ('{"a": {"alice": 1, "carol": 2}}', {"a": {"alice": 1, "carol": 2}}),
        ('{"a": "alice", "alice": 1}', {"a": ALICE, "alice": 1}),
        ('{"a": null, "b": 1.5, "c": 1e999, "d": 1}', {"d": 1}),
        ('{"a": [1, null], "b": {"c": 2.5, "d": [0.5]}}', {"b": ()}),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
    ],
)
def test_objects_of_json_as_values(tmp_path: Path, json: str, value: dict[str, object]) -> None:
    mapping = MAPPING.replace('kind = "event"', 'kind = "what.kind"\nnode = "what.node"')
    text = json[:-1] + ', "what": {"kind": "send", "node": "alice", "fraction": 0.5}}'
    (log,) = _read(mapping, written(tmp_path, all=[text]))
    found = to_python(log.lines[0].value)
    assert found.pop("node") == ALICE, "every event has it"
    assert found.pop("what") == {"kind": "send", "node": ALICE}
    assert found == value


@pytest.mark.parametrize(
    ("line", "id", "said"),
    [
        ("GET / 200", "not-an-event", "this is no JSON"),
        ("[1, 2]", "not-an-event", "this is no object of JSON"),
        ('{"level": "info"}', "not-an-event", "has no text at `event`"),
        ('{"event": 7}', "not-an-event", "has no text at `event`"),
        ('{"event": "sent"}', "unknown-kind", "does not say what events of kind `sent` are"),
        ("[" * 100_000, "not-an-event", "this is no JSON"),
    ],
)
def test_a_line_that_is_no_event_is_an_error_with_its_place(tmp_path: Path, line: str, id: str, said: str) -> None:
    with refused() as found:
        _read(MAPPING, written(tmp_path, alice=[GOOD, line, GOOD]))
    (problem,) = found
    assert problem.id == id
    assert said in problem.message
    assert problem.span is not None
    assert (problem.span.line, problem.span.file.path) == (2, str(tmp_path / "alice.ndjson"))
    assert problem.help


def test_other_lines_may_be_left_out_but_not_kinds_that_nobody_knows(tmp_path: Path) -> None:
    mapping = MAPPING.replace('kind = "event"', 'kind = "event"\nothers = "skip"')
    (log,) = _read(mapping, written(tmp_path, alice=["GET / 200", '{"level": "info"}', GOOD]))
    assert len(log.lines) == 1
    assert log.left_out == {"that are no events": 2}
    with refused() as found:
        _read(mapping, written(tmp_path, alice=['{"event": "sent"}'] * 3))
    assert [each.id for each in found] == ["unknown-kind"], "told once"


def test_the_last_line_of_a_process_that_was_killed_may_be_half_written(tmp_path: Path) -> None:
    file = tmp_path / "alice.ndjson"
    file.write_text('{"event": "send", "body": 1}\n{"event": "se', encoding="utf-8")
    (log,) = _read(MAPPING, [file])
    assert (len(log.lines), log.is_cut) == (1, True)


def test_an_event_that_does_not_say_whose_it_is(tmp_path: Path) -> None:
    mapping = MAPPING.replace('kind = "event"', 'kind = "event"\nnode = "host"')
    with refused() as found:
        _read(mapping, written(tmp_path, alice=[GOOD]))
    assert [each.id for each in found] == ["no-node"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with refused() as found:
        _read(MAPPING, [tmp_path / "none.ndjson"])
    assert [each.id for each in found] == ["file-not-found"]
    with refused() as found:
        _read(MAPPING, [tmp_path])
    assert [each.id for each in found] == ["file-not-readable"]
