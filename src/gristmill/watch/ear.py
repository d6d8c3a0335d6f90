"""Bytes of records heard by native code as far as it understands them, and by `messages.py` else.

Native code is given connections once a decoder has begun them, and stops where it must ask: then what it has heard is
handed on, in front of what the decoder makes of the next record. So messages come in the order of the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gristmill.cc import CacheError, CompilerError
from gristmill.systems.decoders import ACCEPTOR, Conversation, Decoder
from gristmill.systems.decoders.listening import (
    END,
    LEFT_OUT,
    NOT_HERE,
    OTHER,
    ROUTE,
    UNUSUAL,
    WANTED,
    Listener,
    Listening,
    address_of,
)
from gristmill.values import Value
from gristmill.watch.messages import Message, Reading
from gristmill.watch.packed import Packed, Route, Unpacking
from gristmill.watch.recipes import fixed_nodes, recipe_for
from gristmill.watch.recording import ANSWERED, DIALED, HEAD, Chunk

_MOST_ROUTES = 4_096  # before they are numbered anew: most of their connections have ended
_SOON, _LONGEST_PAUSE = 64, 256  # messages after which a connection was worth giving away; records until it is again


@dataclass(slots=True)
class _Trial:
    """Of a connection that has come back: not to be given away for so many records, and before, and when that was."""

    left: int = 0
    pause: int = 0
    since: int = 0


class Ear:
    """`routes`: of the messages that were heard, by their numbers."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.mapping = reading, reading.mapping
        self.routes: list[Route] = []
        self._trials: dict[int, _Trial] = {}
        decoder = self.mapping.new_decoder()
        self._listening: Listening | None = decoder.listening()
        self._decoder: Decoder = decoder
        self._listener: Listener | None = None
        if self._listening is not None:
            try:
                self._listener = Listener()
            except (CompilerError, CacheError):  # then it is done in Python
                self._listening = None
        reading.ear = self

    def unpacking(self) -> Unpacking | None:
        """Of the messages that native code hears, if it hears any."""
        return None if self._listener is None else Unpacking(self.mapping)

    def messages(self, blocks: Iterable[bytes]) -> Iterator[Message | Packed]:
        """`blocks`: whole records, as a recording has them."""
        reading, decoder = self.reading, self._decoder
        for block in blocks:
            address, at = address_of(block), 0
            while at < len(block):
                if self._listener is not None and not reading.holds_back:
                    packed, used, why = self._hear(address + at, len(block) - at)
                    if packed is not None:
                        yield packed
                    at += used
                    if why == ROUTE:
                        self._find_route()
                    if why not in (OTHER, UNUSUAL):
                        continue
                sequence, moment, connection, direction, length = HEAD.unpack_from(block, at)
                at += HEAD.size + length
                chunk = Chunk(sequence, moment, connection, direction, block[at - length : at])
                self.take_back(connection)
                yield from reading.of(decoder, chunk)
                self._give_away(chunk)
        yield from reading.rest()

    def _hear(self, address: int, size: int) -> tuple[Packed | None, int, int]:
        listener, reading = self._listener, self.reading
        assert listener is not None
        found = listener.hear(address, size, reading.count)
        reading.count += found.messages
        reading.ignored += found.ignored
        packed = Packed(listener.items(), found.messages, self.routes) if found.messages else None
        if found.why == UNUSUAL:
            self._came_back(found.connection)
        used = size if found.why == END else found.used
        return packed, used, found.why

    # ----------------------------------------------------------------------------------------------------- connections

    def _came_back(self, connection: int) -> None:
        trial = self._trials.setdefault(connection, _Trial())
        was_worth_it = self.reading.count - trial.since > _SOON
        trial.pause = 1 if was_worth_it or not trial.pause else min(2 * trial.pause, _LONGEST_PAUSE)
        trial.left = trial.pause

    def _give_away(self, chunk: Chunk) -> None:
        connection, listener = chunk.connection, self._listener
        if listener is None or chunk.direction not in (DIALED, ANSWERED) or self.reading.holds_back:
            return
        trial = self._trials.get(connection)
        if trial is not None and trial.left:
            trial.left -= 1
            if trial.left:
                return
        conversation = self.reading.conversation(connection)
        state = None if conversation is None else conversation.handed_over()
        if state is None or not listener.begin(connection, state, self.reading.counts_on(connection)):
            return
        if trial is not None:
            trial.since = self.reading.count

    def take_back(self, connection: int) -> None:
        """What native code knows of a connection is the decoder's again."""
        listener = self._listener
        if listener is None or connection not in listener:
            return
        conversation = self.reading.conversation(connection)
        state, counts = listener.taken_back(connection)
        if conversation is not None:
            conversation.taken_back(state)
            self.reading.count_on(connection, counts)

    def let_go(self, connection: int) -> None:
        """It has ended: its number may be another one's from now on."""
        self._trials.pop(connection, None)

    # ---------------------------------------------------------------------------------------------------------- routes

    def _find_route(self) -> None:
        """Of the message that native code has stopped at."""
        listener, listening, reading = self._listener, self._listening, self.reading
        assert listener is not None
        assert listening is not None
        found = listener.result
        conversation = reading.conversation(found.connection)
        assert conversation is not None
        heard = listening.heard(conversation, found.kind, found.source, found.target)
        called = self._called(conversation, heard.fixed)
        if called is None:
            listener.route(0, NOT_HERE, ())
            return
        channel = found.connection, found.direction
        ends = reading.ends(channel, heard.kind, called)
        if ends is None:
            listener.route(0, LEFT_OUT, ())
            return
        mapping, described = self.mapping, self.mapping.records[heard.kind]
        others = mapping.kind, mapping.source, mapping.target
        recipe = recipe_for(described, others, listening.sources(heard.kind), heard.fixed, reading.node)
        if recipe is None:
            listener.route(0, NOT_HERE, ())
            return
        names: dict[str, Value] = {name: reading.node(name) for name in fixed_nodes(described, heard.fixed)}
        if len(self.routes) >= _MOST_ROUTES:
            self.routes = []
            listener.forget_routes()
        self.routes.append(Route(len(self.routes), channel, *ends, heard, recipe, names))
        listener.route(len(self.routes) - 1, WANTED, recipe.words)

    def _called(self, conversation: Conversation, fixed: dict[str, str] | object) -> tuple[str, str] | None:
        """The names of both ends."""
        assert isinstance(fixed, dict)
        names = []
        for end in (self.mapping.source, self.mapping.target):
            name = fixed.get(end)
            if name == ACCEPTOR:
                name = None if conversation.acceptor is None else conversation.acceptor.name
            if name is None:
                return None
            names.append(name)
        return names[0], names[1]
