"""What an alarm tells of itself: what each way to send the message lacks, when it was allowed, or would be."""

import json
from pathlib import Path

from lock_recordings import ASSIGNED, MAPPING, OUT_OF_TURN, UNASKED, ask, judged, reply

import gristmill
from gristmill.report.style import Style
from gristmill.trace.itf import load_itf
from gristmill.values import Fn, World, show
from gristmill.watch.applying import Actions
from gristmill.watch.explaining import Change
from gristmill.watch.explaining.alternatives import earlier
from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap
from gristmill.watch.report.chart import chart_svg, chart_text
from gristmill.watch.report.itf import alarm_itf
from gristmill.watch.report.terminal import render_alarm
from gristmill.watch.report.words import change_words, otherwise, summary, when
from gristmill.watch.simulation import Node, State
from gristmill.watch.verdicts import Watched


def the_alarm(watched: Watched) -> Alarm:
    (alarm,) = watched.alarms
    return alarm


def test_the_nearest_way_with_the_words_of_the_specification_and_values(tmp_path: Path) -> None:
    _, watched = judged(tmp_path, *OUT_OF_TURN)
    alarm = the_alarm(watched)
    nearest = alarm.candidates[0]
    (lack,) = nearest.obstacles
    assert (nearest.action, nearest.answers) == ("Acquire", alarm.before[-1])
    assert lack.text == "current[s] = m.ticket is false"
    assert lack.words == "it is the turn of this ticket"
    assert lack.values == (("current[s]", "1"), ("m.ticket", "2"))
    assert lack.span is not None
    assert lack.span.file.line_text(lack.span.line).strip().startswith("/\\ current[s] = m.ticket")
    said = summary("lock", alarm)
    assert said == "lock sent Acquired to client, which Acquire does only if: it is the turn of this ticket"


def test_what_would_be_allowed_instead(tmp_path: Path) -> None:
    """The ticket that the node still has to answer with."""
    _, watched = judged(tmp_path, *ASSIGNED, ask("Assign", number=3), reply("Assigned", 7))
    (found,) = the_alarm(watched).reasons.instead
    assert (found.field, found.value, found.allowed) == ("ticket", 7, 3)
    assert otherwise(found) == "With ticket 3 in the place of 7 it would be allowed"


def test_when_it_was_allowed(tmp_path: Path) -> None:
    """An answer that counts as lost, as the node has not sent it for so long."""
    mapping, watched = judged(tmp_path, *UNASKED)
    alarm = the_alarm(watched)
    with mapping.specification.world.active():
        node = Node(mapping, Actions(mapping.specification, mapping.monitor), "lock")
        before = State(alarm.reasons.path[0].local, frozenset({alarm.message.record}))
        now = State(alarm.reasons.path[-1].local)
        history = [(alarm.before[-2], [before]), (alarm.before[-1], [now])]
        found = earlier(node, history, [now], alarm.message.record)
        assert found is not None
        assert (found.until, found.ago) == (alarm.before[-2], 2)
        assert {each.variable: show(each.after) for each in found.changes} == {"highest": "3", "held": "TRUE"}
        assert when(found, "lock").startswith(
            "It was allowed until lock got Acquire from client (message 5, 2 messages"
        )
        assert "; with it " in when(found, "lock")
        assert "held: FALSE → TRUE" in when(found, "lock")


def test_changes_are_told_inside_of_values() -> None:
    entry, numbers = Fn({"term": 2}), tuple(range(60))
    with World().active():
        told = change_words(Change("log", numbers, (*numbers, entry)), 60)
        assert [str(each) for each in told] == ["log: Append [term |-> 2]"]


def test_a_message_that_no_action_sends(tmp_path: Path) -> None:
    """The client sends no answers: nothing in the specification lets it."""
    stolen = {"kind": "Acquired", "from": "client", "to": "lock", "ticket": 1}
    mapping, watched = judged(tmp_path, *ASSIGNED, stolen)
    alarm = the_alarm(watched)
    assert all(each.obstacles for each in alarm.candidates)
    with mapping.specification.world.active():
        assert "no Acquire from lock has come" in render_alarm("client", alarm, Style(False), 100)


# ---------------------------------------------------------------------------------------------------------- the chart


def test_the_chart_fits(tmp_path: Path) -> None:
    mapping, watched = judged(tmp_path, *OUT_OF_TURN)
    alarm = the_alarm(watched)
    with mapping.specification.world.active():
        for width in (40, 60, 80, 120):
            lines = chart_text(alarm, width).splitlines()
            assert len(lines) == 7
            assert max(map(len, lines)) <= width
            assert lines[0].split() == ["client", "lock"]
            assert "═" in lines[-1]
            assert not any("═" in line for line in lines[:-1])
        assert chart_text(alarm, 20) == ""
        drawn = chart_svg(alarm)
    assert drawn.count('<line class="message"') == 5
    assert drawn.count('<line class="wrong"') == 1


# ------------------------------------------------------------------------------------------------------------------ ITF


def written(path: Path, mapping: WatchMap, watched: Watched) -> Path:
    (node, alarm), *_ = watched.alarms_of_nodes
    with mapping.specification.world.active():
        found = alarm_itf(mapping, node, alarm, mapping.specification.initial()[0].raw)
    file = path / "alarm.itf.json"
    file.write_text(json.dumps(found))
    return file


def test_the_history_is_a_behaviour_of_the_specification_up_to_the_wrong_message(tmp_path: Path) -> None:
    """Followed by the model checker itself, from its first state."""
    mapping, watched = judged(tmp_path, *OUT_OF_TURN)
    file = written(tmp_path, mapping, watched)
    read = load_itf(file)
    assert [step.action for step in read] == [None, "Assign", "Assign", None]
    document = json.loads(file.read_text())
    assert document["#meta"]["node"] == "lock"
    assert [state["#meta"].get("message", {}).get("kind") for state in document["states"]] == [
        None,
        "Assign",
        "Assign",
        "Acquired",
    ]
    assert document["states"][-1]["#meta"]["allowed"] is False
    with gristmill.open(MAPPING.with_name("Lock.tla")) as lock:
        followed = lock.follow(file, start=[read.steps[0].state])
    assert (followed.verdict, followed.matched) == ("left", len(read) - 1)


def test_steps_that_nobody_saw_are_in_the_history(tmp_path: Path) -> None:
    """Acquire(2) is looked at only after the release, which nobody sees."""
    waits = (ask("Acquire", 1), reply("Acquired", 1), ask("Acquire", 2), ask("Release", 1), reply("Acquired", 2))
    mapping, watched = judged(tmp_path, *ASSIGNED, *waits, reply("Released", 3))
    path = the_alarm(watched).reasons.path
    assert [(step.message is None, step.action) for step in path if step.action] == [
        (False, "Assign"),
        (False, "Assign"),
        (False, "Acquire"),
        (False, "Release"),
        (True, "Acquire"),
    ]
    followed = written(tmp_path, mapping, watched)
    with gristmill.open(MAPPING.with_name("Lock.tla")) as lock:
        found = lock.follow(followed, start=[load_itf(followed).steps[0].state])
    assert (found.verdict, found.matched) == ("left", 6)
