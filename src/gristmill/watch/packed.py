"""Messages as native code has heard them, many together, and what becomes of one of them when it is looked at.

Most are followed in native code and never looked at (`following.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gristmill.systems.decoders.listening import ITEM, Heard
from gristmill.values import Value
from gristmill.watch.making import Maker
from gristmill.watch.mapping import WatchMap
from gristmill.watch.messages import Message
from gristmill.watch.recipes import Recipe


class Route(NamedTuple):
    """What is the same for messages of one kind, between two nodes, on one connection. `names`: the nodes that are
    called so in these messages, besides sender and receiver."""

    id: int
    channel: tuple[int, int]
    source: Value
    target: Value
    heard: Heard
    recipe: Recipe
    names: Mapping[str, Value]

    def concerns(self, node: Value) -> bool:
        """Whether messages on it are sent or received by this node."""
        return node in (self.source, self.target)


@dataclass(frozen=True, slots=True)
class Packed:
    """Items, as `systems/decoders/native/listening.h` has them, and how many.

    `routes`: theirs and others'. Before it becomes too long, routes are numbered anew, in another list.
    """

    data: bytes
    count: int
    routes: list[Route]


@dataclass(frozen=True, slots=True)
class Share:
    """The items that one node is sent, how many, and the routes that are new. `anew`: these are all that there are."""

    data: bytes
    count: int
    new: tuple[Route, ...]
    anew: bool


class Item(NamedTuple):
    """A message among others: where it begins and ends, and its route."""

    start: int
    end: int
    route: int


class Unpacking:
    """Of messages that were heard by the decoder of this mapping."""

    def __init__(self, mapping: WatchMap) -> None:
        self.mapping = mapping
        listening = mapping.new_decoder().listening()
        assert listening is not None, "somebody has heard these messages"
        self._listening = listening
        self._makers: dict[str, Maker] = {}

    def items(self, packed: Packed, start: int = 0) -> Iterator[Item]:
        data = packed.data
        while start < len(data):
            size, route = ITEM.unpack_from(data, start)[:2]
            yield Item(start, start + size, route)
            start += size

    def last_time(self, packed: Packed) -> int:
        """When the last one of them came."""
        *_, last = self.items(packed)
        return int(ITEM.unpack_from(packed.data, last.start)[4])

    def message(self, packed: Packed, start: int) -> Message:
        _, id, number, sequence, time, numbers, size = ITEM.unpack_from(packed.data, start)
        route = packed.routes[id]
        first = start + ITEM.size + 8 * numbers
        raw = self._listening.record(route.heard, packed.data[first : first + size])
        kind, ends = route.heard.kind, {self.mapping.source: route.source, self.mapping.target: route.target}
        record = self._maker(kind, route)(raw, ends)
        return Message(number, sequence, time, route.channel, kind, route.source, route.target, record, raw)

    def _maker(self, kind: str, route: Route) -> Maker:
        if route.names:  # who is called so is known from the route
            return self._new_maker(kind, route.names)
        found = self._makers.get(kind)
        if found is None:
            found = self._makers[kind] = self._new_maker(kind, {})
        return found

    def _new_maker(self, kind: str, names: Mapping[str, Value]) -> Maker:
        ends = self.mapping.source, self.mapping.target
        return Maker(self.mapping.records[kind], self.mapping.kind, ends, names.__getitem__)
