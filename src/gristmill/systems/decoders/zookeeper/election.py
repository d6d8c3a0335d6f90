"""The election port: notifications between two servers, each with its length in front.

Who dials says who it is. Of two servers, the one with the higher number keeps the connection that it has opened; the
other one's is closed.
"""

from __future__ import annotations

from gristmill.systems.decoders.conversation import DecodingError, Piece, Record
from gristmill.systems.decoders.jute import JuteReader, MissingError, jute_buffer, jute_int, jute_long
from gristmill.systems.decoders.zookeeper.configurations import NO_CONFIGURATION, configuration
from gristmill.systems.decoders.zookeeper.streams import Stream

FIRST_BYTES = b"\xff\xff\xff\xff\xff\xff\x00"  # -65536, or -65535 where a server may have several addresses
STATES = ("LOOKING", "FOLLOWING", "LEADING", "OBSERVING")


class ElectionStream(Stream):
    def __init__(self, ends: dict[str, str], dialed: bool) -> None:
        super().__init__()
        self.ends, self.dialed, self.introduced = ends, dialed, not dialed

    def name(self) -> str:
        return f"what the {'dialer' if self.dialed else 'acceptor'} has sent on an election port"

    def next(self, reader: JuteReader) -> Piece:
        if not self.introduced:
            return self._introduction(reader)
        length = reader.length()
        if length is None or length < 28:
            raise DecodingError(f"a notification has at least 28 bytes, not {length}")
        start = reader.at
        content = reader.raw(length)
        record = self._notification(JuteReader(content), start)
        tail = content[28:]

        def encode(changed: Record) -> bytes:
            numbers = (jute_long(int(changed[name])) for name in ("leader", "zxid", "round"))
            return jute_buffer(jute_int(STATES.index(str(changed["state"]))) + b"".join(numbers) + tail)

        return Piece(self.wire(reader), record, encode=encode)

    def _introduction(self, reader: JuteReader) -> Piece:
        version = reader.raw(8)
        self.ends["dialer"] = str(reader.long())
        address = reader.string()
        self.introduced = True
        here, there = self.ends["dialer"], self.ends.get("acceptor", "")
        record = {"kind": "INITIAL", "from": here, "to": there, "address": address}

        def encode(changed: Record) -> bytes:
            return version + jute_long(int(str(changed["from"]))) + jute_buffer(str(changed["address"]).encode())

        return Piece(self.wire(reader), record, encode=encode)

    def _notification(self, inside: JuteReader, start: int) -> Record:
        state, leader, zxid, round_ = inside.integer(), inside.long(), inside.long(), inside.long()
        if not 0 <= state < len(STATES):
            raise DecodingError(f"a server is in no state {state} (at byte {self.taken + start})")
        try:
            epoch = inside.long()
        except MissingError:  # of servers before 3.4.6
            epoch = zxid >> 32
        here, there = ("dialer", "acceptor") if self.dialed else ("acceptor", "dialer")
        return {
            "kind": "NOTIFICATION", "from": self.ends.get(here, ""), "to": self.ends.get(there, ""),
            "state": STATES[state], "leader": str(leader), "zxid": zxid, "round": round_, "epoch": epoch,
            **_configuration(inside),
        }  # fmt: skip


def _configuration(inside: JuteReader) -> Record:
    try:
        inside.integer()  # the version of the protocol
        found = inside.buffer()
    except MissingError:  # of servers before 3.5
        return NO_CONFIGURATION
    return configuration(found) if found else NO_CONFIGURATION
