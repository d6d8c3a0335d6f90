"""What is told of a log: on the terminal, and as JSON."""

import json
from pathlib import Path

from logged import MAPPING, events, mail, validated, written

from gristmill.replay.logs import LogResult, log_document, render
from gristmill.report.terminal import Options


def _result(tmp_path: Path, *kinds: tuple[str, int], mapping: str = MAPPING, invariants: str = "Few") -> LogResult:
    return validated(mail(invariants=invariants), mapping, written(tmp_path, alice=events(*kinds)))


def test_a_log_that_fits(tmp_path: Path) -> None:
    text = render(_result(tmp_path, ("send", 1), ("send", 2)))
    assert text.startswith("The log is that of a behaviour of Mail: 2 events\n")
    assert "alice.ndjson  2 of 2 events" in text
    assert "2 steps: Send 2" in text


def test_why_a_log_does_not_fit(tmp_path: Path) -> None:
    text = render(_result(tmp_path, ("send", 1), ("send", 2), ("send", 1), ("send", 3)))
    assert text.startswith("Error: No behaviour of Mail fits the log beyond 2 of 4 events\n")
    file = tmp_path / "alice.ndjson"
    for said in (
        "2 of 4 events, up to line 2",
        f"{file}:3 cannot come next in the state that the log leads to",
        '{"event": "send", "body": 1}',
        "Send is not possible:",
        r"[from |-> from, body |-> body] \notin sent",
        "What comes nearest is Send(from = bob, body = 1): from is bob, not alice",
        f"if what {file}:3 tells of parameters were not asked for, all the rest would fit",
        "if Lose(m = [from |-> alice, body |-> 1]), which no line tells of,",
        "Send(from = alice, body = 2)",
        f"{file}:2",
        "got = (alice :> <<>> @@ bob :> <<>>)",
    ):
        assert said in text, text


def test_parts_of_values_that_differ(tmp_path: Path) -> None:
    mapping = MAPPING.replace('kind = "event"', "observes = { 'got' = '[alice |-> <<e.body>>, bob |-> <<>>]' }")
    text = render(_result(tmp_path, ("send", 1), mapping=mapping))
    assert "after Send, got differs" in text
    mapping = MAPPING.replace(
        'kind = "event"', "observes = { '[at |-> e.node, all |-> sent]' = '[at |-> e.node, all |-> {}]' }"
    )
    text = render(_result(tmp_path, ("send", 1), mapping=mapping))
    assert ".all: [from |-> alice, body |-> 1] in the model only" in text
    text = render(
        _result(tmp_path, ("send", 1), mapping=MAPPING.replace('kind = "event"', "observes = { 'Head(<<>>)' = '1' }"))
    )
    assert "in the model  (no value: " in text
    mapping = MAPPING.replace('kind = "event"', "observes = { 'sent' = '{[from |-> e.node, body |-> 2]}' }")
    text = render(_result(tmp_path, ("send", 1), mapping=mapping))
    assert "in the log    {[from |-> alice, body |-> 2]}" in text
    assert "in the model  {[from |-> alice, body |-> 1]}" in text


def test_an_invariant_is_told_with_the_line_and_the_reason(tmp_path: Path) -> None:
    text = render(_result(tmp_path, ("send", 1), ("send", 2), invariants="Quiet"))
    assert text.startswith("Error: Every behaviour of Mail that fits the log violates Quiet\n")
    assert f"Quiet is false after {tmp_path / 'alice.ndjson'}:2" in text
    assert "Cardinality(sent) = 2" in text


def test_colour_only_adds(tmp_path: Path) -> None:
    result = _result(tmp_path, ("send", 1), ("send", 1))
    plain, coloured = render(result), render(result, Options(color=True))
    assert "\x1b[" in coloured
    for code in ("1;31", "1", "1;33", "2", "0", "1;32", "33"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plain


def test_control_characters_of_a_log_do_not_reach_the_terminal(tmp_path: Path) -> None:
    text = '{"event": "send", "body": 1, "note": "\\u001b[2J"}'
    files = written(tmp_path, alice=[text, text.replace("\\u001b", "\x1b")])
    mapping = MAPPING.replace('kind = "event"', 'others = "skip"')
    files[0].write_text(f"{text}\n{text}\n", encoding="utf-8")
    assert "\x1b" not in render(validated(mail(), mapping, files))


def test_the_document_has_everything(tmp_path: Path) -> None:
    result = _result(tmp_path, ("send", 1), ("send", 2), ("send", 1))
    document = json.loads(json.dumps(log_document(result)))
    assert {key: document[key] for key in ("verdict", "property", "exit_code", "status", "events", "matched")} == {
        "verdict": "property",
        "property": "Mail",
        "exit_code": 13,
        "status": "left",
        "events": 3,
        "matched": 2,
    }
    path = str(tmp_path / "alice.ndjson")
    assert document["files"] == [{"path": path, "events": 3, "matched": 2, "last_line": 2, "left_out": {}}]
    (stuck,) = document["departure"]["stuck"]
    assert (stuck["file"], stuck["line"], stuck["kind"], stuck["event"]["body"]) == (path, 3, "send", 1)
    assert stuck["lacks"][0]["blocked"][0]["guard"]["truth"] is False
    assert stuck["nearest"]["differences"] == [{"of": "parameter", "text": "from", "logged": "alice", "model": "bob"}]
    assert document["departure"]["never"] == [{"file": path, "line": 3, "kind": "send", "node": "alice"}]
    assert [each["change"] for each in document["departure"]["repairs"]] == ["parameters", "missing", "missing"]
    assert [[line["line"] for line in state["lines"]] for state in document["trace"]] == [[], [1], [2]]


def test_the_document_of_an_invariant(tmp_path: Path) -> None:
    document = log_document(_result(tmp_path, ("send", 1), ("send", 2), invariants="Quiet"))
    (broken,) = document["invariants"]
    assert (broken["name"], broken["by"], broken["state"], broken["after"]["line"]) == ("Quiet", "all", 3, 2)


def test_what_is_not_known_of_an_invariant(tmp_path: Path) -> None:
    mapping = MAPPING.replace('kind = "event"', 'hidden = ["Lose"]')
    files = written(tmp_path, alice=events(("send", 1), ("send", 2)))
    text = render(validated(mail(invariants="Quiet"), mapping, files, bound=3))
    assert text.startswith("Not decided: a behaviour fits the log and violates Quiet; whether all do is not known\n")
    assert "Quiet is false after" in text
