"""Notes in recordings: what is missing is not taken for what did not happen."""

from __future__ import annotations

import json
import ssl
from pathlib import Path

import pytest
from live_watch import HERE

from gristmill.systems.decoders.tls import is_hello
from gristmill.watch.judging import Lost
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.recording import ANSWERED, CLOSED, DIALED, NOTE, OPENED, Chunk, write_chunk
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import watch_recordings

Step = tuple[int, int, object]  # connection, direction, what


def line(kind: str, ticket: int, number: int | None = None) -> dict[str, object]:
    ends = ("client", "lock") if number is not None else ("lock", "client")
    told: dict[str, object] = {"kind": kind, "from": ends[0], "to": ends[1], "ticket": ticket}
    return told if number is None else {**told, "number": number}


def assigned(connection: int, ticket: int) -> list[Step]:
    return [(connection, DIALED, line("Assign", 0, ticket)), (connection, ANSWERED, line("Assigned", ticket))]


def watched(folder: Path, *steps: Step) -> Watched:
    with (folder / "x.trace").open("wb") as file:
        for number, (connection, direction, what) in enumerate(steps):
            data = what if isinstance(what, bytes) else json.dumps(what).encode() + b"\n"
            write_chunk(file, Chunk(number, number, connection, direction, data))
    mapping = read_watch_map(HERE / "lock.map.toml")
    with mapping.specification:
        return watch_recordings(mapping, [folder / "x.trace"])


def open_(connection: int, **more: object) -> Step:
    return (connection, OPENED, {"name": f"link{connection}", **more})


def lost(found: Watched) -> dict[str, str]:
    return {str(each.node): each.end.why for each in found.nodes if isinstance(each.end, Lost)}


def test_nothing_is_missing(tmp_path: Path) -> None:
    found = watched(tmp_path, open_(1), *assigned(1, 1), (1, CLOSED, {}), open_(2), *assigned(2, 2))
    assert (found.verdict, found.messages) == ("ok", 4)


def test_records_are_missing(tmp_path: Path) -> None:
    """An answer out of turn may be the answer to a question that was not seen."""
    missed = {"note": "missed", "records": 7, "bytes": 700, "why": "the disk was too slow"}
    steps = [open_(1), *assigned(1, 1), (0, NOTE, missed)]
    found = watched(tmp_path, *steps, open_(2), *assigned(2, 3))
    assert (found.verdict, found.alarms) == ("incomplete", ())
    assert lost(found) == dict.fromkeys(("client", "lock"), "7 records are missing before record 3")
    assert found.trouble == ("7 records are missing before record 3 (the disk was too slow)",)
    assert watched(tmp_path, *steps[:3], open_(2), *assigned(2, 3)).verdict == "alarm"  # without the note


def test_connections_from_before_are_not_read(tmp_path: Path) -> None:
    """Of these, the middle of a message may be missing."""
    missed = (0, NOTE, {"note": "missed", "records": 1, "bytes": 9})
    found = watched(tmp_path, open_(1), *assigned(1, 1), missed, *assigned(1, 2), (9, DIALED, b"s of another"))
    assert (found.verdict, found.messages, len(found.trouble)) == ("incomplete", 2, 1)


def test_the_tap_was_restarted(tmp_path: Path) -> None:
    """Its connections have ended, and nothing went by it: half a message is no message."""
    half = (1, DIALED, b'{"kind": "Assign", "fr')
    again = (0, NOTE, {"note": "restarted"})
    found = watched(tmp_path, open_(1), *assigned(1, 1), half, again, open_(2), *assigned(2, 2))
    assert (found.verdict, found.messages) == ("ok", 4)


def test_a_connection_is_torn(tmp_path: Path) -> None:
    torn = (1, NOTE, {"note": "torn", "why": "bytes were acknowledged that have not been seen"})
    found = watched(tmp_path, open_(1), *assigned(1, 1), torn, *assigned(1, 2), open_(2), *assigned(2, 3))
    assert (found.verdict, found.alarms, found.messages) == ("incomplete", (), 4)
    assert set(lost(found)) == {"client", "lock"}
    assert "connection 1 of link link1 from record 3 on is lost from here: bytes were acknowledged" in found.trouble[0]


def test_a_torn_connection_that_has_carried_nothing(tmp_path: Path) -> None:
    """It is said, but concerns nobody who is known."""
    found = watched(tmp_path, open_(1), (1, NOTE, {"note": "torn"}), open_(2), *assigned(2, 1))
    assert (found.verdict, lost(found)) == ("incomplete", {})


def test_a_connection_was_open_before(tmp_path: Path) -> None:
    found = watched(tmp_path, open_(1, midway=True), *assigned(1, 1), open_(2), *assigned(2, 9))
    assert (found.verdict, found.alarms) == ("incomplete", ())
    assert "was open before the watching began" in found.trouble[0]


def real_hello() -> bytes:
    out = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname="example.org")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return out.read()


def test_tls_is_recognised(tmp_path: Path) -> None:
    assert is_hello(real_hello())
    found = watched(tmp_path, open_(1), (1, DIALED, real_hello()), open_(2), *assigned(2, 1))
    assert found.verdict == "incomplete"
    assert "is encrypted (TLS)" in found.trouble[0]


@pytest.mark.parametrize("data", [b"", b"\x16\x03", b'{"kind": "Assign"}', b"GET /raft HTTP/1.1\r\n", bytes(20)])
def test_what_is_no_tls(data: bytes) -> None:
    assert not is_hello(data)


def test_connections_go_past_the_tap(tmp_path: Path) -> None:
    """An answer out of turn may answer what was asked there."""
    past = (1, NOTE, {"note": "past", "address": "127.0.0.1:3888"})
    found = watched(tmp_path, open_(1), *assigned(1, 1), past, *assigned(1, 3))
    assert (found.verdict, found.alarms, set(lost(found))) == ("incomplete", (), {"client", "lock"})
    assert found.trouble[0].startswith("connections to 127.0.0.1:3888 go past the tap")
