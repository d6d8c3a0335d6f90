"""The converter between TLA+ values and Python objects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.values import (
    FALSE,
    NAT,
    TRUE,
    EvaluationError,
    Fn,
    Interval,
    ModelValue,
    from_python,
    make_function,
    make_record,
    make_set,
    to_python,
)


class Role(Enum):
    LEADER = "leader"
    FOLLOWER = "follower"


class Phase(IntEnum):
    ONE = 1
    TWO = 2


class Node(Enum):
    A = ModelValue("nodeA")
    B = ModelValue("nodeB")


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass(frozen=True)
class Entry:
    term: int
    value: str


@dataclass(frozen=True)
class Server:
    role: Role
    log: tuple[Entry, ...]
    votes: frozenset[Node]
    next: "dict[str, int]"
    at: Point = Point(0)  # noqa: RUF009
    note: str | int = field(default="")


SERVER = Server(Role.LEADER, (Entry(1, "x"), Entry(2, "y")), frozenset({Node.B}), {"a": 3}, Point(1, 2), 7)


def test_a_dataclass_is_a_record() -> None:
    value = from_python(SERVER)
    assert value == make_record(
        {
            "role": "leader",
            "log": (make_record({"term": 1, "value": "x"}), make_record({"term": 2, "value": "y"})),
            "votes": make_set([ModelValue("nodeB")]),
            "next": make_record({"a": 3}),
            "at": make_record({"x": 1, "y": 2}),
            "note": 7,
        }
    )
    assert to_python(value, Server) == SERVER


def test_enums_are_what_their_members_stand_for() -> None:
    assert from_python([Role.FOLLOWER, Phase.TWO, Node.A]) == ("follower", 2, ModelValue("nodeA"))
    assert to_python("follower", Role) is Role.FOLLOWER
    assert to_python(2, Phase) is Phase.TWO
    assert to_python(ModelValue("nodeA"), Node) is Node.A


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (TRUE, bool, True),
        (3, int, 3),
        ("s", str, "s"),
        ((1, 2), list[int], [1, 2]),
        ((1, 2), tuple[int, ...], (1, 2)),
        ((1, "a"), tuple[int, str], (1, "a")),
        ((), tuple[()], ()),
        ((5, 6), dict[int, int], {1: 5, 2: 6}),
        ((), dict[str, int], {}),
        (Fn({"a": TRUE}), dict[str, bool], {"a": True}),
        (Fn({(1, 2): "x"}), Mapping[tuple[int, int], str], {(1, 2): "x"}),
        (frozenset([1, 2]), set[int], {1, 2}),
        (Interval(1, 3), frozenset[int], frozenset({1, 2, 3})),
        (frozenset([Fn({"term": 1, "value": "v"})]), set[Entry], {Entry(1, "v")}),
        (Fn({"x": 4}), Point, Point(4)),
        (1, Literal["a", 1], 1),
        ("a", int | str, "a"),
        ((1, FALSE), Any, (1, False)),
    ],
)
def test_types_that_are_asked_for(value: Any, kind: Any, expected: Any) -> None:
    found = to_python(value, kind)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (TRUE, int, "TRUE is no int"),
        (1, bool, "1 is no bool"),
        (1, Literal[True], "1 is no Literal[True]"),
        ("1", int, '"1" is no int'),
        ("s1", ModelValue, '"s1" is no ModelValue'),
        ("boss", Role, '"boss" is no Role'),
        ("nodeA", Node, '"nodeA" is no Node'),
        ((1, 2), set[int], "<<1, 2>> is no set[int]"),
        (frozenset([1]), list[int], "{1} is no list[int]"),
        ((1, "a"), list[int], 'at [2]: "a" is no int'),
        ((1,), tuple[int, int], "its length is 1"),
        (Fn({"term": 1}), Entry, "it has no value"),
        (Fn({"term": 1, "value": "v", "more": 1}), Entry, "Entry has no more"),
        (Fn({"term": "one", "value": "v"}), Entry, 'at .term: "one" is no int'),
        (frozenset([Fn({"term": "one", "value": "v"})]), set[Entry], 'at {…}.term: "one" is no int'),
        (NAT, Any, "cannot be listed"),
        (Fn({TRUE: 1, 1: 2}), Any, "TRUE and 1"),
        (frozenset([TRUE, 1]), Any, "TRUE and 1"),
        (frozenset([TRUE, 1]), set[Any], "TRUE and 1"),
    ],
)
def test_what_does_not_fit_a_type_is_refused(value: Any, kind: Any, said: str) -> None:
    with pytest.raises(EvaluationError) as error:
        to_python(value, kind)
    assert said in error.value.message
    assert error.value.id == "no-python-value"


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (None, "None has no counterpart"),
        (1.5, "a Python float has no counterpart in TLA+: 1.5"),
        ([1, {"a": b"x"}], "at [2]['a']: a Python bytes"),
        (Entry(1, None), "at .value: None"),  # type: ignore[arg-type]
        ({1.5}, "at {…}: a Python float"),
        (object, "a Python type"),
        (Entry, "a Python type"),
    ],
)
def test_what_tla_has_no_value_for_is_refused(thing: Any, said: str) -> None:
    with pytest.raises(EvaluationError) as error:
        from_python(thing)
    assert said in error.value.message
    assert error.value.id == "no-tla-value"


@pytest.mark.parametrize("kind", [float, bytes, set[list[int]], dict[list[int], int], type(None)])
def test_a_type_that_no_value_has_is_a_mistake_of_the_program(kind: Any) -> None:
    value = frozenset([(1,)]) if kind == set[list[int]] else make_function([((1,), 1)])
    with pytest.raises(TypeError):
        to_python(value, kind)


_NODES = st.sampled_from(list(Node))
_ENTRIES = st.builds(Entry, st.integers(), st.text(max_size=3))
_SERVERS = st.builds(
    Server,
    st.sampled_from(list(Role)),
    st.lists(_ENTRIES, max_size=3).map(tuple),
    st.frozensets(_NODES),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=3),
    st.builds(Point, st.integers(), st.integers()),
    st.text(max_size=2) | st.integers(),
)


@given(st.dictionaries(_NODES, _SERVERS, max_size=2))
def test_typed_round_trips(system: dict[Node, Server]) -> None:
    assert to_python(from_python(system), dict[Node, Server]) == system
