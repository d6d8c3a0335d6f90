"""How much is judged of a run whose beginning nobody has seen, or of which track was lost, and whether that alarms.

    python benchmarks/watch_midway.py MAPPING RECORDING… [--starts 20] [--lose] [--mutations 4] [--constant NAME=VALUE]

The head of a recording is cut off, at so many places from its beginning to three quarters of it, and every node is
judged from there on with `--midway`. With `--lose`, it is judged from the beginning instead, and track is lost at these
places. Told are, for each place: messages that the nodes have sent since, how many were not judged, how many of these
after the first 300 messages of the node, how far it was until the first one was, alarms, how often track was lost, and
the processor time for a message.

With `--mutations PLACES`, each mutation of tests/watch/watch_mutations.py is made at so many places instead; the node
that makes it is judged from 1,000 of its messages before, of which it is learned where it is.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from forking import Case, cases
from watch_mutations import MUTATIONS

from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.judging import Alarm, NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording

_FIRST = 300  # messages of a node
_LEARNED = 1_000  # messages of a node before a mutation
_AFTER = 300  # and behind it, at which an alarm still counts


@dataclass
class Sum:
    sent: int = 0
    unjudged: int = 0
    sent_later: int = 0  # after the first messages
    unjudged_later: int = 0
    alarms: int = 0
    lost: int = 0
    seconds: float = 0.0
    seen: int = 0

    def add(self, other: Sum) -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        judged = 100 * (1 - self.unjudged / max(1, self.sent))
        later = 100 * (1 - self.unjudged_later / max(1, self.sent_later))
        each = 1e6 * self.seconds / max(1, self.seen)
        return (
            f"{self.sent:7,} sent, {judged:5.1f} % judged, {later:5.1f} % of those after {_FIRST} messages;"
            f" {self.alarms} alarms, track lost {self.lost} times, {each:.0f} us a message"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mapping")
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--lose", action="store_true")
    parser.add_argument("--constant", action="append", default=[])
    parser.add_argument("--node", action="append", default=[])
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    mapping = read_watch_map(options.mapping, dict(each.split("=", 1) for each in options.constant))
    with mapping.specification.world.active():
        actions = Actions(mapping.specification, mapping.monitor)
        for file in options.recordings:
            reading = Reading(mapping)
            run = list(reading.messages(read_recording(file)))
            if options.mutations:
                mutated(mapping, actions, run, options.mutations, file.name)
                continue
            nodes = [each for each in reading.names.values() if not options.node or str(each) in options.node]
            total = Sum()
            for number in range(options.starts):
                start = round(0.75 * len(run) * number / options.starts)
                here = Sum()
                for node in nodes:
                    own = followed(mapping, actions, run, node, start, options.lose, options.verbose)
                    here.add(own)
                    if options.verbose:
                        print(f"    {node}: {own}", flush=True)
                print(f"{file.name} from {start:6,}: {here}", flush=True)
                total.add(here)
            print(f"{file.name}, all: {total}", flush=True)


def followed(
    mapping: WatchMap, actions: Actions, run: Sequence[Message], node: Value, start: int, lose: bool, verbose: bool
) -> Sum:
    monitor = NodeMonitor(mapping if lose else replace(mapping, midway=True), actions, node)
    own = [each for each in run if node in (each.source, each.target)]
    for message in own if lose else ():
        if message.number > start:
            break
        monitor.see(message)
    if lose:
        monitor.know_nothing()
    rest = [each for each in own if each.number > start]
    sent, unjudged, ends = monitor.counts.sent, monitor.counts.learning, len(monitor.ends)
    began = time.process_time()
    for message in rest[:_FIRST]:
        monitor.see(message)
    sent_first, unjudged_first = monitor.counts.sent, monitor.counts.learning
    for message in rest[_FIRST:]:
        monitor.see(message)
    monitor.decide()
    counts, new = monitor.counts, monitor.ends[ends:]
    for each in new if verbose else ():
        why = getattr(each, "why", each.message.record)
        print(f"    {node}: {type(each).__name__} at {each.message.number}: {why}")
    return Sum(
        counts.sent - sent,
        counts.learning - unjudged,
        counts.sent - sent_first,
        counts.learning - unjudged_first,
        sum(isinstance(each, Alarm) for each in new),
        sum(not isinstance(each, Alarm) for each in new),
        time.process_time() - began,
        len(rest),
    )


def mutated(mapping: WatchMap, actions: Actions, run: Sequence[Message], count: int, name: str) -> None:
    places = [round(len(run) * (number + 1) / (count + 1)) for number in range(count)]
    found: Counter[str] = Counter()
    for case in cases(MUTATIONS, run, places):
        came = judged_midway(mapping, actions, case)
        found[came] += 1
        if came != "found":
            print(f"{name}: {case.mutation.__name__} at {case.wrong.number}: {came}", flush=True)
    print(f"{name}: {sum(found.values())} mutations: {dict(found)}", flush=True)


def judged_midway(mapping: WatchMap, actions: Actions, case: Case) -> str:
    """What came of a mutation of a run whose beginning was not seen."""
    own = [each for each in case.messages if case.node in (each.source, each.target)]
    wrong = next(at for at, each in enumerate(own) if each.number == case.wrong.number)
    monitor = NodeMonitor(replace(mapping, midway=True), actions, case.node)
    for message in own[max(0, wrong - _LEARNED) : wrong]:
        monitor.see(message)
    before = "found" if monitor.trusted else "not learned before"
    for message in own[wrong : wrong + _AFTER]:
        monitor.see(message)
    monitor.decide()
    if isinstance(monitor.end, Alarm):
        return before if monitor.end.message is own[wrong] else f"{before}, later"
    if monitor.end is not None:
        return f"lost track: {monitor.end.why}"
    return f"{before}, not found".removeprefix("found, ")


if __name__ == "__main__":
    main()
