"""How much memory a monitor needs in the long run: a leader and two followers of Raft that do nothing but append.

    python benchmarks/watch_memory.py MESSAGES [--node NAME] [--silent 4000]

The messages are made up here, for examples/etcd/watch.map.toml: an election, then one entry after the other, each sent
to both followers, who acknowledge it. After every tenth of the messages, the memory of the process is told. `--silent`:
now and then the leader sends nothing for so long that it is behind by as many answers, all of which wait.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.making import Maker
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message

MAPPING = Path(__file__).parents[1] / "examples" / "etcd" / "watch.map.toml"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("messages", type=int)
    parser.add_argument("--node", default="s1")
    parser.add_argument("--silent", type=int, default=0)
    options = parser.parse_args()
    mapping = read_watch_map(MAPPING)
    with mapping.specification.world.active():
        node = next(each for each in mapping.nodes if str(each) == options.node)
        follow(mapping, node, options.messages, options.silent)


def follow(mapping: WatchMap, node: Value, count: int, silent: int) -> None:
    monitor = FollowedMonitor(mapping, Actions(mapping.specification, mapping.monitor), node)
    began = time.process_time()
    for message in messages(mapping, silent):
        if node in (message.source, message.target):
            monitor.see(message)
            assert monitor.end is None, monitor.end
        if message.number % (count // 10) == 0:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            speed = message.number / (time.process_time() - began)
            print(f"{message.number:,} messages: {memory} MB at most, {speed:,.0f} made and judged a second")
        if message.number >= count:
            return


def messages(mapping: WatchMap, silent: int) -> Iterator[Message]:
    """As etcd would send them, and the mapping makes records of them."""
    leader, *followers = mapping.nodes[:3]  # those that are members from the beginning
    ends, called = (mapping.source, mapping.target), {str(node): node for node in mapping.nodes}
    makers = {kind: Maker(each, mapping.kind, ends, called.__getitem__) for kind, each in mapping.records.items()}
    number, order = 0, {node: place for place, node in enumerate(mapping.nodes)}

    def made(kind: str, source: Value, target: Value, **fields: object) -> Message:
        nonlocal number
        number += 1
        record = makers[kind]({"kind": kind, **fields}, {mapping.source: source, mapping.target: target})
        return Message(
            number, number, number, (16 * order[source] + order[target], 0), kind, source, target, record, {}
        )

    for each in followers:
        yield made("MsgVote", leader, each, term=2, logTerm=1, index=3)
    for each in followers:
        yield made("MsgVoteResp", each, leader, term=2, reject=False)
    index, term = 3, 1
    while True:
        data = "" if term == 1 else f"{index:x}"  # a leader's first entry is empty
        entry = {"index": index + 1, "term": 2, "data": data, "asks": "", "change": "none", "member": None}
        appended = {"term": 2, "index": index, "logTerm": term, "entries": (entry,), "commit": max(3, index - 1)}
        for each in followers:
            yield made("MsgApp", leader, each, **appended)
        index, term = index + 1, 2
        for each in followers:
            yield made("MsgAppResp", each, leader, term=2, index=index, reject=False)
        if silent and index % silent == 0:
            for token in range(silent):
                yield made("MsgHeartbeatResp", followers[0], leader, term=2, token=f"{index}.{token}")


if __name__ == "__main__":
    main()
