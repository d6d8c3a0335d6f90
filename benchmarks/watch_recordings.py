"""How fast recordings are judged, in how much memory, and whether mutations of them are found.

    python benchmarks/watch_recordings.py MAPPING RECORDING… [--mutations PLACES] [--constant NAME=VALUE]

For each recording: messages a second of processor time, for decoding (records of the specification included) and, for
each node, for judging its messages and for both together, in a process of its own that holds nothing else: what a
monitor needs. Beside it, how many simulation states there were, how often one had to search, and the most memory of
that process. With `--mutations 200,2000`, each mutation of tests/watch/watch_mutations.py is made at (or after) these
messages, and the node that it concerns is judged up to there.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections import deque
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from watch_mutations import MUTATIONS

from gristmill.source.collector import rare_collector
from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.judging import Alarm, NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.watching import judged

_AT_ONCE = 500  # messages between two looks at the clock


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mapping")
    parser.add_argument("recordings", nargs="+")
    parser.add_argument("--mutations", default="", metavar="PLACES")
    parser.add_argument("--constant", action="append", default=[])
    parser.add_argument("--node", help=argparse.SUPPRESS)  # in a process of its own
    options = parser.parse_args()
    mapping = read_watch_map(options.mapping, dict(each.split("=", 1) for each in options.constant))
    with mapping.specification.world.active():
        for file in map(Path, options.recordings):
            if options.node is not None:
                monitored(mapping, file, next(each for each in mapping.nodes if str(each) == options.node))
                continue
            reading, seconds = decoding(mapping, file)
            print(f"{file.name}: decoded {reading.count / seconds:,.0f}/s", flush=True)
            for node in reading.names.values():
                constants = [part for each in options.constant for part in ("--constant", each)]
                own = [sys.argv[0], options.mapping, str(file), *constants, "--node", str(node)]
                subprocess.run([sys.executable, *own], check=True)
            for place in map(int, filter(None, options.mutations.split(","))):
                mutated(mapping, list(Reading(mapping).messages(read_recording(file))), place)


def decoding(mapping: WatchMap, file: Path) -> tuple[Reading, float]:
    """What has read it all, and the seconds that it took."""
    chunks = list(read_recording(file))
    reading, began = Reading(mapping), time.process_time()
    deque(reading.messages(chunks), maxlen=0)
    return reading, time.process_time() - began


def monitored(mapping: WatchMap, file: Path, node: Value) -> None:
    """Decoding and judging as it goes on. What is made once, before the first message, is not counted."""
    actions = Actions(mapping.specification, mapping.monitor)
    actions.prepare([node])
    monitor = NodeMonitor(mapping, actions, node)
    reading, judging, began = Reading(mapping), 0.0, time.process_time()
    coming = reading.messages(read_recording(file))
    with rare_collector():
        while some := list(islice(coming, _AT_ONCE)):
            own = [each for each in some if node in (each.source, each.target)]
            start = time.process_time()
            for each in own:
                monitor.see(each)
            judging += time.process_time() - start
    both, counts = time.process_time() - began, monitor.counts
    seen = counts.sent + counts.received
    decoding = (both - judging) * seen / max(1, reading.count)  # of the node's own messages
    print(
        f"  {node}: {counts.sent:,} sent, {counts.received:,} received; judged {seen / judging:,.0f}/s, with decoding"
        f" {seen / (judging + decoding):,.0f}/s; states {counts.states / max(1, counts.sent):.3f} on average,"
        f" {counts.most_states} at most; {counts.searches} searches, {counts.exact} exact;"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB; ends with {monitor.end}"
    )


def mutated(mapping: WatchMap, messages: list[Message], place: int) -> None:
    for mutation in MUTATIONS:
        made = mutation(messages, place) or mutation(messages, 0)
        if made is None:
            print(f"  {mutation.__name__}: nothing to mutate")
            continue
        changed, wrong = made
        found = judged(mapping, Reading(mapping), changed[: wrong.number + 100], [str(wrong.source)])
        (verdict,) = found.nodes
        match verdict.end:
            case Alarm(message, confirmed, window):
                why = "; ".join(f"{each.action}: {' and '.join(each.lacks)}" for each in verdict.end.candidates)
                print(f"  {mutation.__name__} at {wrong.number}: alarm, {message.number - wrong.number} later")
                print(f"    confirmed over {confirmed}, looked at {window}; {why[:200]}")
            case end:
                print(f"  {mutation.__name__} at {wrong.number}: {end}")


if __name__ == "__main__":
    main()
