"""The quorum port: a learner that has dialed its leader. Packets of Zab, one after the other, without frames.

    int type, long zxid, buffer data, vector of {string scheme, string id}

After SNAP comes the leader's database, as it is, up to an end mark. What a packet carries is decoded as far as Zab
needs it: who a learner is, epochs, the header of a transaction, and who has a vote in a configuration. A proposal of
another configuration is called RECONFIG.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import Any

from gristmill.systems.decoders.conversation import DecodingError, Piece, Record
from gristmill.systems.decoders.jute import JuteReader, MissingError, jute_buffer, jute_int, jute_long
from gristmill.systems.decoders.zookeeper.configurations import NO_CONFIGURATION, RECONFIG, configuration
from gristmill.systems.decoders.zookeeper.streams import Stream

TYPES = {
    1: "REQUEST", 2: "PROPOSAL", 3: "ACK", 4: "COMMIT", 5: "PING", 6: "REVALIDATE", 7: "SYNC", 8: "INFORM",
    9: "COMMITANDACTIVATE", 10: "NEWLEADER", 11: "FOLLOWERINFO", 12: "UPTODATE", 13: "DIFF", 14: "TRUNC", 15: "SNAP",
    16: "OBSERVERINFO", 17: "LEADERINFO", 18: "ACKEPOCH", 19: "INFORMANDACTIVATE",
}  # fmt: skip
_NUMBERS = {"RECONFIG": 2, **{name: number for number, name in TYPES.items()}}
_END_OF_SNAPSHOT = jute_buffer(b"BenWasHere")
_PROPOSAL = 2
_USUAL = {number: TYPES[number] for number in (_PROPOSAL, 3, 4, 5)}
_HEAD, _TRANSACTION = Struct(">iqi"), Struct(">qiqqi")
_NOBODY = (b"\xff\xff\xff\xff", b"\x00\x00\x00\x00")  # no credentials
_COUNTER = 0xFFFFFFFF  # the lower half of a zxid


class QuorumStream(Stream):
    """One direction. `ends`: what sender and receiver are called; learners tell it in their first packet."""

    def __init__(self, ends: dict[str, str], dialed: bool) -> None:
        super().__init__()
        self.ends, self.dialed = ends, dialed
        self.in_snapshot = False

    def name(self) -> str:
        return f"what the {'learner' if self.dialed else 'leader'} has sent on a quorum port"

    def next(self, reader: JuteReader) -> Piece:
        if self.in_snapshot:
            return self._snapshot(reader)
        number = reader.integer()
        kind = TYPES.get(number)
        if kind is None:
            raise DecodingError(f"there is no packet of type {number}")
        zxid, found = reader.long(), reader.buffer()
        credentials_at = reader.at
        reader.vector(lambda: (reader.string(), reader.string()))
        self.in_snapshot = kind == "SNAP"
        said = self._contents(kind, found)
        rest = bytes(self.buffer[credentials_at : reader.at])
        here, there = ("dialer", "acceptor") if self.dialed else ("acceptor", "dialer")
        record = {
            "kind": kind, "from": self.ends.get(here, ""), "to": self.ends.get(there, ""),
            "zxid": zxid, "epoch": zxid >> 32, "counter": zxid & _COUNTER, **said,
        }  # fmt: skip

        def encode(changed: Record) -> bytes:
            head = jute_int(_NUMBERS[str(changed["kind"])]) + jute_long(int(changed["zxid"]))
            return head + jute_buffer(found) + rest

        return Piece(self.wire(reader), record, encode=encode)

    def heard(self, data: bytes) -> Iterable[Record]:
        if self.in_snapshot or self.buffer:
            return super().heard(data)
        found, at = [], 0
        while (one := self._usual(data, at)) is not None:
            record, at = one
            found.append(record)
        if at < len(data):
            self.taken += at
            found += super().heard(data[at:])
        return found

    def _usual(self, data: bytes, at: int) -> tuple[Record, int] | None:
        """A packet of those that there are most of, as it is nearly always, and where it ends."""
        if at + _HEAD.size + len(_NOBODY[0]) > len(data):
            return None
        number, zxid, length = _HEAD.unpack_from(data, at)
        kind, inside = _USUAL.get(number), at + _HEAD.size
        end = inside + max(length, 0)
        if kind is None or length < -1 or data[end : end + 4] not in _NOBODY:
            return None
        here, there = ("dialer", "acceptor") if self.dialed else ("acceptor", "dialer")
        record = {
            "kind": kind, "from": self.ends.get(here, ""), "to": self.ends.get(there, ""),
            "zxid": zxid, "epoch": zxid >> 32, "counter": zxid & _COUNTER,
        }  # fmt: skip
        if number == _PROPOSAL:
            if length < _TRANSACTION.size:
                return None
            session, cxid, _, _, operation = _TRANSACTION.unpack_from(data, inside)
            if operation == RECONFIG:
                return None
            record |= {"session": session, "cxid": cxid, "operation": operation}
        return record, end + len(_NOBODY[0])

    def _snapshot(self, reader: JuteReader) -> Piece:
        """A value of the database may have the end mark in it: behind the right one, a packet begins."""
        at = 0
        while (at := self.buffer.find(_END_OF_SNAPSHOT, at)) >= 0:
            end = at + len(_END_OF_SNAPSHOT)
            if JuteReader(self.buffer, end).integer() in TYPES:
                reader.at, self.in_snapshot = end, False
                return Piece(self.wire(reader))
            at += 1
        raise MissingError

    def _contents(self, kind: str, data: bytes | None) -> dict[str, Any]:
        if not data:
            return NO_CONFIGURATION if kind == "NEWLEADER" else {}
        inside = JuteReader(data)
        try:
            match kind:
                case "FOLLOWERINFO" | "OBSERVERINFO":
                    self.ends["dialer"] = str(inside.long())
                    return {"server": self.ends["dialer"], "version": inside.integer()}
                case "ACKEPOCH":
                    return {"current": inside.integer()}
                case "PROPOSAL" | "INFORM":
                    return proposed(kind, inside)
                case "COMMITANDACTIVATE":
                    return {"leader": str(inside.long())}
                case "INFORMANDACTIVATE":
                    return {"leader": str(inside.long()), **proposed(kind, inside)}
                case "NEWLEADER":
                    return configuration(data)
                case "REQUEST":
                    return {"session": inside.long(), "cxid": inside.integer(), "operation": inside.integer()}
                case "REVALIDATE":
                    session = inside.long()
                    return {"session": session, "answer": inside.raw(len(data) - inside.at).hex()}
        except MissingError:
            raise DecodingError(f"the data of {kind} are too short: {data[:40].hex()}") from None
        return {}


def transaction(reader: JuteReader) -> dict[str, Any]:
    """The header of a transaction: whose it is, its place in the history, and which operation it is."""
    session, cxid, _, _, operation = reader.long(), reader.integer(), reader.long(), reader.long(), reader.integer()
    return {"session": session, "cxid": cxid, "operation": operation}


def proposed(kind: str, reader: JuteReader) -> dict[str, Any]:
    found = transaction(reader)
    if found["operation"] != RECONFIG:
        return found
    reader.string()  # the path of the configuration
    told = configuration(reader.buffer() or b"")
    return {**found, **told, "kind": "RECONFIG" if kind == "PROPOSAL" else kind}
