"""`quick_dataclass` makes what the standard library makes."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from gristmill.source.quick_dataclass import dataclass

WAYS = [
    {"frozen": True, "slots": True},
    {"slots": True},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "repr": False},
    {"frozen": True},
]


class Body:
    """What both decorate."""

    first: int
    second: str = "two"
    third: list[int] = dataclasses.field(default_factory=list, compare=False)
    fourth: Any = dataclasses.field(default=None, repr=False)

    def total(self) -> int:
        return self.first + len(self.third)


def copied(way: dict[str, bool], decorate: Callable[..., Any]) -> Any:
    return decorate(**way)(type("Body", (), dict(Body.__dict__, __qualname__="Body", **_fresh())))


def _fresh() -> dict[str, Any]:
    """A field belongs to one class."""
    return {
        "third": dataclasses.field(default_factory=list, compare=False),
        "fourth": dataclasses.field(default=None, repr=False),
    }


QUESTIONS: list[Callable[[Any], Any]] = [
    lambda one: one == type(one)(1),
    lambda one: one == 1,
    lambda one: hash(one) == hash(type(one)(one.first, one.second, [], one.fourth)),
    lambda one: one.total(),
    lambda one: dataclasses.replace(one, first=7).first,
    lambda one: dataclasses.asdict(one),
    lambda one: [field.name for field in dataclasses.fields(one)],
    lambda one: setattr(one, "first", 3),
    lambda one: one.first,
    lambda one: setattr(one, "unknown", 3),
    lambda one: delattr(one, "second"),
    lambda one: hasattr(one, "__dict__"),
    lambda one: type(one).__match_args__,
    lambda one: type(one).__doc__,
    lambda one: type(one)(),
]


def outcome(question: Callable[[Any], Any], of: Any) -> Any:
    try:
        return question(of)
    except (TypeError, AttributeError):
        return "an error"


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_like_the_standard_library(way: dict[str, bool]) -> None:
    made, expected = (copied(way, each) for each in (dataclass, dataclasses.dataclass))
    for arguments in [(1,), (1, "b"), (1, "two", [5]), (1, "two", [6], 4)]:
        ours, theirs = made(*arguments), expected(*arguments)
        assert [outcome(each, ours) for each in QUESTIONS] == [outcome(each, theirs) for each in QUESTIONS]
        assert not way.get("repr", True) or repr(made(*arguments)) == repr(expected(*arguments))


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "y", abs(self.y))


@dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = ""
    KIND: ClassVar[int] = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Weighed(Point):
    weight: int = 1


def test_what_else_classes_do() -> None:
    point = Point(1, -2)
    assert (point.y, pickle.loads(pickle.dumps(point))) == (2, point)
    match point:
        case Point(1, y):
            assert y == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    assert Named(1, 2, "a") == Named(1, -2, "a") != Named(1, 2, "b")
    assert Weighed(1, weight=4).weight == 4
    assert [field.name for field in dataclasses.fields(Weighed)] == ["x", "y", "weight"]
    assert Point(1) != Named(1)
