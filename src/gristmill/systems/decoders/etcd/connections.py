"""Connections to a member of etcd, of other members and of clients: what a dialer says first tells them apart."""

from __future__ import annotations

from gristmill.systems.decoders.conversation import Conversation, DecodingError, Piece, Record
from gristmill.systems.decoders.etcd.gateway import JsonConversation
from gristmill.systems.decoders.etcd.grpc import GrpcConversation
from gristmill.systems.decoders.etcd.listened import EtcdListening
from gristmill.systems.decoders.etcd.peers import EtcdPeers
from gristmill.systems.decoders.http2 import PREFACE
from gristmill.systems.decoders.listening import Listening

_ENOUGH = 12  # bytes: a method, and the beginning of a path
_TLS = b"\x16\x03"


class Etcd(EtcdPeers):
    def __init__(self) -> None:
        super().__init__()
        self.connections = 0

    def conversation(self, taking: bool = False) -> Conversation:
        if taking:
            return super().conversation(taking)
        self.connections += 1
        return AnyConversation(self, self.connections)

    def of_peers(self) -> Conversation:
        return super().conversation()

    def listening(self) -> Listening:
        return EtcdListening(self.hearing)


class AnyConversation(Conversation):
    def __init__(self, decoder: Etcd, number: int) -> None:
        self.decoder, self.number = decoder, number
        self.chosen: Conversation | None = None
        self.began = bytearray()

    def dialed(self, data: bytes) -> list[Piece]:
        if self.chosen is None:
            self.began += data
            self.chosen = self._choose(bytes(self.began))
            if self.chosen is None:
                return []
            data = bytes(self.began)
        found = self.chosen.dialed(data)
        self._learn()
        return found

    def answered(self, data: bytes) -> list[Piece]:
        found = self._known().answered(data)
        self._learn()
        return found

    def heard_dialed(self, data: bytes) -> list[Record]:
        if self.chosen is None:
            return super().heard_dialed(data)
        found = self.chosen.heard_dialed(data)
        self._learn()
        return found

    def heard_answered(self, data: bytes) -> list[Record]:
        found = self._known().heard_answered(data)
        self._learn()
        return found

    def handed_over(self) -> bytes | None:
        return None if self.chosen is None else self.chosen.handed_over()

    def taken_back(self, state: bytes) -> None:
        self._known().taken_back(state)

    def closed(self) -> list[Piece]:
        return [] if self.chosen is None else self.chosen.closed()

    def _choose(self, began: bytes) -> Conversation | None:
        if began.startswith(_TLS):
            raise DecodingError("this connection is encrypted (TLS), and cannot be looked into")
        if len(began) < _ENOUGH and b"\n" not in began:
            return None
        if began.startswith(PREFACE[:_ENOUGH]):
            return GrpcConversation(self.number)
        _, _, path = began[:_ENOUGH].partition(b" ")
        return JsonConversation(self.number) if path.startswith(b"/v3") else self.decoder.of_peers()

    def _known(self) -> Conversation:
        if self.chosen is None:
            raise DecodingError("a client or member speaks first: the beginning of this connection is missing")
        return self.chosen

    def _learn(self) -> None:
        known = self._known()
        self.dialer, self.acceptor, self.goes_on = known.dialer, known.acceptor, known.goes_on
