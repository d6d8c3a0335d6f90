"""Recordings of the ticket lock: one connection of a client, in a protocol of JSON lines."""

import json
from pathlib import Path

from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.recording import Chunk, write_chunk
from gristmill.watch.verdicts import Watched
from gristmill.watch.watching import watch_recordings

HERE = Path(__file__).parent
MAPPING = HERE / "lock.map.toml"


def record(path: Path, *messages: dict[str, object]) -> Path:
    """A line may come in two pieces."""
    with path.open("wb") as file:
        write_chunk(file, Chunk(1, 1, 7, 2, b"{}"))
        for number, message in enumerate(messages, 1):
            data = json.dumps(message).encode() + b"\n"
            direction = 0 if message["from"] == "client" else 1
            write_chunk(file, Chunk(2 * number, number, 7, direction, data[:5]))
            write_chunk(file, Chunk(2 * number + 1, number, 7, direction, data[5:]))
    return path


def ask(kind: str, ticket: int = 0, number: int = 0) -> dict[str, object]:
    return {"kind": kind, "from": "client", "to": "lock", "ticket": ticket, "number": number}


def reply(kind: str, ticket: int) -> dict[str, object]:
    return {"kind": kind, "from": "lock", "to": "client", "ticket": ticket}


ASSIGNED = (ask("Assign", number=1), reply("Assigned", 1), ask("Assign", number=2), reply("Assigned", 2))
HEALTHY = (*ASSIGNED, ask("Acquire", 1), reply("Acquired", 1), ask("Release", 1), reply("Released", 1))
OUT_OF_TURN = (*ASSIGNED, ask("Acquire", 2), reply("Acquired", 2))  # the lock is given to the second ticket first
UNASKED = (*ASSIGNED, ask("Acquire", 1), reply("Acquired", 1), reply("Released", 1))
AGAIN = (*HEALTHY, ask("Acquire", 1), reply("Acquired", 1), ask("Acquire", 1, number=1), reply("Acquired", 1))


def judged(path: Path, *messages: dict[str, object]) -> tuple[WatchMap, Watched]:
    mapping = read_watch_map(MAPPING)
    return mapping, watch_recordings(mapping, [record(path / "run.trace", *messages)])
