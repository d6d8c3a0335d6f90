"""Who was dialed, where messages do not say: clients do not call a server by its name in the protocol.

A connection tells who has accepted it (`Conversation.acceptor`) when that is said in it, perhaps only by its first
answer; and a recording may tell where it leads. Whoever was found at a place once is there always. If all places but
one are known, and all names but one, these two belong together: but only when nothing else has told for a while, as
there may be nodes that have not been seen yet. Until then, messages are held back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from gristmill.systems.decoders import ACCEPTOR, Conversation, Introduction, Link, Record
from gristmill.watch.recording import ANSWERED, Chunk

Named: TypeAlias = tuple[Chunk, Record, tuple[str, str]]  # a message, and the names of both ends

_PATIENCE = 256  # messages that are held back until it is known who was dialed


class Decoded(NamedTuple):
    """A message, as it is in the protocol."""

    chunk: Chunk
    raw: Record
    conversation: Conversation
    place: str  # where its connection leads; empty if that was not told


@dataclass(slots=True)
class Acceptors:
    """`ends`: the fields of messages for sender and receiver. `trouble`: what is not judged, and why."""

    ends: tuple[str, str]
    trouble: dict[str, str]
    _names: dict[str, None] = field(default_factory=dict)  # that peers call each other by
    _at: dict[str, str] = field(default_factory=dict)  # place -> name
    _places: dict[int, str] = field(default_factory=dict)  # of connections
    _seen: dict[str, None] = field(default_factory=dict)  # places
    _held: deque[Decoded] = field(default_factory=deque)
    _given_up: set[int] = field(default_factory=set)  # connections
    # Who speaks on a connection, as it has told by now.
    _told: dict[int, tuple[Introduction | None, Introduction | None]] = field(default_factory=dict)

    def opened(self, connection: int, link: Link) -> None:
        place = link.node or link.name
        self._places[connection] = place
        self._told.pop(connection, None)
        if place:
            self._seen[place] = None

    def closed(self, connection: int) -> None:
        self._places.pop(connection, None)
        self._told.pop(connection, None)

    def add(self, chunk: Chunk, conversation: Conversation, records: Iterable[Record]) -> None:
        """What was decoded just now."""
        connection = chunk.connection
        told = self._told.get(connection)
        if told is None or told[0] is not conversation.dialer or told[1] is not conversation.acceptor:
            self._told[connection] = conversation.dialer, conversation.acceptor
            self._learn(connection, conversation)
        if records:
            place = self._places.get(connection, "")
            self._held += [Decoded(chunk, each, conversation, place) for each in records]

    def at_once(self, chunk: Chunk, conversation: Conversation, records: list[Record]) -> list[Named]:
        """The same as `add` and `ready`, for most messages: nothing is held back, and nothing has to be."""
        self.add(chunk, conversation, ())
        acceptor, (source, target) = conversation.acceptor, self.ends
        if not self._held and not self._given_up:
            found: list[Named] = []
            for raw in records:
                ends = str(raw.get(source, "")), str(raw.get(target, ""))
                if ACCEPTOR in ends:
                    if acceptor is None:
                        break
                    name = acceptor.name
                    ends = name if ends[0] == ACCEPTOR else ends[0], name if ends[1] == ACCEPTOR else ends[1]
                found.append((chunk, raw, ends))
            else:
                return found
        self.add(chunk, conversation, records)
        return list(self.ready())

    @property
    def holds_back(self) -> bool:
        """Whether some messages wait until it is known who was dialed."""
        return bool(self._held)

    def _learn(self, connection: int, conversation: Conversation) -> None:
        place = self._places.get(connection, "")
        for told in (conversation.dialer, conversation.acceptor):
            if told is not None:
                self._names.setdefault(told.name)
        if conversation.acceptor is not None and place:
            self._at[place] = conversation.acceptor.name

    def ready(self, last: bool = False) -> Iterator[Named]:
        """Messages, with the names of both ends, as far as these are known. `last`: nothing comes any more."""
        held, (source, target) = self._held, self.ends
        while held:
            chunk, raw, _, _ = first = held[0]
            ends = str(raw.get(source, "")), str(raw.get(target, ""))
            if ACCEPTOR in ends:
                name = self._name(first, last)
                if name is None and self._waits(first, last):
                    return
                if name is None or chunk.connection in self._given_up:
                    self._give_up(held.popleft())
                    continue
                ends = name if ends[0] == ACCEPTOR else ends[0], name if ends[1] == ACCEPTOR else ends[1]
            held.popleft()
            yield chunk, raw, ends

    def _name(self, message: Decoded, last: bool) -> str | None:
        if message.conversation.acceptor is not None:
            return message.conversation.acceptor.name
        if message.place not in self._at and (last or len(self._held) > _PATIENCE):
            self._eliminate()
        return self._at.get(message.place)

    def _waits(self, message: Decoded, last: bool) -> bool:
        if last or len(self._held) > _PATIENCE:
            return False
        return bool(message.place) or message.chunk.connection in self._places

    def _eliminate(self) -> None:
        """The last place has the last name."""
        places = [each for each in self._seen if each not in self._at]
        names = [each for each in self._names if each not in self._at.values()]
        if len(places) == len(names) == 1:
            self._at[places[0]] = names[0]

    def _give_up(self, message: Decoded) -> None:
        """Who was asked is not known; if nobody ever answers, that is all the same."""
        connection = message.chunk.connection
        self._given_up.add(connection)
        if message.chunk.direction == ANSWERED:
            why = "is with a node of which nothing tells who it is: what clients ask it is not judged"
            self.trouble.setdefault(f"connection {connection}", why)
