"""The client port: a session is opened, requests are asked, and answered in their order; changes that a client watches
are told in between. Every message has its length in front. Four letters instead of that are a question of an operator,
whose answer is text until the connection is closed.

    {"kind": "Connect", "session": 0, "seen": 17}                          0: a new session
    {"kind": "Connected", "session": 72057…, "asked": 0, "seen": 17}       session 0: it was refused
    {"kind": "Request", "xid": 3, "operation": "setData", "write": True}
    {"kind": "Reply", "xid": 3, "zxid": 18, "error": 0, "operation": "setData", "write": True, "changes": True}
    {"kind": "Event", "zxid": 18}

All have the `session`; what a server says has it as `to` as well as `from` has the server.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from gristmill.systems.decoders.conversation import DecodingError, Piece
from gristmill.systems.decoders.jute import JuteReader, MissingError
from gristmill.systems.decoders.zookeeper.streams import Stream

OPERATIONS = {
    0: "notification", 1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 6: "getACL", 7: "setACL",
    8: "getChildren", 9: "sync", 11: "ping", 12: "getChildren2", 13: "check", 14: "multi", 15: "create2",
    16: "reconfig", 17: "checkWatches", 18: "removeWatches", 19: "createContainer", 20: "deleteContainer",
    21: "createTTL", 22: "multiRead", 100: "auth", 101: "setWatches", 102: "sasl", 103: "getEphemerals",
    104: "getAllChildrenNumber", 105: "setWatches2", 106: "addWatch", 107: "whoAmI", -10: "createSession",
    -11: "closeSession", -1: "error",
}  # fmt: skip
WRITES = frozenset(
    "create delete setData setACL multi create2 reconfig createContainer deleteContainer createTTL closeSession".split()
)
_EVENT, _PING, _AUTH, _SET_WATCHES = -1, -2, -4, -8  # numbers of requests that stand for something else
_ASIDE = {_PING: "Pong", _AUTH: "Aside", _SET_WATCHES: "Aside"}  # answers that are not about the tree
_SHORTEST_CONNECT = 24


class Session:
    """What both directions of a connection know of it."""

    def __init__(self, ends: dict[str, str]) -> None:
        self.ends = ends
        self.id = self.asked = 0
        self.seen = 0
        self.connected = False
        self.waiting: deque[tuple[int, str]] = deque()  # requests without an answer


class RequestStream(Stream):
    """What the client says."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session, self.began, self.question = session, False, False

    def name(self) -> str:
        return "what a client has sent"

    def next(self, reader: JuteReader) -> Piece:
        if not self.began and is_question(self.buffer):
            self.question = True
        self.began = True
        if self.question:
            reader.raw(len(self.buffer))
            return Piece(self.wire(reader))
        content = framed(reader)
        record = self._request(content) if self.session.connected else self._connect(content)
        return Piece(self.wire(reader), {"from": "client", "to": self.session.ends.get("acceptor", ""), **record})

    def _connect(self, content: JuteReader) -> dict[str, Any]:
        session = self.session
        try:
            content.integer()  # the version
            session.seen = content.long()
            content.integer()  # the time after which a session ends
            session.asked = content.long()
        except MissingError:
            raise DecodingError(f"a client begins with at least {_SHORTEST_CONNECT} bytes") from None
        session.connected = True
        return {"kind": "Connect", "session": session.asked, "seen": session.seen}

    def _request(self, content: JuteReader) -> dict[str, Any]:
        try:
            xid, number = content.integer(), content.integer()
        except MissingError:
            raise DecodingError("a request has at least 8 bytes") from None
        operation = OPERATIONS.get(number)
        if operation is None:
            raise DecodingError(f"there is no operation {number}")
        self.session.waiting.append((xid, operation))
        write = operation in WRITES
        return {
            "kind": "Ping" if xid == _PING else "Request",
            "session": self.session.id, "xid": xid, "operation": operation, "write": write,
        }  # fmt: skip


class ReplyStream(Stream):
    """What the server says."""

    def __init__(self, session: Session, question: RequestStream) -> None:
        super().__init__()
        self.session, self.requests = session, question
        self.answered = False

    def name(self) -> str:
        return "what a client was answered"

    def next(self, reader: JuteReader) -> Piece:
        if self.requests.question:
            reader.raw(len(self.buffer))
            return Piece(self.wire(reader))
        content = framed(reader)
        try:
            record = self._reply(content) if self.answered else self._connected(content)
        except MissingError:
            raise DecodingError("an answer is too short") from None
        return Piece(self.wire(reader), {"from": self.session.ends.get("acceptor", ""), "to": "client", **record})

    def _connected(self, content: JuteReader) -> dict[str, Any]:
        session = self.session
        content.integer()
        content.integer()
        session.id = content.long()
        self.answered = True
        return {"kind": "Connected", "session": session.id, "asked": session.asked, "seen": session.seen}

    def _reply(self, content: JuteReader) -> dict[str, Any]:
        xid, zxid, error = content.integer(), content.long(), content.integer()
        session = self.session
        if xid == _EVENT:
            return {"kind": "Event", "session": session.id, "zxid": zxid}
        operation = self._asked(xid)
        return {
            "kind": _ASIDE.get(xid, "Reply"), "session": session.id, "xid": xid, "zxid": zxid, "error": error,
            "operation": operation, "write": operation in WRITES, "changes": operation in WRITES and error == 0,
        }  # fmt: skip

    def _asked(self, xid: int) -> str:
        """Answers have the order of the requests, but for those that are no operations on the tree."""
        waiting = self.session.waiting
        if waiting and waiting[0][0] == xid:
            return waiting.popleft()[1]
        for each in waiting:
            if each[0] == xid and xid in (_PING, _AUTH, _SET_WATCHES):
                waiting.remove(each)
                return each[1]
        following = f"that of request {waiting[0][0]} is the next" if waiting else "nothing was asked"
        raise DecodingError(f"an answer to request {xid}, but {following}")


def is_question(data: bytes | bytearray) -> bool:
    """Whether a connection begins with a word of four letters."""
    return len(data) >= 4 and bytes(data[:4]).isalpha()


def framed(reader: JuteReader) -> JuteReader:
    length = reader.length()
    if length is None:
        raise DecodingError("a message of no length")
    return JuteReader(reader.raw(length))
