"""What has arrived, as it is and as it was: beside plain copies."""

from __future__ import annotations

import random
import tracemalloc

from gristmill.watch.arrivals import Arrivals, arrivals


def copied(waiting: dict[str, int], record: str, number: int, most: int) -> dict[str, int]:
    waiting = {each: value for each, value in waiting.items() if each != record} | {record: number}
    if len(waiting) > most:
        del waiting[next(iter(waiting))]
    return waiting


def test_all_of_them_are_as_copies_would_be() -> None:
    for seed in range(200):
        chance = random.Random(seed)
        every: list[tuple[Arrivals, dict[str, int]]] = [(Arrivals(), {})]
        most = chance.randrange(1, 12)
        for number in range(chance.randrange(1, 80)):
            # Mostly from the newest one on, as a monitor does it; now and then from one before.
            now, plain = every[-1] if chance.random() < 0.95 else chance.choice(every)
            most = max(len(plain), chance.choice((most, most + 1, max(1, most - 1))))
            record = chance.choice("abcdefghijklmno")
            every.append((now.with_arrived(record, number, most), copied(plain, record, number, most)))
            for found, expected in chance.sample(every, min(3, len(every))):
                assert list(found.items()) == list(expected.items())
                assert len(found) == len(expected)
        for found, expected in every:
            assert list(found.items()) == list(expected.items())
            assert list(arrivals(expected).items()) == list(expected.items())


def test_thousands_of_them_take_little_memory() -> None:
    """A node that is behind by 4,096 messages: each is kept, with what had arrived before it."""
    tracemalloc.start()
    now, kept = Arrivals(), []
    for number in range(8_000):
        now = now.with_arrived(f"record {number}", number, 4_160)
        kept.append(now)
        del kept[:-4_288]
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(now) == 4_160
    assert used < 8 << 20
