"""What can happen next in a world."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gristmill.controlled.errors import WrongScenario
from gristmill.controlled.event import Event, make
from gristmill.controlled.network import Packet
from gristmill.controlled.substitutes import MONOTONIC_START

if TYPE_CHECKING:
    from gristmill.controlled.world import World


def enabled(world: World) -> list[Event]:
    """Everything that can happen next, the usual before faults, the oldest first."""
    arrivals = [_arrival(packet) for packet in world.network.in_flight if packet.deliverable]
    return [*_turns(world), *arrivals, *_timers(world), *_faults(world)]


def _arrival(packet: Packet) -> Event:
    if packet.event is None:
        packet.event = make("deliver", packet.key, packet)
    return packet.event


def _turns(world: World) -> list[Event]:
    ready = [node for node in world.nodes if node.up and node.loop.ready]
    if world.settings.ready == "fifo":
        return [node.run_event for node in ready]
    callbacks = [(node, number) for node in ready for number, _ in node.loop.ready]
    return [make("run", f"{node.name} {number}", (node, number)) for node, number in callbacks]


def _timers(world: World) -> list[Event]:
    """The next timer of each node, if it may be next: time does not run away from packets and ready callbacks."""
    due = [(when, node) for node in world.nodes if node.up and (when := node.loop.next_timer) is not None]
    if not due:
        return []
    first = min(when for when, _ in due)
    last = min(first + world.settings.lateness, MONOTONIC_START + _horizon(world))
    due.sort(key=lambda entry: entry[0])
    return [node.timer_event for when, node in due if when <= last]


def _horizon(world: World) -> float:
    """How far the clock may advance before something that waits has happened."""
    horizon = math.inf
    for packet in world.network.in_flight:
        if packet.deliverable:
            horizon = min(horizon, packet.sent_at + world.settings.delay)
    for node in world.nodes:
        if node.up and node.loop.ready:
            if node.ready_since is None:
                node.ready_since = world.now
            horizon = min(horizon, node.ready_since + world.settings.lateness)
    return horizon


def _faults(world: World) -> list[Event]:
    """Those of which there are some left in this run."""
    settings, used = world.settings, world.used
    found: list[Event] = []
    datagrams = [packet for packet in world.network.in_flight if packet.lane is None]
    if used["drop"] < settings.drops:
        found += [make("drop", packet.key, packet) for packet in datagrams]
    if used["duplicate"] < settings.duplicates:
        found += [make("duplicate", packet.key, packet) for packet in datagrams if not packet.copy]
    if used["split"] < settings.splits:
        found += [make("split", packet.key, packet) for packet in world.network.in_flight if packet.can_be_split]
    if used["reset"] < settings.resets:
        connections = {one: None for node in world.nodes for one in node.connections if one.established}
        found += [make("reset", connection.key, connection) for connection in connections]
    if used["crash"] < settings.crashes:
        found += [node.crash_event for node in world.nodes if node.up and node.may_crash]
    if used["restart"] < (settings.crashes if settings.restarts is None else settings.restarts):
        found += [node.restart_event for node in world.nodes if not node.up]
    if world.network.side is not None:
        found.append(make("heal", "network", None))
    elif used["partition"] < settings.partitions:
        found += partitions(world)
    return found


# With more nodes than these, there are too many ways to divide them.
_MOST_DIVIDED = 5


def partitions(world: World) -> list[Event]:
    """One event for each way in which the network may fall apart. Raises WrongScenario for sides that cannot be."""
    names = [node.name for node in world.nodes]
    if world.divisions is None or world.divisions[0] != len(names):
        sides = [_known(side, names) for side in world.settings.sides] or list(_sides(names))
        nodes = {node.name: node for node in world.nodes}
        events = [make("partition", ",".join(side), frozenset(nodes[name] for name in side)) for side in sides]
        world.divisions = len(names), events
    return world.divisions[1]


def _known(side: tuple[str, ...], names: list[str]) -> tuple[str, ...]:
    unknown = [name for name in side if name not in names]
    if unknown:
        raise WrongScenario(f"there is no node {unknown[0]!r} to stand on one side; the nodes are {', '.join(names)}")
    if not side or len(set(side)) == len(names):
        raise WrongScenario(f"one side of a partition would have all nodes, or none: {', '.join(side)}")
    return side


def _sides(names: list[str]) -> Iterator[tuple[str, ...]]:
    """Of each way to divide, the side without the first node. Many nodes: each alone."""
    if len(names) > _MOST_DIVIDED:
        yield from ((name,) for name in names)
        return
    for size in range(1, len(names)):
        yield from itertools.combinations(names[1:], size)
