"""Messages heard by native code, beside the same records read by the decoders in Python: the same must come of both.

    python tests/watch/heard_twin.py MAPPING RECORDING… [--seeds 20] [--records 3000]

Each recording as it is, and then parts of it whose records are cut and put together otherwise, broken off, and changed.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from gristmill.systems.decoders.listening import ITEM
from gristmill.values import FALSE, TRUE, Fn, Value
from gristmill.watch.ear import Ear
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.packed import Packed
from gristmill.watch.recording import ANSWERED, DIALED, HEAD, Chunk, read_recording

_AT_ONCE = 400  # records of a block


def compared(mapping: WatchMap, chunks: Sequence[Chunk]) -> tuple[int, int]:
    """In the world of the specification. How many messages there were, and how many of them native code has heard."""
    usual, fast = Reading(mapping), Reading(mapping)
    heard, unpacked = _heard(fast, chunks)
    expected = []
    for chunk in _read_by(usual, chunks):
        expected += chunk
    assert len(unpacked) == len(expected)
    for one, other in zip(unpacked, expected, strict=True):
        if isinstance(one, Message):
            assert isinstance(other, Message)
            assert one == other
            assert _plain(one.raw) == _plain(other.raw)
        else:
            assert one == other
    for name in ("names", "trouble", "ignored", "count"):
        assert getattr(usual, name) == getattr(fast, name), name
    return usual.count, heard


def _read_by(reading: Reading, chunks: Sequence[Chunk]) -> Iterator[list[object]]:
    """Messages, and what is not seen, in their order."""
    for message in reading.messages(chunks):
        yield [*reading.taken_unseen(), message]
    yield [*reading.taken_unseen()]


def _heard(reading: Reading, chunks: Sequence[Chunk]) -> tuple[int, list[object]]:
    ear, count, found = Ear(reading), 0, list[object]()
    unpacking = ear.unpacking()
    assert unpacking is not None
    for each in ear.messages(blocks(chunks)):
        found += reading.taken_unseen()
        if isinstance(each, Message):
            found.append(each)
            continue
        messages = [unpacking.message(each, item.start) for item in unpacking.items(each)]
        assert len(messages) == each.count
        for item, message in zip(unpacking.items(each), messages, strict=True):
            assert made_of_numbers(each, item.start, message.record) == message.record
        found += messages
        count += each.count
    found += reading.taken_unseen()
    return count, found


def blocks(chunks: Sequence[Chunk]) -> Iterator[bytes]:
    coming = iter(chunks)
    while some := list(islice(coming, _AT_ONCE)):
        yield b"".join(HEAD.pack(*each[:4], len(each.data)) + each.data for each in some)


def made_of_numbers(packed: Packed, start: int, like: Value) -> Value:
    """The record that native code makes of an item; what is the same in all of its route is taken from another one."""
    _, id, _, _, _, count, _ = ITEM.unpack_from(packed.data, start)
    at = start + ITEM.size
    numbers = iter(int.from_bytes(packed.data[at + 8 * i : at + 8 * i + 8], "little") for i in range(count))
    assert type(like) is Fn
    fields, values = list(like), list(like.values())
    for each in packed.routes[id].recipe.differ:
        if each.element is None:
            values[each.place] = _value(next(numbers), each.is_truth)
            continue
        names, usual, differ = each.element
        elements = []
        for _ in range(next(numbers)):
            element = list(usual)
            for place, is_truth in differ:
                element[place] = _value(next(numbers), is_truth)
            elements.append(Fn(dict(zip(names, element, strict=True))))
        values[each.place] = tuple(elements)
    assert next(numbers, None) is None
    return Fn(dict(zip(fields, values, strict=True)))


def _value(number: int, is_truth: bool) -> Value:
    return (TRUE if number else FALSE) if is_truth else number


def _plain(value: Any) -> Any:
    """Entries are of another type where little is asked of them."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return {name: _plain(each) for name, each in value.items()} if hasattr(value, "items") else value


# ------------------------------------------------------------------------------------------------------ other records


def changed(chunks: Sequence[Chunk], chance: random.Random, damage: bool) -> list[Chunk]:
    """The same bytes in other records; with `damage`, some of them are lost, changed or put in."""
    found: list[Chunk] = []
    finely = chance.random() < 0.2
    for chunk in chunks:
        if chunk.direction not in (DIALED, ANSWERED):
            found.append(chunk)
            continue
        data = chunk.data
        if damage and chance.random() < 0.002:
            data = _damaged(data, chance)
        last = found[-1] if found else None
        if last is not None and last[2:4] == chunk[2:4] and chance.random() < 0.5:
            found[-1] = last._replace(data=last.data + data)
            continue
        for part in _cut(data, chance, finely):
            found.append(chunk._replace(data=part))
    return found


def _cut(data: bytes, chance: random.Random, finely: bool) -> list[bytes]:
    if finely and len(data) < 200:
        return [data[at : at + 1] for at in range(len(data))]
    places = sorted(chance.randrange(len(data) + 1) for _ in range(chance.choice((0, 0, 0, 1, 3)))) if data else []
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def _damaged(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    match chance.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + chance.randbytes(chance.randrange(1, 20)) + data[at:]
        case 2:
            return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        case _:
            return data[:at] + chance.choice((b"\0", b"\xff" * 8, b"\r\n", b"0\r\n\r\n", b"\x80")) + data[at:]


def tried(mapping: WatchMap, chunks: Sequence[Chunk], seeds: range, records: int) -> tuple[int, int]:
    """Parts of a recording changed at random: how many messages there were, and how many native code has heard."""
    messages = heard = 0
    for seed in seeds:
        chance = random.Random(seed)
        start = 0 if chance.random() < 0.7 else chance.randrange(len(chunks))
        part = changed(chunks[start : start + records], chance, damage=seed % 2 == 1)
        counts = compared(mapping, part)
        messages, heard = messages + counts[0], heard + counts[1]
    return messages, heard


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("mapping")
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--records", type=int, default=3_000)
    options = parser.parse_args()
    mapping = read_watch_map(options.mapping)
    with mapping.specification.world.active():
        for file in options.recordings:
            chunks = list(read_recording(file))
            messages, heard = compared(mapping, chunks)
            print(f"{file.name}: the same {messages:,} messages, {heard:,} by native code", flush=True)
            messages, heard = tried(mapping, chunks, range(options.seeds), options.records)
            print(f"  {options.seeds} times changed: {messages:,}, {heard:,} by native code", flush=True)


if __name__ == "__main__":
    main()
