"""Servers of ZooKeeper watched from the middle of a run, or after track was lost: it is learned where each is."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
import test_watch_zookeeper_members as members
import zab_member_mutations
from test_watch_zookeeper import RUNS, mapping, messages
from zab_mutations import EVERY, vote_for_who_did_not_ask

from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.judging import Alarm, NodeMonitor
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message

_PLACES = (0.0, 0.2, 0.4, 0.6)
_FIRST = 200  # messages of a server, of which it may be learned where it is


def see(monitor: NodeMonitor, run: Iterable[Message]) -> None:
    for each in run:
        if monitor.name in (each.source, each.target):
            monitor.see(each)


def new_monitor(found: WatchMap, node: Value) -> NodeMonitor:
    return NodeMonitor(found, Actions(found.specification, found.monitor), node)


@pytest.mark.parametrize("loses", [False, True], ids=["midway", "track lost"])
@pytest.mark.parametrize("run", RUNS)
def test_nothing_is_called_wrong_wherever_one_begins(run: str, loses: bool) -> None:
    found, whole = mapping(run), messages(run)
    judged = later = 0
    with found.specification.world.active():
        for place in _PLACES:
            cut = round(place * len(whole))
            for node in found.nodes:
                monitor = new_monitor(found if loses else replace(found, midway=True), node)
                if loses:
                    see(monitor, whole[:cut])
                    monitor.know_nothing()
                own = [each for each in whole[cut:] if node in (each.source, each.target)]
                see(monitor, own[:_FIRST])
                before = monitor.counts.sent, monitor.counts.learning
                see(monitor, own[_FIRST:])
                monitor.decide()
                assert monitor.ends == [], (place, node)
                sent, learning = monitor.counts.sent - before[0], monitor.counts.learning - before[1]
                judged, later = judged + sent - learning, later + sent
    assert later > 100
    assert judged > 0.7 * later, "else little was learned"


@pytest.mark.parametrize("loses", [False, True], ids=["midway", "track lost"])
@pytest.mark.parametrize("run", members.RUNS)
def test_observers_and_members_that_change(run: str, loses: bool) -> None:
    """These runs are short, and observers are learned when they join a leader: less of them is judged."""
    found, whole = members.mapping(run), members.messages(run)
    judged = sent = 0
    with found.specification.world.active():
        for place in _PLACES:
            cut = round(place * len(whole))
            for node in found.nodes:
                monitor = new_monitor(found if loses else replace(found, midway=True), node)
                if loses:
                    see(monitor, whole[:cut])
                    monitor.know_nothing()
                before = monitor.counts.sent - monitor.counts.learning
                sent -= monitor.counts.sent
                see(monitor, whole[cut:])
                monitor.decide()
                assert monitor.ends == [], (place, node)
                sent += monitor.counts.sent
                judged += monitor.counts.sent - monitor.counts.learning - before
    assert judged > 0.3 * sent, "else little was learned"


def test_what_is_wrong_of_observers_and_members_is_found_after_track_was_lost() -> None:
    """Every mutation that is made after a server was learned again. In one, server 1 has left and may observe."""
    tried: set[str] = set()
    allowed = set()
    for run in members.RUNS:
        found, whole = members.mapping(run), members.messages(run)
        half = len(whole) // 2
        with found.specification.world.active():
            for mutation in zab_member_mutations.EVERY:
                mutated = mutation(whole[half:])
                if mutated is None:
                    continue
                tail, wrong = mutated
                at = next(place for place, each in enumerate(tail) if each.number == wrong.number)
                monitor = new_monitor(found, wrong.source)
                see(monitor, whole[:50])
                monitor.know_nothing()
                see(monitor, whole[50:half])
                see(monitor, tail[:at])
                if monitor.trusted and not monitor.ends:
                    see(monitor, tail[at : at + 1])
                    monitor.decide()
                    tried.add(mutation.__name__)
                    if [type(each) for each in monitor.ends] != [Alarm]:
                        allowed.add((run, mutation.__name__, wrong.source))
    assert allowed == {("join", "voter_observes", "1")}
    assert len(tried) >= 15, tried


def test_what_is_wrong_is_found_once_it_is_known_where_a_server_is() -> None:
    """Every mutation, of the second half of runs whose first messages nobody has seen. Whom a server has heard of is
    not learned: it may be a vote of long ago."""
    tried: set[str] = set()
    for run in RUNS:
        found = replace(mapping(run), midway=True)
        whole = messages(run)
        half = len(whole) // 2
        with found.specification.world.active():
            for mutation in EVERY:
                mutated = mutation(whole[half:])
                if mutated is None or mutation is vote_for_who_did_not_ask:
                    continue
                tail, wrong = mutated
                at = next(place for place, each in enumerate(tail) if each.number == wrong.number)
                monitor = new_monitor(found, wrong.source)
                see(monitor, whole[50:half])
                see(monitor, tail[:at])
                if monitor.trusted and not monitor.ends:
                    see(monitor, tail[at : at + 1])
                    monitor.decide()
                    assert [type(each) for each in monitor.ends] == [Alarm], (run, mutation.__name__)
                    tried.add(mutation.__name__)
    assert len(tried) >= 12, tried
