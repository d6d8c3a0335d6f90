"""A connection to a server of ZooKeeper: which port it is at is told by the first bytes of who has dialed.

Who the learner or candidate is, it says itself; a client has no name but "client". Which server was dialed is not said
in the protocol. It is known from the mapping of links (`node`), from the port (`servers`), or from what the recording
calls the link: a number at the end of its name, such as c1, q2-13 or q23, where both servers have one digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gristmill.systems.decoders.conversation import (
    Conversation,
    Decoder,
    DecodingError,
    Introduction,
    Link,
    Piece,
    Record,
)
from gristmill.systems.decoders.zookeeper.clients import ReplyStream, RequestStream, Session, is_question
from gristmill.systems.decoders.zookeeper.election import FIRST_BYTES, ElectionStream
from gristmill.systems.decoders.zookeeper.quorum import TYPES, QuorumStream
from gristmill.systems.decoders.zookeeper.streams import Stream

_LEARNERS = (b"\x00\x00\x00\x0b", b"\x00\x00\x00\x10")  # the types FOLLOWERINFO and OBSERVERINFO
_NAME = re.compile(r"^\D*(?:\d+\D+|\d(?=\d$))?(\d+)$")
_CLIENTS = ("Connect", "Connected", "Request", "Reply", "Ping", "Pong", "Aside", "Event")


class ZooKeeper(Decoder):
    """`servers`: the ports of each server, {"1": [2181, 2888, 3888], …}."""

    kinds = (*TYPES.values(), "RECONFIG", "NOTIFICATION", "INITIAL", *_CLIENTS)
    announces = True  # by INITIAL

    def __init__(self, servers: Mapping[str, Sequence[int]] | None = None) -> None:
        self.by_port = {port: server for server, ports in (servers or {}).items() for port in ports}

    def conversation(self, taking: bool = False) -> Conversation:
        return ZooKeeperConversation("")

    def conversation_on(self, link: Link, taking: bool = False) -> Conversation:
        return ZooKeeperConversation(self.server_on(link))

    def server_on(self, link: Link) -> str:
        named = _NAME.match(link.name)
        by_port = self.by_port.get(link.port) if link.port is not None else None
        return link.node or by_port or (named[1] if named else "")


class ZooKeeperConversation(Conversation):
    def __init__(self, acceptor: str) -> None:
        self.ends = {"acceptor": acceptor} if acceptor else {}
        if acceptor:
            self.acceptor = Introduction(acceptor)
        self.first = bytearray()
        self.streams: tuple[Stream, Stream] | None = None

    def dialed(self, data: bytes) -> list[Piece]:
        if self.streams is None:
            self.first += data
            if len(self.first) < 8 and not is_question(self.first):
                return []
            self.streams, data = self._recognized(bytes(self.first)), bytes(self.first)
        pieces = list(self._named(self.streams[0].feed(data)))
        if self.dialer is None and "dialer" in self.ends:
            self.dialer = Introduction(self.ends["dialer"])
        return pieces

    def answered(self, data: bytes) -> list[Piece]:
        if self.streams is None:
            raise DecodingError("the other side speaks first: the beginning of the connection is missing")
        return list(self._named(self.streams[1].feed(data)))

    def heard_dialed(self, data: bytes) -> list[Record]:
        if self.streams is None or self.dialer is None:
            return super().heard_dialed(data)
        return self._all_named(self.streams[0].heard(data))

    def heard_answered(self, data: bytes) -> list[Record]:
        if self.streams is None:
            return super().heard_answered(data)
        return self._all_named(self.streams[1].heard(data))

    def _recognized(self, first: bytes) -> tuple[Stream, Stream]:
        if first.startswith(FIRST_BYTES):
            return ElectionStream(self.ends, dialed=True), ElectionStream(self.ends, dialed=False)
        if first.startswith(_LEARNERS):
            return QuorumStream(self.ends, dialed=True), QuorumStream(self.ends, dialed=False)
        session = Session(self.ends)
        requests = RequestStream(session)
        return requests, ReplyStream(session, requests)

    def _named(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        for piece in pieces:
            if piece.record is not None:
                self._all_named([piece.record])
            yield piece

    def _all_named(self, records: Iterable[Record]) -> list[Record]:
        found = list(records)
        for record in found:
            if not (record["from"] and record["to"]):
                help = 'say it in the mapping: [watch.options] servers = { "1" = [2181, 2888, 3888], … }'
                raise DecodingError(f"it is not known which server was dialed; {help}")
        return found
