"""Testing the specification (§4): its own message traces run through the monitor. None may alarm; mutated ones must."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from specification_traces import Walker, message_of, opened
from watch_mutations import changed, fields

from gristmill.values import from_python, to_python
from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.watching import judged

MAPPING = Path(__file__).parents[2] / "examples" / "etcd" / "watch.map.toml"
TRACES, STEPS = 200, 20


@pytest.fixture(scope="module")
def mapping() -> WatchMap:
    """As the bounded model is made: one entry to begin with, and one that is remembered. Its messages have no order."""
    servers = '{"s1", "s2", "s3"}'
    constants = {"Server": servers, "Founders": f"{{{servers}}}", "Seeded": "FALSE", "Retain": "1"}
    return replace(read_watch_map(MAPPING, constants), in_order=False)


@pytest.fixture(scope="module")
def traces() -> list[list[Message]]:
    with opened() as specification:
        walker = Walker(specification)
        return [walker.trace(seed, STEPS) for seed in range(TRACES)]


def own(trace: list[Message]) -> list[Message]:
    """With values of the world that is active."""
    return [message_of(each.number, from_python(to_python(each.record))) for each in trace]


def test_no_trace_of_the_specification_alarms(mapping: WatchMap, traces: list[list[Message]]) -> None:
    for trace in traces:
        with mapping.specification.world.active():
            found = judged(mapping, Reading(mapping), own(trace))
        assert [each.end for each in found.nodes] == [None] * 3
    assert len(Counter(each.kind for trace in traces for each in trace)) >= 10


def test_wrong_assumptions_about_schedules_do_not_alarm(mapping: WatchMap, traces: list[list[Message]]) -> None:
    """Every message is taken to have its effect when it arrives, which is often wrong: the exact search finds out."""
    hasty, exact = replace(mapping, wait=frozenset()), 0
    for trace in traces[:60]:
        with mapping.specification.world.active():
            found = judged(hasty, Reading(hasty), own(trace))
        assert [each.end for each in found.nodes] == [None] * 3
        exact += sum(each.counts.exact for each in found.nodes)
    assert exact > 10


def test_mutated_traces_alarm(mapping: WatchMap, traces: list[list[Message]]) -> None:
    """A term that nobody can have reached."""
    alarms = 0
    for seed, trace in enumerate(traces):
        with mapping.specification.world.active():
            messages = own(trace)
            terms = [at for at, each in enumerate(messages) if "term" in fields(each)]
            if not terms:
                continue
            at = random.Random(seed).choice(terms)
            messages[at] = changed(messages[at], term=fields(messages[at])["term"] + 50)
            found = judged(mapping, Reading(mapping), messages, [str(messages[at].source)])
        (verdict,) = found.nodes
        assert not isinstance(verdict.end, Lost)
        assert isinstance(verdict.end, Alarm)
        assert verdict.end.message.number == messages[at].number
        alarms += 1
    assert alarms > TRACES // 4  # the others have no message with a term


def test_a_server_may_have_campaigned_unseen(mapping: WatchMap) -> None:
    """Nobody was there to hear it: its terms go up though nothing was sent that anybody saw. But not by hundreds."""
    for times, alarms in ((3, 0), (300, 1)):
        with mapping.specification.world.active():
            record = {"kind": "MsgVote", "from": "s1", "to": "s2", "term": 1 + times, "lastTerm": 0, "last": 0}
            found = judged(mapping, Reading(mapping), [message_of(1, from_python(record))], ["s1"])
        assert len(found.alarms) == alarms
