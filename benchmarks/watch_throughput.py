"""Whether a monitor follows what a service does at full load: the table of docs/watch.md, as Figure 4 and appendix E of
the paper have it.

    python benchmarks/watch_throughput.py MAPPING RECORDING… [--constant NAME=VALUE]
    python benchmarks/watch_throughput.py MAPPING RECORDING… --unreduced [--messages 3000]

For each node of each recording (`watch_full_load.py` and `watch_zookeeper.py` make some): whether it leads, which is
whoever has sent most to others; the messages that it had a second, sent and received, while nine tenths of all
messages were sent, and in its busiest second; what its monitor follows a second of processor time, decoding of this
node's messages included, in a process of its own, and without (live, another process decodes); how many times as much
the former is; simulation states |S| and messages that wait, on average and at most, over the messages that it has
sent. Where track is lost, that is told, and judging ends there.

`--unreduced`: only |S| and what waits, over the first messages of each node, with the reductions and without: then
nothing is applied when it arrives, and every message waits until something sent tells of it.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO

from gristmill.source.collector import rare_collector
from gristmill.values import Value
from gristmill.watch.alarms import Counts
from gristmill.watch.applying import Actions
from gristmill.watch.ear import Ear
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.judging import Lost, NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.packed import Packed
from gristmill.watch.recording import read_blocks, read_recording, write_chunk

_AT_ONCE = 500  # messages between two looks at the clock
_LONGEST = 60.0  # seconds for a node without the reductions


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mapping")
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--constant", action="append", default=[])
    parser.add_argument("--unreduced", action="store_true")
    parser.add_argument("--messages", type=int, default=3_000)
    parser.add_argument("--most", type=int, default=1 << 60, help="messages of a node that are judged")
    parser.add_argument("--node", help=argparse.SUPPRESS)  # in a process of its own
    options = parser.parse_args()
    mapping = read_watch_map(options.mapping, dict(each.split("=", 1) for each in options.constant))
    with mapping.specification.world.active():
        if options.node is not None:
            node = next(each for each in mapping.nodes if str(each) == options.node)
            print(json.dumps(monitored(mapping, options.recordings[0], node, options.most)))
            return
        for file in options.recordings:
            if options.unreduced:
                print_unreduced(mapping, file, options.messages)
            else:
                print_table(mapping, file, sys.argv[1:])


def print_table(mapping: WatchMap, file: Path, arguments: list[str]) -> None:
    heads = ("node", "service/s (busiest second)", "monitor/s", "judging/s", "ratio", "S", "wait", "MB")
    print(f"{file.name}\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for node, (role, usual, busiest) in rates(mapping, file).items():
        own = [each for each in arguments if not each.endswith((".trace", ".xz"))]
        command = [sys.executable, sys.argv[0], *own, str(file), "--node", str(node)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        follows, counts = found["follows"], Counts(**found["counts"])
        ratio = f"{follows / usual:.1f} ({follows / busiest:.1f})"
        service, monitor = f"{usual:,.0f} ({busiest:,})", f"{follows:,.0f} | {found['judges']:,.0f}"
        print(
            f"| {node}, {role} | {service} | {monitor} | {ratio} | {numbers(counts)} | {found['memory']} |", flush=True
        )
        if found["end"]:
            print(f"  {node}: {found['end']}")


def numbers(counts: Counts) -> str:
    sent = max(1, counts.sent)
    states, waiting = counts.states / sent, counts.waiting / sent
    return f"{states:.2f}, {counts.most_states} | {waiting:.1f}, {counts.most_waiting}"


def rates(mapping: WatchMap, file: Path) -> dict[Value, tuple[str, float, int]]:
    """Of each node: what it does, messages a second at full load, and in the busiest second."""
    reading, by_second, sent = Reading(mapping), Counter[tuple[Value, int]](), Counter[Value]()
    times: list[int] = []
    for message in reading.messages(read_recording(file)):
        times.append(message.time)
        sent[message.source] += message.target in mapping.nodes
        for node in {message.source, message.target}:
            by_second[node, message.time // 10**9] += 1
    for trouble in reading.trouble.items():
        print(*trouble, file=sys.stderr)
    # Nine tenths of all messages, those in the middle, were sent at full load.
    first, last = times[len(times) // 20] // 10**9 + 1, times[19 * len(times) // 20] // 10**9
    nodes = list(reading.names.values())
    leader = max(nodes, key=lambda node: sent[node])
    found = {}
    for node in nodes:
        busiest = max(count for (each, _), count in by_second.items() if each == node)
        full = [by_second[node, second] for second in range(first, last)] or [busiest]
        found[node] = ("leader" if node == leader else "follower", sum(full) / len(full), busiest)
    return found


def monitored(mapping: WatchMap, file: Path, node: Value, most: int) -> dict[str, object]:
    """What is made once, before the first message, is not counted."""
    actions = Actions(mapping.specification, mapping.monitor)
    actions.prepare([node])
    with tempfile.NamedTemporaryFile(suffix=".trace") as own:
        names = write_own(mapping, file, node, own)
        reading = Reading(mapping, names)
        ear = Ear(reading)
        monitor = FollowedMonitor(mapping, actions, node, ear.unpacking())
        judging, began = 0.0, time.process_time()
        with rare_collector():
            for some in at_once(ear.messages(read_blocks(Path(own.name)))):
                start = time.process_time()
                for each in some:
                    if isinstance(each, Packed):
                        deque(monitor.see_packed(each), maxlen=0)
                    else:
                        monitor.see(each)
                judging += time.process_time() - start
                if monitor.ends or monitor.seen >= most:
                    break
    monitor.catch_up()
    whole, counts = time.process_time() - began, monitor.counts
    seen = counts.sent + counts.received
    fields = {name: getattr(counts, name) for name in counts.__slots__}
    end = None if monitor.end is None else str(monitor.end)[:300]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"follows": seen / whole, "judges": seen / judging, "counts": fields, "end": end, "memory": memory}


def at_once(coming: Iterable[Message | Packed]) -> Iterator[list[Message | Packed]]:
    """Many at a time: to look at the clock takes time, too."""
    some: list[Message | Packed] = []
    for each in coming:
        some.append(each)
        if len(some) >= _AT_ONCE or (isinstance(each, Packed) and each.count >= _AT_ONCE):
            yield some
            some = []
    yield some


def write_own(mapping: WatchMap, file: Path, node: Value, out: IO[bytes]) -> dict[str, Value]:
    """The records of connections on which this node sends or receives anything: one that watches it alone has no
    others. Who is called how, as all of the recording tells it."""
    own, every, reading = set[int](), set[int](), Reading(mapping)
    for message in reading.messages(read_recording(file)):
        (own if node in (message.source, message.target) else every).add(message.channel[0])
    for chunk in read_recording(file):
        if chunk.connection not in every - own:
            write_chunk(out, chunk)
    out.flush()
    return reading.names


def print_unreduced(mapping: WatchMap, file: Path, most: int) -> None:
    reading = Reading(mapping)
    messages = list(islice(reading.messages(read_recording(file)), most * len(mapping.nodes)))
    unreduced = replace(mapping, wait=frozenset(mapping.records))
    print(f"{file.name}\n| node | S | wait | S without | wait without | judged without |\n{'|---' * 6}|")
    for node in reading.names.values():
        own = [each for each in messages if node in (each.source, each.target)][:most]
        usual = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor, by="native"), node)
        without = NodeMonitor(unreduced, Actions(mapping.specification, mapping.monitor, by="native"), node)
        for each in own:
            usual.see(each)
        until, judged = time.process_time() + _LONGEST, 0
        for each in own:
            without.see(each)
            judged += 1
            if without.ends or time.process_time() > until:
                break
        end = "track lost then" if isinstance(without.end, Lost) else "" if without.end is None else "alarm then"
        told = f"{judged:,} of {len(own):,} {end}"
        print(f"| {node} | {numbers(usual.counts)} | {numbers(without.counts)} | {told} |", flush=True)


if __name__ == "__main__":
    main()
