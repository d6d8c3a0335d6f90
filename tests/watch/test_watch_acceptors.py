"""Whom clients have dialed is found out: by answers, by other connections, or because nobody else is left."""

from gristmill.systems.decoders import ACCEPTOR, CLIENT, Conversation, Introduction, Link, Piece, Record
from gristmill.watch.acceptors import Acceptors
from gristmill.watch.recording import ANSWERED, DIALED, Chunk

ASKS: Record = {"kind": "ClientRead", "from": CLIENT, "to": ACCEPTOR}
TELLS: Record = {"kind": "ClientReadResp", "from": ACCEPTOR, "to": CLIENT}


class Talk(Conversation):
    def __init__(self, dialer: str = "", acceptor: str = "") -> None:
        self.dialer = Introduction(dialer) if dialer else None
        self.acceptor = Introduction(acceptor) if acceptor else None

    def dialed(self, data: bytes) -> list[Piece]:
        return []

    def answered(self, data: bytes) -> list[Piece]:
        return []


def chunk(connection: int, direction: int = DIALED) -> Chunk:
    return Chunk(1, 1, connection, direction, b"")


def made() -> Acceptors:
    return Acceptors(("from", "to"), {})


def ends(acceptors: Acceptors, last: bool = False) -> list[tuple[str, str]]:
    return [found for _, _, found in acceptors.ready(last)]


def peers(source: str, target: str) -> Record:
    return {"kind": "MsgApp", "from": source, "to": target}


def test_the_first_answer_tells() -> None:
    found, talk = made(), Talk()
    found.opened(1, Link())
    found.add(chunk(1), talk, [ASKS])
    found.add(chunk(2), Talk("a", "b"), [peers("a", "b")])
    assert ends(found) == []  # what comes later waits, too: the order counts
    talk.acceptor = Introduction("a")
    found.add(chunk(1, ANSWERED), talk, [TELLS])
    assert ends(found) == [(CLIENT, "a"), ("a", "b"), ("a", CLIENT)]


def test_another_connection_to_the_same_place_tells() -> None:
    found = made()
    found.opened(1, Link("n2"))
    found.opened(2, Link("n2"))
    found.add(chunk(1), Talk(), [ASKS])
    assert ends(found) == []
    found.add(chunk(2), Talk("a", "b"), [peers("a", "b")])
    assert ends(found) == [(CLIENT, "b"), ("a", "b")]


def test_nobody_else_is_left() -> None:
    """But not before many messages have come, as there may be others."""
    found = made()
    for connection, place in ((1, "n1"), (2, "n2")):
        found.opened(connection, Link(place))
    found.add(chunk(1), Talk(), [ASKS])
    found.add(chunk(2), Talk("a", "b"), [peers("a", "b")] * 200)
    assert ends(found) == []
    found.add(chunk(2), Talk("a", "b"), [peers("a", "b")] * 100)
    assert ends(found)[0] == (CLIENT, "a")


def test_those_of_whom_nothing_tells() -> None:
    found = made()
    found.opened(1, Link("n1"))
    found.add(chunk(1), Talk(), [ASKS])
    found.add(chunk(1, ANSWERED), Talk(), [TELLS])
    assert ends(found, last=True) == []
    assert list(found.trouble) == ["connection 1"]


def test_questions_that_nobody_answers_are_no_trouble() -> None:
    found = made()
    found.opened(1, Link())
    found.add(chunk(1), Talk(), [ASKS])
    found.closed(1)
    found.add(chunk(2), Talk("a", "b"), [peers("a", "b")])
    assert ends(found) == [("a", "b")]
    assert found.trouble == {}
