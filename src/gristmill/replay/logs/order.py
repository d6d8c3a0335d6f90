"""Which events are known to have happened before which.

Events of one stream (a file, or a node) happened in the order of their lines. Between streams a clock may tell, with a
skew, or a vector clock; or nothing does, and any order is possible that keeps those of the streams.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any, TypeAlias

from gristmill.replay.logs.lines import ABSENT, Line, LogFile, look_up
from gristmill.replay.logs.mapping import LogMapping, Path
from gristmill.search.weave import Position
from gristmill.source import Diagnostic, SourceError

Streams: TypeAlias = list[list[Line]]
Needs: TypeAlias = list[list[Position | None]]
Vector: TypeAlias = dict[str, int]

_ISO = re.compile(r"(.*?[T ]\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:?\d\d)?", re.IGNORECASE)
_NANOSECONDS = 1_000_000_000
_CLOCK = "a clock is a number, or a time such as 2026-01-31T12:00:00.123456Z"
_VECTOR = 'a vector clock is an object of whole numbers, {"s1": 3, "s2": 1}, or an array of them'


def streams_of(mapping: LogMapping, files: Sequence[LogFile]) -> Streams:
    if mapping.streams == "file":
        return [file.lines for file in files]
    by_node: dict[str, list[Line]] = {}
    for file in files:
        for line in file.lines:
            by_node.setdefault(line.node, []).append(line)
    return list(by_node.values())


def order_of(mapping: LogMapping, streams: Streams) -> tuple[Needs | None, list[list[int]] | None]:
    """How many events of each stream come before each event; and the times by which one may guess at the rest.

    Raises `SourceError` if clocks are missing, or contradict the order of lines.
    """
    if mapping.clock is not None:
        times, skew = _times(mapping, mapping.clock, streams)
        return by_clock(streams, times, skew), times
    if mapping.vector is not None:
        return by_vector(streams, _all(streams, mapping.vector, _vector_of)), None
    return None, None


# ------------------------------------------------------------------------------------------------------------- clocks


def by_clock(streams: Streams, times: list[list[int]], skew: int) -> Needs:
    """An event is before those of other streams that are later by more than the skew.

    With clocks that go back by no more than the skew there is no cycle: each step to another stream goes forward by
    more than the skew, and no step in a stream goes back by more.
    """
    _check_times(streams, times, skew)
    # The least time from each event on: what is before an event is a beginning of a stream, with all that it contains.
    least = [_least_from_here_on(own) for own in times]
    return [
        [
            tuple(0 if other == own else bisect_left(least[other], time - skew) for other in range(len(streams)))
            for time in times[own]
        ]
        for own in range(len(streams))
    ]


def _least_from_here_on(times: list[int]) -> list[int]:
    least = list(times)
    for at in range(len(least) - 2, -1, -1):
        least[at] = min(least[at], least[at + 1])
    return least


def _check_times(streams: Streams, times: list[list[int]], skew: int) -> None:
    for stream, own in zip(streams, times, strict=True):
        latest = 0
        for at, time in enumerate(own):
            if time < own[latest] - skew:
                message = f"the clock is behind that of line {stream[latest].number}, which comes before"
                help = "say how far clocks may be off with `skew` of [log], or leave `clock` out"
                raise SourceError(Diagnostic("clock-goes-back", message, stream[at].span, help=help))
            if time > own[latest]:
                latest = at


def _times(mapping: LogMapping, clock: Path, streams: Streams) -> tuple[list[list[int]], int]:
    """Whole numbers, so that nothing is rounded: nanoseconds, of times in text, whose skew is then in seconds."""
    found = _all(streams, clock, _time_of)
    texts = {isinstance(look_up(line.fields, clock), str) for stream in streams for line in stream}
    if len(texts) > 1:
        message = "some clocks are numbers, and others are texts"
        raise SourceError(Diagnostic("unlike-clocks", message, mapping.span, help=_CLOCK))
    if texts == {True}:
        return found, round(mapping.skew * _NANOSECONDS)
    unit = max(_denominator(time) for time in (mapping.skew, *(time for own in found for time in own)))
    return [[_whole(time, unit) for time in own] for own in found], _whole(mapping.skew, unit)


def _denominator(time: int | float) -> int:
    """A power of two: the greatest of several is a multiple of all."""
    return time.as_integer_ratio()[1]


def _whole(time: int | float, unit: int) -> int:
    numerator, denominator = time.as_integer_ratio()
    return numerator * (unit // denominator)


def _time_of(thing: Any) -> int | float | None:
    if isinstance(thing, str):
        return _nanoseconds(thing)
    if isinstance(thing, bool) or not isinstance(thing, int | float) or not isfinite(thing):
        return None
    return thing


def _nanoseconds(text: str) -> int | None:
    """Exactly: what has nine digits after the point is not rounded to six."""
    found = _ISO.fullmatch(text.strip())
    if found is None:
        return None
    try:
        time = datetime.fromisoformat(found[1] + (found[3] or "").upper().replace("Z", "+00:00"))
    except ValueError:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    since = time - datetime(1970, 1, 1, tzinfo=UTC)
    fraction = (found[2] or "").ljust(9, "0")[:9]
    return (since.days * 86_400 + since.seconds) * _NANOSECONDS + int(fraction)


# ------------------------------------------------------------------------------------------------------ vector clocks


def by_vector(streams: Streams, vectors: list[list[Vector]]) -> Needs:
    """An event is before those of other streams with a greater vector, of which no part is less."""
    for stream, own in zip(streams, vectors, strict=True):
        for at in range(1, len(own)):
            if not _at_most(own[at - 1], own[at]):
                message = (
                    f"the vector clock is not that of line {stream[at - 1].number}, which comes before, or greater"
                )
                help = "the lines of a node are in order; is this file the log of several nodes? see `order` of [log]"
                raise SourceError(Diagnostic("clock-goes-back", message, stream[at].span, help=help))
    return [
        [
            tuple(0 if other == own else _before(vectors[other], vector) for other in range(len(streams)))
            for vector in vectors[own]
        ]
        for own in range(len(streams))
    ]


def _before(others: list[Vector], vector: Vector) -> int:
    """How many of them are less: a beginning, as they grow."""
    return bisect_left(others, True, key=lambda other: not (_at_most(other, vector) and other != vector))


def _at_most(a: Vector, b: Vector) -> bool:
    return all(count <= b.get(name, 0) for name, count in a.items())


def _vector_of(thing: Any) -> Vector | None:
    items = enumerate(thing) if isinstance(thing, list) else thing.items() if isinstance(thing, dict) else ()
    found = {str(name): count for name, count in items}
    if not isinstance(thing, list | dict) or any(type(count) is not int or count < 0 for count in found.values()):
        return None
    return {name: count for name, count in found.items() if count}


def _all(streams: Streams, keys: Path, of: Callable[[Any], Any]) -> list[list[Any]]:
    """What stands at these keys in each line. Raises `SourceError` where there is nothing of the kind."""
    found = []
    for stream in streams:
        own = []
        for line in stream:
            thing = look_up(line.fields, keys)
            value = None if thing is ABSENT else of(thing)
            if value is None:
                said = "has no clock" if thing is ABSENT else "has something else than a clock"
                message, help = f"this event {said} at `{'.'.join(keys)}`", _VECTOR if of is _vector_of else _CLOCK
                raise SourceError(Diagnostic("no-clock", message, line.span, help=help))
            own.append(value)
        found.append(own)
    return found
