"""A connection between two members of etcd: HTTP/1.1 with Raft in it.

A member reads from another one by GET /raft/stream/…, whose answer never ends, and posts to /raft what has no stream
(yet). Both carry the same messages, and etcd takes each of them from a POST of its own: so every message can be
delivered apart, in any order, and outlives its connection. The rest (/members, /version, /raft/probing) passes as it
is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from gristmill.systems.decoders.conversation import Conversation, Decoder, DecodingError, Introduction, Piece, Record
from gristmill.systems.decoders.etcd.handing import put_stream_state, stream_state
from gristmill.systems.decoders.etcd.hearing import Hearing
from gristmill.systems.decoders.etcd.raft import KINDS, message_bytes, message_record, sent_by
from gristmill.systems.decoders.etcd.streams import AppendStream, MessageStream, Stream
from gristmill.systems.decoders.http1 import Body, End, Head, HttpReader, chunk

_RECEIPT = b"HTTP/1.1 204 No Content\r\n\r\n"
_OWN_HEADERS = ("x-server-from", "x-server-version", "x-min-cluster-version", "x-etcd-cluster-id", "x-peerurls")


class EtcdPeers(Decoder):
    lossy = True
    kinds = KINDS

    def __init__(self) -> None:
        self.headers: dict[str, Mapping[str, str]] = {}  # by the id of a member: what it tells of itself
        self.hearing = Hearing()

    def conversation(self, taking: bool = False) -> Conversation:
        return EtcdConversation(self.headers, taking, self.hearing)

    def accepted(self, answer: bytes) -> bool | None:
        events = HttpReader(responses=True).feed(answer)
        if not any(isinstance(each, End) for each in events):
            return None
        head = events[0]
        return isinstance(head, Head) and head.first[1].startswith("2")

    def parcel(self, record: Record, likes: Introduction | None) -> bytes:
        if likes is None or likes.name not in self.headers:
            raise DecodingError("no member of etcd can be imitated before it has spoken to another one")
        return posted(message_bytes(record), self.headers[likes.name])


class EtcdConversation(Conversation):
    def __init__(self, headers: dict[str, Mapping[str, str]], taking: bool, hearing: Hearing) -> None:
        self.headers, self.taking, self.hearing = headers, taking, hearing
        self.requests, self.responses = HttpReader(responses=False), HttpReader(responses=True)
        self.waiting: deque[Head] = deque()  # requests that have no answer yet
        self.posting: Head | None = None  # a message that is being posted
        self.posted_raw, self.posted_data = bytearray(), bytearray()
        self.stream: Stream | None = None

    # ----------------------------------------------------------------------------------------------- what a dialer says

    def dialed(self, data: bytes) -> list[Piece]:
        pieces: list[Piece] = []
        for event in self.requests.feed(data):
            if isinstance(event, Head):
                self._introduce(event)
                self.posting = event if _posts_message(event) else None
                if self.posting is None or not self.taking:
                    self.waiting.append(event)
            if self.posting is None:
                pieces.append(Piece(event.raw))
            else:
                pieces += self._post(self.posting, event)
        return pieces

    def _introduce(self, head: Head) -> None:
        name = head.headers.get("x-server-from")
        if name is None:
            return
        urls = head.headers.get("x-peerurls", "").split(",")
        self.dialer = Introduction(name, tuple(each.split("://")[-1] for each in urls if each))
        if head.headers.get("x-raft-to"):
            self.acceptor = Introduction(head.headers["x-raft-to"])
        self.headers[name] = {key: head.headers[key] for key in _OWN_HEADERS if key in head.headers}

    def _post(self, head: Head, event: Head | Body | End) -> list[Piece]:
        self.posted_raw += event.raw
        if isinstance(event, Body):
            self.posted_data += event.data
        if not isinstance(event, End):
            return []
        wire, data = bytes(self.posted_raw), bytes(self.posted_data)
        self.posted_raw, self.posted_data = bytearray(), bytearray()
        if head.first[1] == "/raft/snapshot":  # the message, with its length in front, and then a database
            found = MessageStream().feed(data[: 8 + int.from_bytes(data[:8], "big")])
            return [Piece(wire, record, apart=True, receipt=_RECEIPT) for _, record in found]
        own = head.headers
        record = sent_by(own.get("x-server-from"), message_record(data))
        return [Piece(wire, record, True, _RECEIPT, lambda changed: posted(message_bytes(changed), own))]

    # ----------------------------------------------------------------------------------------- what the other side says

    def answered(self, data: bytes) -> list[Piece]:
        pieces: list[Piece] = []
        for event in self.responses.feed(data):
            if isinstance(event, Head):
                self.stream = self._stream(event)
                self.goes_on = self.stream is not None
            if isinstance(event, Body) and self.stream is not None:
                pieces += self._streamed(self.stream, event.data)
            else:
                pieces.append(Piece(event.raw))
            if isinstance(event, End) and self.waiting:
                self.waiting.popleft()
        return pieces

    def heard_answered(self, data: bytes) -> list[Record]:
        if self.stream is None or not self.responses.in_chunks:
            return super().heard_answered(data)
        found = self.stream.heard(self.responses.content(data))
        return found if self.responses.in_chunks else [*found, *super().heard_answered(b"")]

    def handed_over(self) -> bytes | None:
        """In the middle of a stream."""
        if self.stream is None or not self.responses.in_chunks:
            return None
        return stream_state(self.responses, self.stream)

    def taken_back(self, state: bytes) -> None:
        assert self.stream is not None
        put_stream_state(self.responses, self.stream, state)

    def _stream(self, head: Head) -> Stream | None:
        path = self.waiting[0].first[1].split("/") if self.waiting else []
        if head.first[1] != "200" or path[1:3] != ["raft", "stream"]:
            return None
        asked = self.waiting[0].headers
        if path[3] == "message":
            return MessageStream(self.hearing, asked.get("x-raft-to"))
        return AppendStream(asked.get("x-raft-to", "0"), asked.get("x-server-from", "0"), self.hearing)

    def _streamed(self, stream: Stream, data: bytes) -> list[Piece]:
        pieces = []
        for wire, record in stream.feed(data):
            if record is None:
                pieces.append(Piece(chunk(wire)))
            else:
                pieces.append(self._message(wire, record))
        return pieces

    def _message(self, wire: bytes, record: Record) -> Piece:
        """The reader has told who it is, and so what a message to it must look like; of the writer we know as much from
        the connections that it has opened itself, or else it is alike."""
        asked = self.waiting[0].headers
        headers = self.headers.get(record["from"]) or {**asked, "x-server-from": record["from"], "x-peerurls": ""}
        return Piece(
            posted(wire, headers),
            record,
            apart=True,
            encode=lambda changed: posted(message_bytes(changed), headers),
        )


def posted(message: bytes, headers: Mapping[str, str]) -> bytes:
    """A message as a POST of its own."""
    lines = ["POST /raft HTTP/1.1", "Host: etcd", "Content-Type: application/protobuf"]
    lines.append(f"Content-Length: {len(message)}")
    lines += [f"{name}: {headers[name]}" for name in _OWN_HEADERS if headers.get(name)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + message


def _posts_message(head: Head) -> bool:
    return head.first[0] == "POST" and head.first[1] in ("/raft", "/raft/snapshot")
