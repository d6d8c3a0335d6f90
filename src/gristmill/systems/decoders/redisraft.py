"""Redis Raft: RESP on one port, from servers and from clients. Commands of servers are Raft:

    RAFT.AE to from leader:term:prev:prevTerm:commit:number count {term:id:session:type data}…  -> MsgApp
      [term, success, last, number]                                                             -> MsgAppResp
    RAFT.REQUESTVOTE to from prevote:term:candidate:last:lastTerm                               -> MsgVote, MsgPreVote
      [prevote, asked, term, granted]                                                           -> MsgVoteResp, …
    RAFT.SNAPSHOT to from term:leader:number:index:indexTerm:offset:isLast data                 -> MsgSnap
    RAFT.TIMEOUT_NOW, on a connection that has carried others of these                          -> MsgTimeoutNow

    {"kind": "MsgApp", "from": "309831315", "to": …, "term": 1, "index": 6, "logTerm": 1, "commit": 6, "token": 70,
     "entries": ({"term": 1, "id": 1528105259, "type": "normal", "data": "*0…", "asks": "SET k1 1-1", "change": "none",
     "member": None},)}
    {"kind": "MsgAppResp", …, "term": 1, "index": 7, "reject": False, "token": 70}
    {"kind": "ClientWrite", "from": "client", "to": …, "id": "3.1", "asks": "SET k1 1-1"}

The rest are of clients: `ClientWrite`, `ClientRead`, their answers `ClientWriteResp`, `ClientReadResp`, or
`ClientRefused` (MOVED and other errors); RAFT.NODE ADD and REMOVE, of servers that want to join or shall leave,
`ClientJoin` and `ClientLeave`, answered by `ClientJoined` and `ClientLeft`; `ClientOther`. Each has an `id`. What has
no answer when the connection ends is `ClientGone`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

from gristmill.systems.decoders.conversation import (
    ACCEPTOR,
    CLIENT,
    Conversation,
    Decoder,
    DecodingError,
    Introduction,
    Piece,
    Record,
)
from gristmill.systems.decoders.resp import RespConversation

_TYPES = ("normal", "add nonvoting", "add", "remove", "no-op")
_CHANGES = {"add nonvoting": "learner", "add": "add", "remove": "remove"}
_READS = frozenset(
    "GET MGET GETRANGE STRLEN EXISTS TYPE TTL PTTL HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS LRANGE LLEN LINDEX "
    "SMEMBERS SISMEMBER SMISMEMBER SCARD ZRANGE ZSCORE ZCARD ZRANK ZCOUNT GETBIT BITCOUNT KEYS DBSIZE".split()
)
_WRITES = frozenset(
    "SET SETNX SETEX PSETEX MSET MSETNX GETSET GETDEL GETEX APPEND INCR INCRBY INCRBYFLOAT DECR DECRBY SETRANGE SETBIT "
    "DEL UNLINK RENAME RENAMENX EXPIRE PEXPIRE EXPIREAT PERSIST HSET HMSET HSETNX HDEL HINCRBY LPUSH RPUSH LPUSHX "
    "RPUSHX LPOP RPOP LSET LTRIM LREM LINSERT RPOPLPUSH LMOVE SADD SREM SPOP SMOVE ZADD ZREM ZINCRBY ZPOPMIN ZPOPMAX "
    "FLUSHALL FLUSHDB".split()
)

Answer: TypeAlias = Callable[[Record], Record | None]  # what the reply to a command means


class RedisRaft(Decoder):
    """`reads`, `writes`: commands of clients besides the usual ones."""

    def __init__(self, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> None:
        self.reads = _READS | {each.upper() for each in reads}
        self.writes = _WRITES | {each.upper() for each in writes}
        self.connections = 0

    def conversation(self, taking: bool = False) -> Conversation:
        self.connections += 1
        return _RedisRaft(self, self.connections)


class _RedisRaft(Conversation):
    def __init__(self, decoder: RedisRaft, number: int) -> None:
        self.decoder, self.number = decoder, number
        self.resp = RespConversation(lambda data: data.decode("utf-8", "surrogateescape"))
        self.waiting: deque[Answer] = deque()
        self.asked = self.term = 0  # the term: that the dialer has last said
        self.open: dict[str, None] = {}  # what clients have asked, and nobody has answered

    def dialed(self, data: bytes) -> list[Piece]:
        return [Piece(each.wire, self._said(each.record)) for each in self.resp.dialed(data)]

    def answered(self, data: bytes) -> list[Piece]:
        return [Piece(each.wire, self._replied(each.record)) for each in self.resp.answered(data)]

    def heard_dialed(self, data: bytes) -> list[Record]:
        found = [self._said(each) for each in self.resp.heard_dialed(data)]
        return [each for each in found if each is not None]

    def heard_answered(self, data: bytes) -> list[Record]:
        found = [self._replied(each) for each in self.resp.heard_answered(data)]
        return [each for each in found if each is not None]

    def closed(self) -> list[Piece]:
        return [Piece(b"", self._of_client("ClientGone", name)) for name in self.open]

    def _said(self, command: Record | None) -> Record | None:
        if command is None:
            return None
        words = command["words"]
        match command["kind"]:
            case "RAFT.AE":
                return self._append(words)
            case "RAFT.REQUESTVOTE":
                return self._vote(words)
            case "RAFT.SNAPSHOT":
                return self._snapshot(words)
            case "RAFT.TIMEOUT_NOW" if self.dialer is not None and self.acceptor is not None:
                self.waiting.append(lambda _: None)
                ends = {"from": self.dialer.name, "to": self.acceptor.name}
                return {"kind": "MsgTimeoutNow", **ends, "term": self.term}
            case "AUTH" | "PING" | "RAFT.NODESHUTDOWN":
                self.waiting.append(lambda _: None)
                return None
        return self._asked(command["kind"], words)

    def _replied(self, reply: Record | None) -> Record | None:
        if reply is None:
            return None
        if not self.waiting:
            raise DecodingError("an answer to no command: does the recording begin in the middle of this connection?")
        return self.waiting.popleft()(reply)

    # --------------------------------------------------------------------------------------------------------- servers

    def _ends(self, words: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Of a command, and of its answer."""
        target, source = words[1], words[2]
        if self.acceptor is None or self.dialer is None or (self.acceptor.name, self.dialer.name) != (target, source):
            self.acceptor, self.dialer = Introduction(target), Introduction(source)
        return {"from": source, "to": target}, {"from": target, "to": source}

    def _append(self, words: tuple[str, ...]) -> Record:
        there, back = self._ends(words)
        _, term, prev, prev_term, commit, token = _numbers(words[3], 6)
        self.term = term
        entries = tuple([_entry(head, data) for head, data in zip(words[5::2], words[6::2], strict=True)])
        if len(entries) != int(words[4]):
            raise DecodingError(f"RAFT.AE announces {words[4]} entries and has {len(entries)}")

        def answer(reply: Record) -> Record | None:
            if "error" in reply:
                return None
            term, success, last, token = reply["value"]
            return {"kind": "MsgAppResp", **back, "term": term, "index": last, "reject": not success, "token": token}

        self.waiting.append(answer)
        return {
            "kind": "MsgApp", **there, "term": term, "index": prev, "logTerm": prev_term, "commit": commit,
            "token": token, "entries": entries,
        }  # fmt: skip

    def _vote(self, words: tuple[str, ...]) -> Record:
        there, back = self._ends(words)
        before, term, _, last, last_term = _numbers(words[3], 5)
        kind = "MsgPreVote" if before else "MsgVote"

        def answer(reply: Record) -> Record | None:
            if "error" in reply:
                return None
            before, asked, own, granted = reply["value"]
            term = asked if before and granted else own  # what it would vote for, if it would
            return {"kind": f"{'MsgPreVote' if before else 'MsgVote'}Resp", **back, "term": term, "reject": not granted}

        self.waiting.append(answer)
        return {"kind": kind, **there, "term": term, "index": last, "logTerm": last_term}

    def _snapshot(self, words: tuple[str, ...]) -> Record | None:
        """It comes in chunks, of which the last one counts."""
        there, back = self._ends(words)
        term, _, token, index, index_term, _, is_last = _numbers(words[3], 7)

        def answer(reply: Record) -> Record | None:
            if "error" in reply or not is_last:
                return None
            own = reply["value"][0 if len(reply["value"]) == 5 else 2]  # later versions say two things before it
            return {"kind": "MsgSnapResp", **back, "term": own, "index": index, "token": token}

        self.waiting.append(answer)
        snapshot = {"index": index, "term": index_term}
        return {"kind": "MsgSnap", **there, "term": term, "token": token, "snapshot": snapshot} if is_last else None

    # --------------------------------------------------------------------------------------------------------- clients

    def _asked(self, name: str, words: tuple[str, ...]) -> Record:
        self.asked += 1
        id = f"{self.number}.{self.asked}"
        kind, about = self._kind(name, words)
        if kind != "ClientOther":
            self.open[id] = None
        self.waiting.append(lambda reply: self._answer(kind, id, about, reply))
        return self._of_client(kind, id, **about)

    def _kind(self, name: str, words: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
        if name in self.decoder.writes:
            return "ClientWrite", {"asks": " ".join((name, *words[1:]))}
        if name in self.decoder.reads:
            return "ClientRead", {}
        if name == "RAFT.NODE" and len(words) > 2:
            change = words[1].upper()
            if change == "ADD":
                return "ClientJoin", {}
            return "ClientLeave", {"member": words[2]}
        return "ClientOther", {"command": name}

    def _of_client(self, kind: str, id: str, **about: Any) -> Record:
        return {"kind": kind, "from": CLIENT, "to": ACCEPTOR, "id": id, **about}

    def _answer(self, kind: str, id: str, about: Record, reply: Record) -> Record:
        self.open.pop(id, None)
        ends = {"from": ACCEPTOR, "to": CLIENT, "id": id}
        if kind == "ClientOther":
            return {"kind": "ClientOtherResp", **ends}
        if "error" in reply:
            return {"kind": "ClientRefused", **ends, "error": reply["error"]}
        if kind == "ClientJoin":
            value = reply["value"]
            return {"kind": "ClientJoined", **ends, "member": str(value[0] if isinstance(value, tuple) else value)}
        if kind == "ClientLeave":
            return {"kind": "ClientLeft", **ends, **about}
        return {"kind": f"{kind}Resp", **ends}


def _numbers(text: str, count: int) -> list[int]:
    parts = text.split(":")
    try:
        found = [int(each) for each in parts]
    except ValueError:
        found = []
    if len(found) != count:
        raise DecodingError(f"{count} numbers are expected in {text[:60]!r}: is this another version of Redis Raft?")
    return found


def _entry(head: str, data: str) -> Record:
    """Versions before sessions leave out the third number."""
    numbers = _numbers(head, head.count(":") + 1)
    if len(numbers) not in (3, 4):
        raise DecodingError(f"{head[:60]!r} is no entry of Redis Raft")
    kind = _TYPES[numbers[-1]] if 0 <= numbers[-1] < len(_TYPES) else f"type {numbers[-1]}"
    change = _CHANGES.get(kind, "none")
    return {
        "term": numbers[0], "id": numbers[1], "type": kind, "data": data,
        "asks": _commands(data) if kind == "normal" else "",
        "change": change,
        "member": None if change == "none" else _member(data),
    }  # fmt: skip


def _member(data: str) -> str:
    """The entry begins with the number of the server, as a little-endian word."""
    raw = data.encode("utf-8", "surrogateescape")
    return str(int.from_bytes(raw[:4], "little"))


def _commands(data: str) -> str:
    """`*1 *3 $3 SET $2 k1 $1 v` in lines, after two that are of access control: commands, each a number of words."""
    lines = data.split("\n")
    words, at, first = [], 0, 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("$"):
            words.append(lines[at + 1] if at + 1 < len(lines) else "")
            at += 1
        elif line.startswith("*"):
            first += 1
        at += 1
    return " ".join(words[1:] if first > 2 else words)
