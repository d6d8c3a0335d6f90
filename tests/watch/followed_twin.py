"""A node followed by native code, beside one judged in Python: both must have the same to say, whenever they are asked.

python tests/watch/followed_twin.py MAPPING RECORDING… [--constant NAME=VALUE]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path

from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.ear import Ear
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.packed import Packed
from gristmill.watch.recording import HEAD, Chunk, read_recording


def compared(mapping: WatchMap, messages: Sequence[Message], node: Value, seed: int, often: int = 400) -> int:
    """In the world of the specification. How many messages native code has followed. Looks now and then, drawn from
    the seed: each time, what native code knows becomes a monitor in Python again, which then goes on."""
    chance, followed = random.Random(seed), 0
    usual = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor, by="native"), node)
    fast = FollowedMonitor(mapping, Actions(mapping.specification, mapping.monitor, by="native"), node)
    own = [each for each in messages if node in (each.source, each.target)]
    for at, message in enumerate(own):
        usual.see(message)
        fast.see(message)
        followed += fast.is_following
        assert len(usual.ends) == len(fast.ends), message
        if chance.randrange(often) == 0 or at == len(own) - 1:
            assert astuple(usual.counts) == astuple(fast.counts)  # also without catching up
            fast.catch_up()
            assert known(usual) == known(fast), message
            fast.rest(chance.randrange(1, 64))
    return followed


def compared_packed(mapping: WatchMap, chunks: Sequence[Chunk], node: Value, seed: int, often: int = 20) -> int:
    """The same for messages that native code has heard, too, of blocks of records that are drawn from the seed."""
    chance, followed = random.Random(seed), 0
    reading = Reading(mapping)
    ear = Ear(reading)
    usual = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor, by="native"), node)
    actions = Actions(mapping.specification, mapping.monitor, by="native")
    fast = FollowedMonitor(mapping, actions, node, ear.unpacking())
    coming = ear.messages(_blocks(chunks, chance))
    for each in coming:
        for message in _messages(ear, each):
            if node in (message.source, message.target):
                usual.see(message)
        if isinstance(each, Packed):
            before = fast.counts.sent + fast.counts.received
            judged = list(fast.see_packed(each))
            followed += fast.counts.sent + fast.counts.received - before - len(judged)
        elif node in (each.source, each.target):
            fast.see(each)
        assert len(usual.ends) == len(fast.ends), each
        assert astuple(usual.counts) == astuple(fast.counts)
        if chance.randrange(often) == 0:
            fast.catch_up()
            assert known(usual) == known(fast)
            fast.rest(chance.randrange(1, 64))
    fast.catch_up()
    assert known(usual) == known(fast)
    return followed


def _blocks(chunks: Sequence[Chunk], chance: random.Random) -> Iterator[bytes]:
    at = 0
    while at < len(chunks):
        some = chunks[at : at + chance.randrange(1, 2_000)]
        at += len(some)
        yield b"".join(HEAD.pack(*each[:4], len(each.data)) + each.data for each in some)


def _messages(ear: Ear, each: Message | Packed) -> list[Message]:
    unpacking = ear.unpacking()
    if isinstance(each, Message) or unpacking is None:
        assert isinstance(each, Message)
        return [each]
    return [unpacking.message(each, item.start) for item in unpacking.items(each)]


def known(monitor: NodeMonitor) -> dict[str, object]:
    """All that a monitor goes by."""
    backlog, debts = monitor.backlog, monitor.debts
    return {
        "states": {(tuple(each.local), each.owed, each.used) for each in monitor.states},
        "waiting": list(monitor.waiting.items()),
        "channels": {number: monitor.channels[number] for number in monitor.waiting.values()},
        "history": [(each.message, _plain(each.states), each.waiting) for each in monitor.history],
        "backlog": (backlog.most, backlog.stalled, backlog.silent, backlog.unanswered),
        "when it sent": (list(backlog.times), list(backlog.sent)),
        "debts": (debts.owed, debts.paid),
        "counts": astuple(monitor.counts),
        "connections": list(monitor.connections.dump()),
        "seen": (monitor.seen, monitor.since, monitor.allowance.left, monitor.trusted, monitor.complete),
        "ends": [(type(each), each.message) for each in monitor.ends],
    }


def _plain(states: Sequence[object]) -> list[object]:
    return [(tuple(each.local), each.owed, each.used) for each in states]  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mapping")
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--constant", action="append", default=[])
    options = parser.parse_args()
    mapping = read_watch_map(options.mapping, dict(each.split("=", 1) for each in options.constant))
    with mapping.specification.world.active():
        for file in options.recordings:
            messages = list(Reading(mapping).messages(read_recording(file)))
            for node in mapping.nodes:
                count = sum(node in (each.source, each.target) for each in messages)
                followed = compared(mapping, messages, node, seed=1, often=4_000)
                print(f"{file.name} {node}: the same over {count:,} messages, {followed:,} by native code", flush=True)
                followed = compared_packed(mapping, list(read_recording(file)), node, seed=1)
                print(f"  many at a time: the same, {followed:,} by native code", flush=True)


if __name__ == "__main__":
    main()
