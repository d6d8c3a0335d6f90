"""Watching that begins in the middle of a run, and that goes on after an alarm: states are learned from messages."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from specification_traces import Walker, message_of, opened

from gristmill.source import SourceError
from gristmill.values import Value, from_python, make_record, to_python
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.applying import Actions
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import verdict_of

HERE = Path(__file__).parent
ETCD = HERE.parents[1] / "examples" / "etcd" / "watch.map.toml"

# As the bounded model is made: one entry to begin with, and one that is remembered.
_THREE = '{"s1", "s2", "s3"}'
ONE_ENTRY = {"Server": _THREE, "Founders": f"{{{_THREE}}}", "Seeded": "FALSE", "Retain": "1"}


@pytest.fixture(scope="module")
def lock() -> WatchMap:
    found = read_watch_map(HERE / "lock.map.toml")
    return replace(found, midway=True, limits=replace(found.limits, settle=4))


def message(number: int, kind: str, ticket: int, asks: bool) -> Message:
    ends = ("client", "lock") if asks else ("lock", "client")
    fields = {"kind": kind, "from": ends[0], "to": ends[1], "ticket": ticket}
    record: Value = make_record(
        {key: from_python(value) for key, value in ({**fields, "number": number} if asks else fields).items()}
    )
    return message_of(number, record)


def judged(mapping: WatchMap, said: list[tuple[str, int]]) -> NodeMonitor:
    """What the lock was asked, and what it has answered (`-ed`)."""
    with mapping.specification.world.active():
        monitor = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor), "lock")
        for number, (kind, ticket) in enumerate(said, 1):
            monitor.see(message(number, kind, ticket, not kind.endswith("ed")))
        return monitor


HANDED = [("Release", 41), ("Released", 41), ("Acquire", 42), ("Acquired", 42)]
KNOWN = [*HANDED, ("Release", 42), ("Released", 42), ("Assign", 0), ("Assigned", 60), ("Acquire", 43), ("Acquired", 43)]


def test_the_state_is_learned(lock: WatchMap) -> None:
    monitor = judged(lock, KNOWN)
    assert monitor.ends == []
    assert monitor.unknown == ()
    assert monitor.trusted
    assert [to_python(each) for each in monitor.states[0].local] == [{"lock": 61}, {"lock": 43}, {"lock": True}]
    assert monitor.counts.learning == 4, "two while it settles, and the first that tells of each variable"


@pytest.mark.parametrize(
    "wrong",
    [("Acquired", 45), ("Assigned", 63), ("Released", 45)],
    ids=lambda each: f"{each[0]}{each[1]}",
)
def test_what_is_wrong_then_is_found(lock: WatchMap, wrong: tuple[str, int]) -> None:
    ask = (wrong[0].removesuffix("ed").replace("Acquir", "Acquire").replace("Releas", "Release"), wrong[1])
    before = [*KNOWN, ("Release", 43), ("Released", 43), *([ask] if wrong[0] != "Assigned" else [])]
    monitor = judged(lock, [*before, wrong])
    assert [type(each) for each in monitor.ends] == [Alarm]
    assert monitor.ends[0].message.number == len(before) + 1


def test_what_is_impossible_from_everywhere_is_found_at_once(lock: WatchMap) -> None:
    """Nothing else is known: but no lock hands out a ticket twice, or one of which it was never asked."""
    monitor = judged(lock, [*HANDED, ("Assign", 0), ("Assigned", 60), ("Acquired", 60)])
    assert [type(each) for each in monitor.ends] == [Alarm]
    assert "nothing that came before" in monitor.ends[0].rests_on[0]  # type: ignore[union-attr]


def test_what_was_asked_before_is_no_alarm(lock: WatchMap) -> None:
    """Answers in the beginning may be to what nobody has seen."""
    assert judged(lock, [("Acquired", 7), ("Released", 7), ("Assigned", 9), ("Assigned", 10)]).ends == []


def test_a_second_violation_is_found(lock: WatchMap) -> None:
    from_the_start = replace(lock, midway=False)
    said = [("Assign", 0), ("Assigned", 1), ("Assigned", 9), ("Assign", 0), ("Assigned", 2), ("Acquired", 1)]
    monitor = judged(from_the_start, said)
    assert [each.message.number for each in monitor.ends] == [3, 6]
    assert any("goes on from its alarm 3 messages before" in each for each in monitor.ends[1].rests_on)  # type: ignore[union-attr]


def test_after_two_alarms_in_a_row_the_state_is_learned_anew(lock: WatchMap) -> None:
    """The lock goes on with other tickets than it should: what follows from that is no news."""
    patient = replace(lock, midway=False, limits=replace(lock.limits, settle=20))
    said = [("Assign", 0), ("Assigned", 1), ("Assign", 0), ("Assigned", 50)]
    for ticket in range(51, 57):
        said += [("Assign", 0), ("Assigned", ticket)]
    monitor = judged(patient, said)
    assert [each.message.number for each in monitor.ends] == [4, 6]
    assert monitor.counts.learning >= 1
    again = judged(patient, [*said, ("Acquire", 3), ("Acquired", 3), ("Assign", 0), ("Assigned", 20)])
    assert [each.message.number for each in again.ends] == [4, 6, len(said) + 4]


def test_a_message_of_which_the_mapping_says_how_it_sets_the_state(tmp_path: Path) -> None:
    """Whoever has released ticket 41 has 42 as the current one, whatever was before: so 44 is wrong."""
    for name in ("Lock.tla", "Lock.cfg"):
        (tmp_path / name).write_text((HERE / name).read_text())
    rule = '[watch.learn.Released]\ncurrent = "m.ticket + 1"\nheld = "FALSE"\n'
    (tmp_path / "lock.map.toml").write_text((HERE / "lock.map.toml").read_text() + rule)
    found = read_watch_map(tmp_path / "lock.map.toml")
    mapping = replace(found, midway=True, limits=replace(found.limits, settle=1))
    released = [("Assign", 0), ("Release", 41), ("Released", 41)]
    monitor = judged(mapping, released)
    assert (monitor.trusted, monitor.unknown) == (True, ("highest",))
    assert judged(mapping, [*released, ("Acquire", 42), ("Acquired", 42)]).ends == []
    (alarm,) = judged(mapping, [*released, ("Acquire", 44), ("Acquired", 44)]).ends
    assert isinstance(alarm, Alarm)
    assert alarm.rests_on[0] == "the state of the node, which is known but for highest since its message 3"


def test_mistakes_in_what_a_message_tells(tmp_path: Path) -> None:
    for name in ("Lock.tla", "Lock.cfg"):
        (tmp_path / name).write_text((HERE / name).read_text())
    for rule, problem in (
        ('[watch.learn.Nothing]\ncurrent = "1"\n', "no [watch.record.Nothing]"),
        ('[watch.learn.Released]\nother = "1"\n', "no key `other`"),
        ('[watch.learn.Released]\ncurrent = "n.ticket"\n', "`n`"),
    ):
        (tmp_path / "lock.map.toml").write_text((HERE / "lock.map.toml").read_text() + rule)
        with pytest.raises(SourceError) as refused:
            read_watch_map(tmp_path / "lock.map.toml")
        assert any(problem in each.message for each in refused.value.diagnostics)


def test_where_messages_were_lost_the_state_is_learned_anew(lock: WatchMap) -> None:
    from_the_start = replace(lock, midway=False)
    with lock.specification.world.active():
        monitor = NodeMonitor(from_the_start, Actions(lock.specification, lock.monitor), "lock")
        monitor.see(message(1, "Assign", 0, True))
        monitor.see(message(2, "Assigned", 1, False))
        monitor.lose_sight(7, "records were lost")
        monitor.see(message(3, "Assign", 0, True))
        monitor.regain_sight(7)
        for number, (kind, ticket) in enumerate(KNOWN, 4):
            monitor.see(message(number, kind, ticket, not kind.endswith("ed")))
    assert [type(each) for each in monitor.ends] == [Lost]
    assert monitor.unknown == ()


@pytest.fixture(scope="module")
def raft() -> WatchMap:
    found = read_watch_map(ETCD, ONE_ENTRY)
    return replace(found, midway=True, in_order=False, anchors=None)


def test_behaviours_of_raft_do_not_alarm_wherever_one_begins(raft: WatchMap) -> None:
    """Every trace of the specification, from some place in the middle; what came before is not known."""
    judged_at_all = 0
    with opened() as specification:
        walker = Walker(specification)
        traces = [walker.trace(seed, 24) for seed in range(150)]
    for seed, trace in enumerate(traces):
        chance = random.Random(seed)
        with raft.specification.world.active():
            messages = [message_of(each.number, from_python(to_python(each.record))) for each in trace]
            node = chance.choice(["s1", "s2", "s3"])
            own = [each for each in messages if node in (each.source, each.target)]
            begin = chance.randrange(len(own)) if own else 0
            settle = max(1, begin)  # all that came before may still be looked at
            mapping = replace(raft, limits=replace(raft.limits, settle=settle))
            monitor = NodeMonitor(mapping, Actions(raft.specification, raft.monitor), node)
            for each in own:
                monitor.see(each)
        assert [each for each in monitor.ends if isinstance(each, Alarm)] == []
        assert [each for each in monitor.ends if isinstance(each, Lost)] == []
        judged_at_all += monitor.counts.sent - monitor.counts.learning
    assert judged_at_all >= 10  # else the test says nothing


def test_what_is_not_known_to_the_end_is_not_ok(lock: WatchMap) -> None:
    """However few messages were judged, and none of them was wrong."""

    def verdict(said: list[tuple[str, int]]) -> str:
        node = verdict_of(judged(lock, said), None)
        return Watched("lock", len(said), 0, (node,), (), 0.0).verdict

    assert verdict(KNOWN) == "ok"
    assert verdict(HANDED) == "incomplete"
