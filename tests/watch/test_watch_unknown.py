"""Actions in partly known states, against the reference evaluator: what is possible is possible there as well.

In a state that is known the two must agree. If something of it is forgotten, whatever the reference evaluator finds
must be among what is found: else a node would be accused of what it may do.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from gristmill.watch.applying import Actions
from gristmill.watch.applying import Outcome as Known
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.unknown.taking import Outcome, PartialActions
from gristmill.watch.unknown.values import Part, PartialLocal, is_known, same

ROOT = Path(__file__).parents[2]
SYSTEMS = {
    "etcd": ("etcd/watch.map.toml", "etcd-3.5"),
    "redisraft": ("redisraft/watch.map.toml", "redisraft"),
    "zookeeper": ("zookeeper/watch.map.toml", "zookeeper-3.8.0"),
}
Taken = tuple[Any, ...]  # an event, a local state, a node, what is given, what has arrived, what comes of it
MESSAGES, SAMPLED = 250, 150


class Noted(Actions):
    """Keeps what was asked, and what the reference evaluator says to it."""

    def __init__(self, mapping: WatchMap) -> None:
        super().__init__(mapping.specification, mapping.monitor, by="reference")
        self.noted: list[Taken] = []

    def _take(self, event, local, node, given, arrived):  # type: ignore[no-untyped-def]
        found = super()._take(event, local, node, given, arrived)
        self.noted.append((event, local, node, dict(given), arrived, found))
        return found


def noted(mapping: WatchMap, messages: list[Message]) -> list[Taken]:
    """Some of what the monitors of all nodes ask about a healthy run; most of it possible."""
    actions = Noted(mapping)
    for name in mapping.nodes:
        monitor = NodeMonitor(mapping, actions, name)
        for each in messages:
            if name in (each.source, each.target):
                monitor.see(each)
        assert monitor.ends == []
    chance = random.Random(5)
    possible = [each for each in actions.noted if each[-1]]
    others = [each for each in actions.noted if not each[-1]]
    return [
        *chance.sample(possible, min(SAMPLED, len(possible))),
        *chance.sample(others, min(SAMPLED // 5, len(others))),
    ]


def covers(found: Outcome, known: Known) -> bool:
    """A state of which nothing is known, in which nothing was sent or used up yet, covers everything: there may have
    been too many ways to follow them."""
    if found[1:3] == (frozenset(), False) and not any(map(is_known, found[0])):
        return True
    after, sent, gone = known
    values = zip(after.values, found[0], strict=True)
    return (
        all(same(one, other) is not False for one, other in values)
        and all(any(same(record, each) is not False for each in found[1]) for record in sent)
        and gone == found[2]
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_whatever_is_possible_is_possible_in_a_partly_known_state(system: str) -> None:
    file, recording = SYSTEMS[system]
    mapping = read_watch_map(ROOT / "examples" / file)
    with mapping.specification.world.active():
        chunks = read_recording(ROOT / "tests" / "watch" / "recordings" / f"{recording}.trace.xz")
        reading = Reading(mapping)
        messages = [each for each, _ in zip(reading.messages(chunks), range(MESSAGES), strict=False)]
        taken = noted(mapping, messages)
        assert sum(bool(each[-1]) for each in taken) > 50
        partial, chance = PartialActions(mapping.specification, mapping.monitor), random.Random(7)
        first = Actions(mapping.specification, mapping.monitor, by="reference")
        forgotten = 0
        for event, local, node, given, arrived, known in taken:
            exactly = partial.take(event, local.values, node, given, arrived)
            assert {each[:3] for each in exactly} == {(after.values, sent, gone) for after, sent, gone in known}
            nothing = partial.unknown(node, first.initial(node)[0].values)
            places = chance.sample(range(len(nothing)), chance.randint(1, len(nothing)))
            parts: list[Part] = [nothing[at] if at in places else each for at, each in enumerate(local.values)]
            found = partial.take(event, PartialLocal(parts), node, given, arrived)
            for each in known:
                assert any(covers(outcome, each) for outcome in found), (event.name, places)
            forgotten += bool(known)
        assert forgotten > 50
