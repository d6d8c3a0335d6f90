"""The monitor against brute force: random specifications, random traces, right and mutated. They must agree."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from naive_twin import Twin, mutated, opened, random_trace, written
from specification_traces import message_of

from gristmill.values import Value, from_python, to_python
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.applying import Actions
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map

SPECIFICATIONS, TRACES, LENGTH = 16, 5, 12


def nothing_lost(mapping: WatchMap) -> WatchMap:
    """In these traces is all that the node sends: the monitor is not to think otherwise."""
    events = tuple(replace(each, few_ways=False) for each in mapping.monitor.events)
    return replace(mapping, monitor=replace(mapping.monitor, events=events))


def alarm_of(mapping: WatchMap, trace: list[tuple[bool, Value]]) -> int | str | None:
    """The number of the message at which the first alarm comes; "lost"; None if there is neither."""
    with mapping.specification.world.active():
        monitor = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor), "n")
        for number, (_, record) in enumerate(trace):
            monitor.see(message_of(number, from_python(to_python(record))))
            if monitor.ends:
                end = monitor.ends[0]
                assert isinstance(end, Alarm | Lost)
                return end.message.number if isinstance(end, Alarm) else "lost"
    return None


@pytest.mark.parametrize("seed", range(SPECIFICATIONS))
def test_brute_force_agrees(seed: int, tmp_path: Path) -> None:
    mapping = nothing_lost(read_watch_map(written(tmp_path, seed)))
    found: Counter[str] = Counter()
    with opened(tmp_path) as specification, mapping.specification:
        twin = Twin(specification)
        for number in range(TRACES):
            with specification.world.active():
                right = random_trace(specification, 1000 * seed + number, LENGTH)
                traces = [right, *(mutated(right, 10 * number + each) for each in range(3))]
            for trace in traces:
                try:
                    with specification.world.active():
                        expected = twin.first_wrong(trace)
                except OverflowError:
                    found["not told"] += 1
                    continue
                judged = alarm_of(mapping, trace)
                found["lost" if judged == "lost" else "wrong" if expected is not None else "right"] += 1
                if judged != "lost":
                    assert judged == expected, [to_python(record) for _, record in trace]
    assert found["right"] > 0


def test_the_oracle_can_say_no(tmp_path: Path) -> None:
    """Of all these traces, many are wrong: else nothing would be compared."""
    wrong = 0
    for seed in range(6):
        written(tmp_path, seed)
        with opened(tmp_path) as specification, specification.world.active():
            right = random_trace(specification, seed, LENGTH)
            assert Twin(specification).first_wrong(right) is None
            wrong += sum(Twin(specification).first_wrong(mutated(right, each)) is not None for each in range(10))
    assert wrong > 10
