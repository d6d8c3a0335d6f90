"""Reading the table [log]: what it means, and what is wrong with it, with its place."""

import pytest
from logged import MAPPING, document, mail, refused

from gristmill.replay.logs import read_log_mapping
from gristmill.replay.logs.mapping import LogMapping


def _read(text: str) -> LogMapping:
    with mail() as specification:
        return read_log_mapping(specification, *document(text))


def test_what_a_table_says() -> None:
    found = _read(
        r"""
[log]
kind = "msg.type"
node = "host"
order = "node"
clock = "ts"
skew = 0.5
hidden = ["Lose"]
ignore = ["heartbeat"]
others = "skip"
names = { "127.0.0.1:7001" = "alice" }
observes = { 'Len(got[e.node])' = 'e.got' }
[log.event.send]
action = "Send"
parameters = { from = 'e.node' }
[[log.event.other]]
where = 'e.body > 1'
action = ['Receive \cdot Lose', "Send"]
parameters = { n = 'e.node', 'Lose.m' = '[from |-> e.node, body |-> 1]', body = 'e.body' }
such-that = { Receive = 'm.body = e.body' }
before = { 'sent' = { is = '{}', where = 'e.body = 2' } }
[[log.event.other]]
"""
    )
    assert (found.kind, found.node, found.streams, found.clock, found.skew) == (
        ("msg", "type"),
        ("host",),
        "node",
        ("ts",),
        0.5,
    )
    assert (found.hidden, found.ignore, found.skip_others) == (("Lose",), ("heartbeat",), True)
    assert found.model_values == {"alice", "bob"}
    (send,) = found.rules["send"]
    assert [[act.action for act in way] for way in send.ways] == [["Send"]]
    assert [seen.model.text for seen in send.observes] == ["Len(got[e.node])"]
    first, second = found.rules["other"]
    assert [[act.action for act in way] for way in first.ways] == [["Receive", "Lose"], ["Send"]]
    (receive, lose), (sending,) = first.ways
    assert (set(receive.parameters), set(lose.parameters), set(sending.parameters)) == ({"n"}, {"m"}, {"body"})
    assert receive.such_that is not None
    assert lose.such_that is sending.such_that is None
    assert first.before[0].where is not None
    assert second.ways == ((),), "no step at all"


@pytest.mark.parametrize(
    ("change", "id", "place", "said"),
    [
        (("kind", "kinds"), "unknown-key", "kinds", "[log] has no key `kinds`"),
        (('kind = "event"', "kind = 7"), "wrong-type", "7", "`kind` must be a text"),
        (('kind = "event"', 'order = "time"'), "unknown-value", '"time"', "`order` cannot be `time`"),
        (('kind = "event"', 'clock = "t"\nskew = -1'), "wrong-type", "-1", "must be a number"),
        (('kind = "event"', "skew = 1"), "no-clock", "skew", "there is no clock"),
        (('kind = "event"', 'clock = "t"\nvector = "v"'), "two-clocks", "vector", "a clock and a vector clock"),
        (('kind = "event"', 'kind = "a..b"'), "wrong-type", '"a..b"', "dots between"),
        (('kind = "event"', 'as = "e v"'), "no-name", '"e v"', "is no name of TLA+"),
        (('kind = "event"', 'hidden = ["Loose"]'), "unknown-action", '"Loose"', "Mail has no action `Loose`"),
        (('kind = "event"', 'ignore = ["send"]'), "ignored-and-described", '"send"', "and described as well"),
        (('kind = "event"', 'model-values = ["carol"]'), "unknown-model-value", '"carol"', "no model value `carol`"),
        (('"Send"', '"Sent"'), "unknown-action", '"Sent"', "Mail has no action `Sent`"),
        (('"Send"', "'Send \\cdot Sent'"), "unknown-action", "'Send \\cdot Sent'", "Mail has no action `Sent`"),
        (("body = 'e.body' }", "text = 'e.body' }"), "unknown-parameter", "text", "`Send` has no parameter `text`"),
        (("body = 'e.body' }", "'Lose.m' = '1' }"), "unknown-action", "'Lose.m'", "none of the actions of this event"),
        (("such-that = 'm", "such-that.Send = 'm"), "unknown-action", "Send", "none of the actions of this event"),
        (("'m.body = e.body'", "'m.body = e.bo dy'"), "syntax-error", "dy", "found `dy`"),
        (("'m.body = e.body'", "'m.body = x.body'"), "unknown-name", "x", "`x` is not declared"),
        (("'e.body' }", "'got' }"), "not-of-the-event", "'got'", "this speaks of `got` in a state of the model"),
        (("'e.body' }", "1 }"), "wrong-type", "1", "`body` must be a TLA+ expression"),
        (("such-that", "observes = 1\nsuch-that"), "wrong-type", "1", "`observes` must be a table"),
        (("such-that", "observes = { x = { where = 'TRUE' } }\nsuch-that"), "no-value", None, "what was seen"),
        (("such-that", "sees = 1\nsuch-that"), "unknown-key", "sees", "[log.event.receive] has no key `sees`"),
    ],
)
def test_a_mistake_has_a_place(change: tuple[str, str], id: str, place: str | None, said: str) -> None:
    assert change[0] in MAPPING
    with refused() as found:
        _read(MAPPING.replace(*change, 1))
    first = found[0]
    assert (first.id, said in first.message) == (id, True), first
    assert first.span is not None
    if place is not None:
        assert first.span.text.startswith(place)
    assert first.span.file.path == "mail.map.toml"


def test_all_mistakes_are_told_at_once() -> None:
    with refused() as found:
        _read(MAPPING.replace('"Send"', '"Sent"').replace('"Receive"', '"Received"'))
    assert [each.id for each in found if each.id == "unknown-action"] == ["unknown-action"] * 2


@pytest.mark.parametrize(("text", "id"), [("", "no-log"), ("[log]\nkind = 'x'", "no-events"), ("log = 1", "no-log")])
def test_a_mapping_that_says_nothing_of_logs(text: str, id: str) -> None:
    with refused() as found:
        _read(text)
    assert [each.id for each in found] == [id]


def test_the_event_cannot_be_called_like_a_variable() -> None:
    with refused() as found:
        _read(MAPPING.replace('kind = "event"', 'as = "got"').replace("e.", "got."))
    assert {each.id for each in found} == {"name-taken"}
