"""Logs followed by a model: what fits, what does not, and why."""

from pathlib import Path
from typing import Any

import pytest
from logged import MAIL, MAPPING, events, mail, refused, validated, written

import gristmill
from gristmill.replay.logs import LogResult, render
from gristmill.values import show


def _mail(tmp_path: Path, mapping: str = MAPPING, *, alice: Any = (), bob: Any = (), **options: Any) -> LogResult:
    invariants = {"invariants": options.pop("invariants")} if "invariants" in options else {}
    files = written(tmp_path, alice=events(*alice), bob=events(*bob))
    return validated(mail(**invariants), mapping, files, **options)


def _with(options: str, mapping: str = MAPPING) -> str:
    return mapping.replace('kind = "event"', f'kind = "event"\n{options}')


def test_two_logs_of_one_run(tmp_path: Path) -> None:
    result = _mail(tmp_path, bob=[("receive", 2), ("send", 3)], alice=[("send", 1), ("send", 2), ("receive", 3)])
    assert (result.status, result.verdict, result.exit_code, result.ok) == ("matched", "ok", 0, True)
    assert (result.events, result.matched) == (5, 5)
    assert [(file.events, file.matched, file.last_line) for file in result.files] == [(3, 3, 3), (2, 2, 2)]
    assert len(result.trace) == len(result.lines) == 6
    told = [line for lines in result.lines for line in lines]
    assert sorted(map(str, told)) == sorted(
        [f"{tmp_path}/alice.ndjson:{n}" for n in (1, 2, 3)] + [f"{tmp_path}/bob.ndjson:{n}" for n in (1, 2)]
    )


def test_what_was_never_sent(tmp_path: Path) -> None:
    result = _mail(tmp_path, bob=[("receive", 1)], alice=[("send", 2)])
    assert (result.status, result.verdict, result.exit_code) == ("left", "property", 13)
    assert result.property == "Mail"
    assert [(file.matched, file.last_line) for file in result.files] == [(1, 1), (0, None)]
    assert result.departure is not None
    (stuck,) = result.departure.stuck
    assert (stuck.line.number, stuck.line.node, stuck.states) == (1, "bob", 1)
    assert [(lack.kind, lack.action, lack.text) for lack in stuck.lacks] == [
        ("such-that", "Receive", "m.body = e.body")
    ]
    assert stuck.nearest is not None
    assert [step.action for step in stuck.nearest.steps] == ["Receive"]


def test_a_guard_that_is_false_is_told_with_its_values(tmp_path: Path) -> None:
    result = _mail(tmp_path, alice=[("send", 1), ("send", 1)])
    assert result.departure is not None
    (stuck,) = result.departure.stuck
    (lack,) = stuck.lacks
    assert (lack.kind, lack.action) == ("guard", "Send")
    assert lack.text == "[from |-> from, body |-> body] \\notin sent"
    assert dict(lack.examples[0].parameters) == {"from": "alice", "body": "1"}


def test_values_that_differ_are_told_by_the_states_that_have_them(tmp_path: Path) -> None:
    """Bob has received something, and nobody knows what."""
    mapping = MAPPING.replace("such-that = 'm.body = e.body'", "") + (
        "[log.event.look]\nobserves = { 'got[e.node]' = 'e.got' }\n"
    )
    log = {"alice": [("send", 1), ("send", 2)], "bob": [{"event": "receive"}, {"event": "look", "got": [3]}]}
    result = _mail(tmp_path, mapping, **log)
    assert (result.status, result.matched) == ("left", 3)
    assert result.departure is not None
    (stuck,) = result.departure.stuck
    (lack,) = stuck.lacks
    assert (lack.kind, lack.action, lack.text, lack.count) == ("after", None, "got[e.node]", 2)
    assert {show(own): count for own, count in lack.owns} == {"<<1>>": 1, "<<2>>": 1}
    log["bob"][1] = {"event": "look", "got": [2]}
    assert _mail(tmp_path, mapping, **log).ok


def test_hidden_steps_may_come_anywhere(tmp_path: Path) -> None:
    log = {"alice": [("send", 1), ("send", 1)]}
    assert _mail(tmp_path, **log).status == "left"
    result = _mail(tmp_path, _with('hidden = ["Lose"]'), **log)
    assert result.status == "matched"
    assert [step.action for step in result.trace.steps] == [None, "Send", "Lose", "Send"]
    assert [len(lines) for lines in result.lines] == [0, 1, 0, 1]
    assert any("Lose" in caveat for caveat in result.caveats)


