"""Parts of objects by paths, and objects made plain."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from gristmill.replay.program.paths import NotPlain, part, plain


@dataclass
class Entry:
    term: int


class Color(Enum):
    RED = "red"


class Whole:
    def __init__(self) -> None:
        self.log = [Entry(1), Entry(2)]
        self.progress = {"a": {"match": 3}, "b": {"match": 4}}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("log[0].term", 1),
        ("log[-1].term", 2),
        ("log[2].term", None),
        ("log[*].term", (1, 2)),
        ("progress.a.match", 3),
        ("progress.*.match", {"a": 3, "b": 4}),
        ("nothing.at.all", None),
    ],
)
def test_parts(path: str, expected: Any) -> None:
    assert part(Whole(), path) == expected


def test_what_is_no_path() -> None:
    for path in (".a", "a..b", "a[b]", "a["):
        with pytest.raises(ValueError, match="no path"):
            part(Whole(), path)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, (2, "x")], (1, (2, "x"))),
        ({"a": {1, 2}}, {"a": frozenset({1, 2})}),
        (Entry(3), {"term": 3}),
        (Color.RED, "red"),
        (b"ab", "ab"),
        (2.0, 2),
        (2.5, "2.5"),
        (None, None),
        (True, True),
    ],
)
def test_plain(value: Any, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


def test_what_is_not_plain() -> None:
    with pytest.raises(NotPlain, match="stands for no value"):
        plain([object()])
