"""Which events are before which, against the definition, pair by pair."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from logged import MAPPING, document, mail, refused, written

from gristmill.replay.logs import read_log_mapping
from gristmill.replay.logs.lines import read_logs
from gristmill.replay.logs.order import order_of, streams_of
from gristmill.search.weave import Strands


def _order(options: str, files: list[Path]) -> tuple[list[list[int]], Any]:
    """The streams, as the numbers of their lines, and what must happen before each event."""
    with mail() as specification, specification.world.active():
        mapping = read_log_mapping(specification, *document(MAPPING.replace('kind = "event"', options)))
        streams = streams_of(mapping, read_logs(mapping, files))
        needs, _ = order_of(mapping, streams)
        return [[line.number for line in stream] for stream in streams], needs


def _logs(folder: Path, key: str, *clocks: list[Any]) -> list[Path]:
    lines = {f"n{number}": [{"event": "send", key: clock} for clock in own] for number, own in enumerate(clocks)}
    return written(folder, **lines)


def _is_possible(strands: Strands) -> bool:
    """Whether there is some order of all events."""
    position = (0,) * len(strands.events)
    while following := strands.next_at(position):
        position = tuple(at + (strand == following[0]) for strand, at in enumerate(position))
    return position == strands.end


@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize("seed", range(40))
def test_a_clock_tells_what_is_before_by_more_than_the_skew(tmp_path: Path, seed: int, number: Any) -> None:
    draw = random.Random(seed)
    skew = number(draw.choice([0, 1, 3]))
    clocks: list[list[Any]] = [[], [], []]
    for own in clocks:
        for _ in range(draw.randint(1, 6)):
            latest = max(own, default=0)
            own.append(latest + number(draw.randint(-int(skew), 4)) / number(1))
    if number is int:
        clocks = [[int(time) for time in own] for own in clocks]
    _, needs = _order(f'clock = "t"\nskew = {skew}' if skew else 'clock = "t"', _logs(tmp_path, "t", *clocks))
    for own, other in product(range(3), repeat=2):
        for at, time in enumerate(clocks[own]):
            certain = [n for n, there in enumerate(clocks[other]) if there + skew < time] if other != own else []
            assert needs[own][at][other] == (certain[-1] + 1 if certain else 0)
    assert _is_possible(Strands([[None] * len(own) for own in clocks], needs))  # type: ignore[list-item]


@pytest.mark.parametrize("seed", range(40))
def test_a_vector_clock_tells_what_is_before(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    now = [{"n0": 0, "n1": 0, "n2": 0} for _ in range(3)]
    clocks: list[list[dict[str, int]]] = [[], [], []]
    for _ in range(12):
        node = draw.randrange(3)
        if draw.random() < 0.5:  # a message
            sender = now[draw.randrange(3)]
            now[node] = {name: max(count, sender[name]) for name, count in now[node].items()}
        now[node] = {**now[node], f"n{node}": now[node][f"n{node}"] + 1}
        if draw.random() < 0.8:  # not everything is logged
            clocks[node].append({name: count for name, count in now[node].items() if count or draw.random() < 0.5})
    as_arrays = draw.random() < 0.5
    logged = [[[each.get(f"n{n}", 0) for n in range(3)] if as_arrays else each for each in own] for own in clocks]
    _, needs = _order('vector = "v"', _logs(tmp_path, "v", *logged))
    for own, other in product(range(3), repeat=2):
        for at, mine in enumerate(clocks[own]):
            before = [
                n
                for n, there in enumerate(clocks[other])
                if all(there.get(name, 0) <= mine.get(name, 0) for name in ("n0", "n1", "n2"))
                and any(there.get(name, 0) < mine.get(name, 0) for name in ("n0", "n1", "n2"))
            ]
            assert needs[own][at][other] == (len(before) if other != own else 0)
            assert other == own or before == list(range(len(before)))
    assert _is_possible(Strands([[None] * len(own) for own in clocks], needs))  # type: ignore[list-item]


def test_times_in_text_are_exact(tmp_path: Path) -> None:
    times = ["2026-01-31T12:00:00.000000001Z", "2026-01-31T13:00:00.000000002+01:00", "2026-01-31 12:00:00,000000003"]
    _, needs = _order('clock = "t"', _logs(tmp_path, "t", *([time] for time in times)))
    assert needs == [[(0, 0, 0)], [(1, 0, 0)], [(1, 1, 0)]]
    _, needs = _order('clock = "t"\nskew = 0.000000001', _logs(tmp_path, "t", *([time] for time in times)))
    assert needs == [[(0, 0, 0)], [(0, 0, 0)], [(1, 0, 0)]]


def test_large_numbers_are_not_rounded(tmp_path: Path) -> None:
    _, needs = _order('clock = "t"', _logs(tmp_path, "t", [1_700_000_000_000_000_001], [1_700_000_000_000_000_002]))
    assert needs == [[(0, 0)], [(1, 0)]]


def test_lines_of_a_node_may_stand_among_others(tmp_path: Path) -> None:
    lines = [{"event": "send", "node": name} for name in ("a", "b", "a")]
    files = written(tmp_path, first=lines, second=[{"event": "send", "node": "b"}])
    assert _order('node = "node"\norder = "node"', files)[0] == [[1, 3], [2, 1]]
    assert _order('node = "node"', files)[0] == [[1, 2, 3], [1]]


@pytest.mark.parametrize(
    ("options", "key", "clocks", "id"),
    [
        ('clock = "t"', "t", [[5, 4]], "clock-goes-back"),
        ('clock = "t"\nskew = 1', "t", [[5, 5, 4, 3]], "clock-goes-back"),
        ('clock = "t"', "t", [[1], ["2026-01-31T12:00:00Z"]], "unlike-clocks"),
        ('clock = "t"', "t", [["yesterday"]], "no-clock"),
        ('clock = "t"', "t", [["2026-02-31T12:00:00Z"]], "no-clock"),
        ('clock = "t"', "t", [[True]], "no-clock"),
        ('clock = "t"', "t", [[None]], "no-clock"),
        ('clock = "at.t"', "at", [[1]], "no-clock"),
        ('vector = "v"', "v", [[{"a": 2}, {"a": 1, "b": 1}]], "clock-goes-back"),
        ('vector = "v"', "v", [[{"a": -1}]], "no-clock"),
        ('vector = "v"', "v", [[{"a": 0.5}]], "no-clock"),
        ('vector = "v"', "v", [[7]], "no-clock"),
    ],
)
def test_clocks_that_cannot_be(tmp_path: Path, options: str, key: str, clocks: list[list[Any]], id: str) -> None:
    with refused() as found:
        _order(options, _logs(tmp_path, key, *clocks))
    assert [each.id for each in found] == [id]
    assert found[0].help


def test_equal_vector_clocks_and_equal_times_are_in_no_order(tmp_path: Path) -> None:
    _, needs = _order('vector = "v"', _logs(tmp_path, "v", [{"a": 1}], [{"a": 1, "b": 0}]))
    assert needs == [[(0, 0)], [(0, 0)]]
    _, needs = _order('clock = "t"', _logs(tmp_path, "t", [1], [1.0]))
    assert needs == [[(0, 0)], [(0, 0)]]