def test_an_event_may_be_one_of_several_actions_or_several_of_them(tmp_path: Path) -> None:
    mapping = MAPPING + (
        "[log.event.again]\naction = [\"Receive\", 'Lose \\cdot Send']\n"
        "parameters = { n = 'e.node', from = 'e.node', body = 'e.body' }\n"
        "such-that = { Lose = 'm.body = e.body' }\n"
    )
    result = _mail(tmp_path, mapping, alice=[("send", 1), ("again", 1)])
    assert [step.action for step in result.trace.steps] == [None, "Send", "Lose", "Send"]
    assert [len(lines) for lines in result.lines] == [0, 1, 0, 1], "the line tells of the last of its steps"
    assert _mail(tmp_path, mapping, alice=[("send", 1)], bob=[("again", 1)]).ok
    assert not _mail(tmp_path, mapping, alice=[("send", 2), ("again", 1)]).ok


def test_any_action(tmp_path: Path) -> None:
    mapping = MAPPING + '[log.event.step]\naction = "*"\n'
    assert _mail(tmp_path, mapping, alice=[{"event": "step"}, ("send", 1)], bob=[("receive", 1)]).ok
    assert _mail(tmp_path, mapping, alice=[{"event": "step"}] * 2, bob=[("receive", 1), ("receive", 1)]).ok
    found = _mail(tmp_path, mapping, alice=[{"event": "step"}], bob=[("receive", 1), ("receive", 1)])
    assert found.status == "left", "it was sent once"


def test_what_was_seen_before_a_step(tmp_path: Path) -> None:
    mapping = MAPPING.replace('action = "Send"', "action = \"Send\"\nbefore = { 'Cardinality(sent)' = 'e.waiting' }")
    log = [{"event": "send", "body": n, "waiting": n - 1} for n in (1, 2)]
    assert _mail(tmp_path, mapping, alice=log).ok
    result = _mail(tmp_path, mapping, alice=[log[0], {**log[1], "waiting": 0}])
    assert result.departure is not None
    assert [(lack.kind, lack.text, lack.wanted, lack.owns) for lack in result.departure.stuck[0].lacks] == [
        ("before", "Cardinality(sent)", 0, ((1, 1),))
    ]


def test_rules_are_tried_in_their_order_and_what_none_is_about_is_told(tmp_path: Path) -> None:
    mapping = r"""
[log]
[[log.event.say]]
where = 'e.body = 1'
action = "Send"
parameters = { from = 'e.node', body = '3' }
[[log.event.say]]
where = 'e.body < 3'
action = "Send"
parameters = { from = 'e.node', body = 'e.body' }
"""
    result = _mail(tmp_path, mapping, alice=[("say", 1), ("say", 2), ("say", 3)])
    assert [dict(step.parameters)["body"] for step in result.trace.steps[1:]] == [3, 2]
    assert result.files[0].left_out == {"of kind say for which no `where` is true": 1}
    assert any("1 line of kind say for which no `where` is true was left out" in each for each in result.caveats)


def test_what_is_not_always_logged(tmp_path: Path) -> None:
    seen = "observes = { 'Len(got[e.node])' = { is = 'e.got', where = '\"got\" \\in DOMAIN e' } }"
    mapping = _with(seen)
    assert _mail(tmp_path, mapping, alice=[("send", 1), {"event": "send", "body": 2, "got": 0}]).ok
    assert not _mail(tmp_path, mapping, alice=[("send", 1), {"event": "send", "body": 2, "got": 1}]).ok
    with refused() as found:
        _mail(tmp_path, _with("observes = { 'Len(got[e.node])' = 'e.got' }"), alice=[("send", 1)])
    assert 'no field "got"' in found[0].message
    assert found[0].span is not None
    assert found[0].span.text == "'e.got'"
    assert found[0].labels[0].span.line == 1, "the line of the log"


def test_what_has_no_value_in_a_state_is_not_what_was_seen(tmp_path: Path) -> None:
    mapping = _with("observes = { 'Head(got[e.node])' = 'e.body' }")
    result = _mail(tmp_path, mapping, alice=[("send", 1)])
    assert result.status == "left"
    assert result.departure is not None
    ((own, _),) = result.departure.stuck[0].lacks[0].owns
    assert "no value" in str(own)


@pytest.mark.parametrize(
    ("order", "status"), [("", "matched"), ('clock = "t"', "left"), ('clock = "t"\nskew = 5', "matched")]
)
def test_clocks_leave_less_room(tmp_path: Path, order: str, status: str) -> None:
    """By the clock, it was received before it was sent."""
    log = {"alice": [{"event": "send", "body": 1, "t": 10}], "bob": [{"event": "receive", "body": 1, "t": 7}]}
    assert _mail(tmp_path, _with(order), **log).status == status


def test_events_of_one_file_by_node(tmp_path: Path) -> None:
    lines = [{"event": "receive", "body": 1, "node": "bob"}, {"event": "send", "body": 1, "node": "alice"}]
    files = written(tmp_path, all=lines)
    assert validated(mail(), _with('node = "node"'), files).status == "left"
    assert validated(mail(), _with('node = "node"\norder = "node"'), files).status == "matched"


