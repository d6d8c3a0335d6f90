"""The messages of a recording: bytes of connections decoded, nodes named, records made.

A message is where its last byte is. Between members of a system, one record is both the sending and the receiving of
it, as the bytes were noted between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from gristmill.source import Diagnostic, SourceError
from gristmill.systems.decoders import Conversation, Decoder, DecodingError, Link, Record
from gristmill.systems.decoders.tls import is_hello
from gristmill.values import Value, from_python
from gristmill.watch.acceptors import Acceptors, Named
from gristmill.watch.making import Maker
from gristmill.watch.mapping import WatchMap
from gristmill.watch.recording import ANSWERED, CLOSED, DIALED, NOTE, OPENED, Chunk, facts
from gristmill.watch.records import RecordMap, UnreadableError

if TYPE_CHECKING:
    from gristmill.watch.ear import Ear

_EVERYTHING, _PAST = -1, -2  # where something is not seen, and that is not one of the connections


@dataclass(slots=True, unsafe_hash=True)
class Message:
    """One message. `channel`: the connection and direction, on which messages keep their order.

    Nobody changes one. It is not frozen, as that would make it slow to make.
    """

    number: int  # in the order of the recording, from 1
    sequence: int  # of the record with its last byte
    time: int
    channel: tuple[int, int]
    kind: str
    source: Value
    target: Value
    record: Value
    raw: Record = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Unseen:
    """From here on, not all messages of these nodes are seen, because of a connection. None: of all nodes."""

    connection: int
    nodes: frozenset[Value] | None
    why: str


@dataclass(frozen=True, slots=True)
class Regained:
    """That connection has ended: it hides nothing any more."""

    connection: int


class _Route(NamedTuple):
    kind: str
    make: Maker
    source: Value
    target: Value
    ends: Mapping[str, Value]


@dataclass(slots=True)
class Reading:
    """Makes messages of chunks, one after the other.

    - `trouble`: what could not be understood, once for each connection or kind of message.
    - `unseen`: what is not seen from the message on that follows. Whoever judges takes it from here before that.
    """

    mapping: WatchMap
    names: dict[str, Value] = field(default_factory=dict)  # how the protocol calls nodes, in order of appearance
    trouble: dict[str, str] = field(default_factory=dict)
    ignored: int = 0
    count: int = 0
    unseen: list[Unseen | Regained] = field(default_factory=list)
    _conversations: dict[int, Conversation | None] = field(default_factory=dict)
    _nodes: dict[str, Value] = field(default_factory=dict)  # who is called so, outside or not
    _on_channel: dict[tuple[int, int], int] = field(default_factory=dict)  # messages on each channel
    _links: dict[int, str] = field(default_factory=dict)  # what is known of a connection, in words
    _between: dict[int, set[Value]] = field(default_factory=dict)  # the nodes that have spoken on a connection
    _torn: bool = False  # something is missing: connections that were not opened after that are not understood
    _hidden: set[int] = field(default_factory=set)  # connections that carry what is not seen
    # What is the same for messages of one kind between two nodes, as long as no connection ends.
    _routes: dict[tuple[tuple[int, int], str, tuple[str, str]], _Route] = field(default_factory=dict)
    _makers: dict[str, Maker] = field(default_factory=dict)  # of records, by kinds of messages
    _acceptors: Acceptors = field(init=False)
    ear: Ear | None = None  # by which some connections are heard

    def __post_init__(self) -> None:
        self._acceptors = Acceptors((self.mapping.source, self.mapping.target), self.trouble)

    def messages(self, chunks: Iterable[Chunk]) -> Iterator[Message]:
        decoder = self.mapping.new_decoder()
        for chunk in chunks:
            yield from self.of(decoder, chunk)
        yield from self.rest()

    def of(self, decoder: Decoder, chunk: Chunk) -> Iterator[Message]:
        """The messages that are ready with the next chunk."""
        if chunk.direction == OPENED:
            self._opened(decoder, chunk)
        elif chunk.direction == CLOSED:
            self._closed(chunk.connection, chunk)
        elif chunk.direction == NOTE:
            self._noted(chunk)
        else:
            if chunk.connection not in self._conversations:
                self._begun(decoder, chunk)
            for named in self._decode(chunk):
                message = self._message(*named)
                if message is not None:
                    yield message
            return
        yield from self._ready()

    def rest(self) -> Iterator[Message]:
        """Nothing comes any more."""
        yield from self._ready(last=True)

    # ------------------------------------------------------------------------------------------------- for native code

    @property
    def holds_back(self) -> bool:
        """Whether some messages wait, and others for them."""
        return self._acceptors.holds_back

    def conversation(self, connection: int) -> Conversation | None:
        return self._conversations.get(connection)

    def counts_on(self, connection: int) -> tuple[int, int]:
        """How many messages there were in each direction."""
        return self._on_channel.get((connection, DIALED), 0), self._on_channel.get((connection, ANSWERED), 0)

    def count_on(self, connection: int, counts: tuple[int, int]) -> None:
        for direction, count in zip((DIALED, ANSWERED), counts, strict=True):
            if count:
                self._on_channel[connection, direction] = count

    def ends(self, channel: tuple[int, int], kind: str, called: tuple[str, str]) -> tuple[Value, Value] | None:
        """Who sends messages of this kind on this channel to whom; None if these are not judged."""
        before = self.ignored
        route = self._route(channel, kind, called)
        self.ignored = before  # the message that is asked for is counted when it is heard
        return None if route is None else (route.source, route.target)

    def node(self, name: str) -> Value:
        """Who is called so."""
        return self._node(name)

    def _ready(self, last: bool = False) -> Iterator[Message]:
        for named in self._acceptors.ready(last):
            message = self._message(*named)
            if message is not None:
                yield message

    def taken_unseen(self) -> list[Unseen | Regained]:
        """What is new in `unseen`."""
        taken = self.unseen
        if taken:
            self.unseen = []
        return taken

    # ----------------------------------------------------------------------------------------------------- connections

    def _opened(self, decoder: Decoder, chunk: Chunk) -> None:
        told = facts(chunk)
        self._closed(chunk.connection)
        if told.get("name"):
            self._links[chunk.connection] = f" of link {told['name']}"
        link = _link(told)
        self._acceptors.opened(chunk.connection, link)
        self._conversations[chunk.connection] = decoder.conversation_on(link)
        if told.get("midway"):
            why = "was open before the watching began, and what it carries is not seen"
            self._given_up(chunk, why, everybody=True)

    def _closed(self, connection: int, chunk: Chunk | None = None) -> None:
        """`chunk`: what tells of it."""
        self._take_back(connection)
        if self.ear is not None:
            self.ear.let_go(connection)
        if connection in self._hidden:
            self._hidden.discard(connection)
            self.unseen.append(Regained(connection))
        conversation = self._conversations.pop(connection, None)
        if conversation is not None and chunk is not None:
            self._acceptors.add(chunk, conversation, [each.record for each in conversation.closed() if each.record])
        self._acceptors.closed(connection)
        self._links.pop(connection, None)
        self._between.pop(connection, None)
        self._routes.clear()
        for direction in (DIALED, ANSWERED):
            self._on_channel.pop((connection, direction), None)

    def _begun(self, decoder: Decoder, chunk: Chunk) -> None:
        """The first bytes of a connection that nobody has said to be open: some recordings do not tell."""
        self._conversations[chunk.connection] = None if self._torn else decoder.conversation()
        if self._torn:
            self._hides(chunk.connection, None, f"connection {chunk.connection} was opened when records were missing")

    def _noted(self, chunk: Chunk) -> None:
        told = facts(chunk)
        match told.get("note"):
            case "restarted":  # the tap: its connections have been reset, and nothing went by it
                for connection in [*self._conversations]:
                    self._closed(connection)
            case "torn":
                self._given_up(chunk, f"is lost from here: {told.get('why', 'something of it was not seen')}")
            case "past":
                self._past(str(told.get("address", "?")))
            case _:
                self._missed(chunk, told)

    def _past(self, address: str) -> None:
        """Connections to that address are made, and not seen: the tap knows of no link that it could stand for."""
        why = f"a node is dialed at {address}, which no link has, so that what goes there is not seen"
        self.trouble[f"connections to {address}"] = "go past the tap: say in [watch.links] to which node they lead"
        self.unseen.append(Unseen(_PAST, None, why))

    def _missed(self, chunk: Chunk, told: Mapping[str, object]) -> None:
        why = f"{told.get('records', 'some')} records are missing before record {chunk.sequence}"
        self.trouble[why] = f"({told.get('why', 'they came faster than they were taken')})"
        self._torn = True
        self.unseen += [Unseen(_EVERYTHING, None, why), Regained(_EVERYTHING)]
        for connection in self._conversations:
            self._take_back(connection)
            self._conversations[connection] = None
            self._hides(connection, None, why)

    def _take_back(self, connection: int) -> None:
        """Native code does not hear this connection any more."""
        if self.ear is not None:
            self.ear.take_back(connection)

    def _given_up(self, chunk: Chunk, why: str, everybody: bool = False) -> None:
        """The rest of a connection is not seen. Nothing follows for nodes if it has never carried a message."""
        self._take_back(chunk.connection)
        conversation = self._conversations.get(chunk.connection)
        self._conversations[chunk.connection] = None
        where = f"connection {chunk.connection}{self._links.get(chunk.connection, '')} from record {chunk.sequence} on"
        self.trouble[where] = why
        nodes = set(self._between.get(chunk.connection, ()))
        for end in (conversation.dialer, conversation.acceptor) if conversation is not None else ():
            nodes |= {self.names[end.name]} if end is not None and end.name in self.names else set()
        if nodes or everybody:
            self._hides(chunk.connection, None if everybody else frozenset(nodes), f"{where} {why}")

    def _hides(self, connection: int, nodes: frozenset[Value] | None, why: str) -> None:
        self._hidden.add(connection)
        self.unseen.append(Unseen(connection, nodes, why))

    # -------------------------------------------------------------------------------------------------------- messages

    def _decode(self, chunk: Chunk) -> Iterable[Named]:
        """The messages that are ready then."""
        conversation = self._conversations[chunk.connection]
        if conversation is None:
            return self._acceptors.ready()
        if chunk.connection not in self._between:
            self._between[chunk.connection] = set()
            if is_hello(chunk.data):
                self._given_up(chunk, "is encrypted (TLS), and its messages are not seen", everybody=True)
                return self._acceptors.ready()
        try:
            hear = conversation.heard_answered if chunk.direction == ANSWERED else conversation.heard_dialed
            records = hear(chunk.data)
        except DecodingError as error:
            self._given_up(chunk, f"cannot be decoded, and its messages are not seen: {error}")
            return self._acceptors.ready()
        return self._acceptors.at_once(chunk, conversation, records)

    def _message(self, chunk: Chunk, raw: Record, called: tuple[str, str]) -> Message | None:
        channel = (chunk.connection, chunk.direction)
        route = self._routes.get((channel, raw["kind"], called))
        if route is None:
            route = self._route(channel, str(raw["kind"]), called)
            if route is None:
                return None
        kind, make, source, target, ends = route
        number = self._on_channel.get(channel, 0) + 1
        message = {**raw, "channel": {"connection": channel[0], "number": number}} if make.needs_channel else raw
        try:
            record = make(message, ends)
        except UnreadableError as error:
            self.trouble.setdefault(f"messages {kind}", f"cannot be read as the mapping says: {error}")
            return None
        self.count += 1
        self._on_channel[channel] = number
        return Message(self.count, chunk.sequence, chunk.time, channel, kind, source, target, record, raw)

    def _route(self, channel: tuple[int, int], kind: str, called: tuple[str, str]) -> _Route | None:
        """How messages of this kind become records on this channel, between these; None if they do not."""
        mapping, described = self.mapping, self.mapping.records.get(kind)
        if described is None:
            self.ignored += 1
            if kind not in mapping.ignore:
                self.trouble.setdefault(f"messages {kind}", "are not described in the mapping, and not judged")
            return None
        source, target = self._node(called[0]), self._node(called[1])
        self._between.setdefault(channel[0], set()).update((source, target))
        make, ends = self._makers.get(kind) or self._maker(described), {mapping.source: source, mapping.target: target}
        found = self._routes[channel, kind, called] = _Route(kind, make, source, target, ends)
        return found

    def _maker(self, described: RecordMap) -> Maker:
        ends = self.mapping.source, self.mapping.target
        found = self._makers[described.kind] = Maker(described, self.mapping.kind, ends, self._node)
        return found

    def _node(self, name: str) -> Value:
        """A name that a node of the specification has is that node; else nodes are given to names in the order in which
        these appear. Who is outside, such as a client, is called as it is."""
        found = self._nodes.get(name)
        if found is None:
            found = self._nodes[name] = self._new_node(name)
        return found

    def _new_node(self, name: str) -> Value:
        if name in self.mapping.outside:
            return from_python(name)
        if name not in self.names:
            taken = self.names.values()
            free = [node for node in self.mapping.nodes if node not in taken]
            if not free:
                known, count = ", ".join(self.names), len(self.mapping.nodes)
                message = f"there are more nodes than the {count} of the specification: {known}, and now {name}"
                example = f'{{"{self.mapping.nodes[0]}", …}}'
                help = f"say who there may be, if a constant does: --constant 'Server={example}'"
                raise SourceError(Diagnostic("too-many-nodes", message, self.mapping.span, help=help))
            self.names[name] = next((node for node in free if str(node) == name), free[0])
        return self.names[name]


def _link(told: Mapping[str, Any]) -> Link:
    """What a record that opens a connection says of it: the name of the link, whose it is, and where it leads to."""
    target = told.get("target")
    port = target[-1] if isinstance(target, list) and target else told.get("tport")
    return Link(str(told.get("name", "")), str(told.get("node", "")), port if isinstance(port, int) else None)
