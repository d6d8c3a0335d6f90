"""Recordings judged: every node by a monitor of its own, which sees that node's messages and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from pathlib import Path

from gristmill.source import Diagnostic, SourceError
from gristmill.source.collector import rare_collector
from gristmill.values import Value
from gristmill.watch.applying import Actions
from gristmill.watch.ear import Ear
from gristmill.watch.evaluating import evaluating
from gristmill.watch.events import Events, Started
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message, Reading, Regained, Unseen
from gristmill.watch.packed import Packed
from gristmill.watch.recording import Chunk, read_blocks, read_recording
from gristmill.watch.telling import Telling
from gristmill.watch.verdicts import NodeVerdict, Watched, first_end


def watch_recordings(
    mapping: WatchMap, files: Sequence[Path], only: Collection[str] = (), events: Events | None = None
) -> Watched:
    """Several recordings of one run are put together by their times. `only`: judge these nodes.

    Raises `SourceError` if a file is no recording, or the specification cannot be evaluated.
    """
    notes: list[str] = []
    with mapping.specification.world.active():
        reading = Reading(mapping)
        if events is not None:
            inputs = tuple(str(file) for file in files)
            nodes = chosen(mapping, only)
            events.started(Started(mapping.name, mapping.specification.name, nodes, "recording", inputs))
        return judged(mapping, reading, _messages(reading, files, notes), only, events, notes)


def _messages(reading: Reading, files: Sequence[Path], notes: list[str]) -> Iterator[Message | Packed]:
    if len(files) == 1:
        return Ear(reading).messages(read_blocks(files[0], _noting(files[0], notes)))
    recordings = [_numbered(number, read_recording(file, _noting(file, notes))) for number, file in enumerate(files)]
    return reading.messages(merge(*recordings, key=lambda chunk: chunk.time))


def _noting(file: Path, notes: list[str]) -> Callable[[int], None]:
    """A recording whose writer was stopped is no mistake, but is told."""

    def broken(count: int) -> None:
        notes.append(f"{file} is broken off after {count:,} records, and judged up to there")

    return broken


def _numbered(number: int, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Connections of different recordings are different ones."""
    for chunk in chunks:
        yield Chunk(chunk.sequence, chunk.time, number << 32 | chunk.connection, chunk.direction, chunk.data)


def judged(
    mapping: WatchMap,
    reading: Reading,
    messages: Iterable[Message | Packed],
    only: Collection[str] = (),
    events: Events | None = None,
    notes: Sequence[str] = (),
) -> Watched:
    """In the world of the specification, which must be active. Ctrl-C ends it: what was judged so far is told.

    `notes`: what else is to be told in the end; it may become more meanwhile.
    """
    began = time.process_time()
    actions = Actions(mapping.specification, mapping.monitor)
    unpacking = None if reading.ear is None else reading.ear.unpacking()
    monitors = {node: FollowedMonitor(mapping, actions, node, unpacking) for node in chosen(mapping, only)}
    telling = Telling(events or Events(), reading, monitors)
    try:
        with rare_collector():
            for message in messages:
                for change in reading.taken_unseen():
                    for monitor in monitors.values():
                        look(monitor, change)
                if isinstance(message, Packed):
                    _see_packed_by_all(monitors, message, telling)
                else:
                    _see_by_all(monitors, message, telling)
    except KeyboardInterrupt:
        reading.trouble[f"what comes behind message {telling.messages:,}"] = "is not judged: it was interrupted"
    for node, monitor in monitors.items():
        monitor.decide()
        telling.seen(node)
    telling.finish()
    called = telling.called()
    seen = {node: each for node, each in monitors.items() if node in called} or monitors  # others may never have joined
    nodes = tuple(verdict_of(each, called.get(node)) for node, each in seen.items())
    trouble = tuple(f"{what} {why}" for what, why in {**reading.trouble, **troubles(monitors.values())}.items())
    watched = Watched(
        mapping.name, telling.messages, reading.ignored, nodes, trouble, time.process_time() - began, tuple(notes)
    )
    telling.events.ended(watched)
    return watched


def troubles(monitors: Iterable[NodeMonitor]) -> dict[str, str]:
    """Actions that could not be evaluated in some state that a node may have been in."""
    return {
        f"{name} at node {monitor.name}": f"cannot be evaluated for some message, and counts as impossible there: {why}"
        for monitor in monitors
        for name, why in monitor.node.troubles.items()
    }


def _see_packed_by_all(monitors: Mapping[Value, FollowedMonitor], packed: Packed, telling: Telling) -> None:
    """What is to be told comes in the order of the messages, as if each had been seen by all before the next one."""

    def judging(node: Value, monitor: FollowedMonitor) -> Iterator[tuple[int, bool, Value]]:
        return ((each.number, node != each.source, node) for each in monitor.see_packed(packed))

    for _, _, node in merge(*(judging(*each) for each in monitors.items()), key=lambda each: each[:2]):
        telling.seen(node)
    telling.counted(packed.count)


def _see_by_all(monitors: Mapping[Value, NodeMonitor], message: Message, telling: Telling) -> None:
    for node in {message.source: None, message.target: None}:
        found = monitors.get(node)
        if found is not None:
            see(found, message)
            telling.seen(node)
    telling.counted()


def look(monitor: NodeMonitor, change: Unseen | Regained) -> None:
    """Something is hidden from a monitor, or no longer."""
    if isinstance(change, Regained):
        monitor.regain_sight(change.connection)
    elif change.nodes is None or monitor.name in change.nodes:
        monitor.lose_sight(change.connection, change.why)


def verdict_of(monitor: NodeMonitor, called: str | None) -> NodeVerdict:
    monitor.catch_up()
    last, ends = tuple(each.message for each in monitor.history), tuple(monitor.ends)
    return NodeVerdict(monitor.name, called, monitor.counts, first_end(ends), last, ends, monitor.unknown)


def see(monitor: NodeMonitor, message: Message) -> None:
    with evaluating(message, monitor.name):
        monitor.see(message)


def chosen(mapping: WatchMap, only: Collection[str]) -> tuple[Value, ...]:
    known = [str(node) for node in mapping.nodes]
    for name in only:
        if name not in known:
            message = f"there is no node {name}"
            raise SourceError(Diagnostic("unknown-node", message, None, help=f"there are {', '.join(known)}"))
    return tuple(node for node in mapping.nodes if not only or str(node) in only)