def test_a_log_without_events_says_nothing(tmp_path: Path) -> None:
    with refused() as found:
        _mail(tmp_path, _with('ignore = ["beat"]'), alice=[{"event": "beat"}])
    assert [each.id for each in found] == ["no-events"]


def test_a_bound_makes_the_end_unknown(tmp_path: Path) -> None:
    log = {"alice": [("send", n) for n in (1, 2, 3)], "bob": [("receive", n) for n in (3, 2, 1)]}
    assert _mail(tmp_path, **log).ok
    result = _mail(tmp_path, bound=3, **log)
    assert (result.status, result.verdict, result.exit_code) == ("unknown", "incomplete", 3)
    assert result.matched == 2
    wrong = {**log, "bob": [("receive", 1), ("receive", 1)]}
    assert _mail(tmp_path, bound=3, **wrong).status == "unknown"
    assert _mail(tmp_path, **wrong).status == "left"


def test_progress_is_told_and_time_may_be_up(tmp_path: Path) -> None:
    seen: list[tuple[int, int, int]] = []
    mapping, log = _with('hidden = ["Lose"]'), {"alice": [("send", 3)] * 300}
    assert _mail(tmp_path, mapping, on_progress=lambda *told: seen.append(told), **log).ok
    assert seen
    assert all(matched <= 300 and events == 300 for matched, events, _ in seen)
    assert _mail(tmp_path, mapping, seconds=0, **log).status == "unknown"


# --------------------------------------------------------------------------------------------------------- invariants


def test_an_invariant_that_all_behaviours_violate(tmp_path: Path) -> None:
    log = {"alice": [("send", 1), ("send", 2), ("send", 3)], "bob": [("receive", 1), ("receive", 2), ("receive", 3)]}
    result = _mail(tmp_path, invariants="Few", **log)
    assert (result.status, result.verdict, result.exit_code, result.property) == ("matched", "invariant", 12, "Few")
    (broken,) = result.broken
    assert (broken.name, broken.by) == ("Few", "all")
    assert str(broken.line).endswith("bob.ndjson:2")
    assert broken.number is not None
    assert len(result.trace.steps[broken.number].state["got"].values()) == 2
    assert broken.explanation is not None
    assert broken.explanation.truth is False
    ignored = written(tmp_path, **{name: events(*lines) for name, lines in log.items()})
    assert validated(mail(invariants="Few"), MAPPING, ignored, invariants=False).ok


def test_an_invariant_that_some_behaviours_violate(tmp_path: Path) -> None:
    """Alice may have sent the second one before the first was received, or after that."""
    log = {"alice": [("send", 1), ("send", 2)], "bob": [("receive", 1), ("receive", 2)]}
    result = _mail(tmp_path, invariants="Quiet", **log)
    assert (result.verdict, [(each.name, each.by) for each in result.broken]) == ("ok", [("Quiet", "some")])
    assert any("Quiet is false in some behaviours" in caveat for caveat in result.caveats)
    ordered = {name: [{"event": kind, "body": body, "t": n * step} for n, (kind, body) in enumerate(lines, 1)]
               for (name, lines), step in zip(log.items(), (2, 3), strict=True)}  # fmt: skip
    assert _mail(tmp_path, _with('clock = "t"'), invariants="Quiet", **ordered).broken == ()


def test_an_invariant_of_which_it_is_not_known_whether_all_violate_it(tmp_path: Path) -> None:
    log = {"alice": [("send", 1), ("send", 2)]}
    full = _mail(tmp_path, _with('hidden = ["Lose"]'), invariants="Quiet", **log)
    assert (full.verdict, full.broken[0].by) == ("ok", "some"), "the first message may have been lost"
    cut = _mail(tmp_path, _with('hidden = ["Lose"]'), invariants="Quiet", bound=3, **log)
    assert (cut.status, cut.verdict) == ("matched", "incomplete")
    assert [(each.name, each.by) for each in cut.broken] == [("Quiet", "some")]


def test_invariants_say_nothing_of_what_does_not_fit(tmp_path: Path) -> None:
    result = _mail(tmp_path, invariants="Quiet", alice=[("send", 1), ("send", 2), ("send", 2)])
    assert (result.verdict, result.broken) == ("property", ())


def test_a_step_that_cannot_be_evaluated_is_told_with_its_place(tmp_path: Path) -> None:
    text = MAIL.replace("/\\ m.from # n", "/\\ m.from # n /\\ m.length > 0")
    config = "CONSTANT Nodes = {alice, bob}\nINIT Init\nNEXT Next\n"
    log = {"alice": events(("send", 1)), "bob": events(("receive", 1))}
    result = validated(gristmill.open(text, config=config), MAPPING, written(tmp_path, **log))
    assert (result.status, result.verdict, result.exit_code) == ("error", "error", 75)
    assert result.diagnostics[0].span is not None
    assert result.diagnostics[0].span.text == "m.length"
    assert "m.length" in render(result)
