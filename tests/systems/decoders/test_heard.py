"""What is heard by those who only listen is what the conversation says in pieces: on recordings, however cut."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gristmill.systems.decoders import Conversation, Link, Record, decoder_called
from gristmill.watch.recording import ANSWERED, CLOSED, OPENED, Chunk, facts, read_recording

RECORDINGS = Path(__file__).parents[2] / "watch" / "recordings"
MOST = 6_000  # records


def conversations(decoder: str, chunks: list[Chunk], size: int) -> Iterator[tuple[Conversation, Chunk]]:
    """Each connection, with what goes over it in stretches of at most so many bytes."""
    made, by_number = decoder_called(decoder, {}, Path()), dict[int, Conversation]()
    for chunk in chunks:
        if chunk.direction == OPENED:
            by_number[chunk.connection] = made.conversation_on(Link(str(facts(chunk).get("name", ""))))
        elif chunk.direction < OPENED:
            for at in range(0, len(chunk.data), size):
                yield by_number[chunk.connection], chunk._replace(data=chunk.data[at : at + size])
        elif chunk.direction == CLOSED:
            by_number.pop(chunk.connection, None)


@pytest.mark.parametrize("size", [1 << 20, 23])
@pytest.mark.parametrize(
    ("decoder", "file"), [("redis-raft", "redisraft.trace.xz"), ("zookeeper", "zookeeper-3.9.3-kill.trace.xz")]
)
def test_the_same_is_heard(decoder: str, file: str, size: int) -> None:
    chunks = list(read_recording(RECORDINGS / file))[:MOST]
    said: list[Record] = []
    for link, chunk in conversations(decoder, chunks, size):
        pieces = link.answered(chunk.data) if chunk.direction == ANSWERED else link.dialed(chunk.data)
        said += [each.record for each in pieces if each.record is not None]
    heard: list[Record] = []
    for link, chunk in conversations(decoder, chunks, size):
        heard += link.heard_answered(chunk.data) if chunk.direction == ANSWERED else link.heard_dialed(chunk.data)
    assert len(said) > 100
    assert heard == said
