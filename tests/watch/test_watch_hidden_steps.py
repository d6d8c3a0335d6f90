"""What may have happened unseen is looked for without keeping thousands of states, each of which may be large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from gristmill.watch.hidden_steps import shortest_explanations
from gristmill.watch.simulation import Node, State


class Large:
    """In the place of a state."""

    alive: ClassVar[int] = 0
    most: ClassVar[int] = 0

    def __init__(self, number: int) -> None:
        self.number = number
        Large.alive += 1
        Large.most = max(Large.most, Large.alive)

    def __del__(self) -> None:
        Large.alive -= 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Large) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


class Moving:
    """In the place of a node: from each state it comes to a thousand others, and in one it can send the message."""

    def __init__(self, explains: int) -> None:
        self.explains = explains
        self.asked: list[int] = []

    def moves(self, state: Large, *_: object) -> Iterator[Large]:
        return (Large(state.number + each) for each in range(1, 1_001))

    def send(self, state: Large, _: object) -> Iterator[Large]:
        self.asked.append(state.number)
        return iter([state] if state.number == self.explains else [])


def explained(node: Moving) -> list[Any]:
    start = cast(list[State], [Large(0), Large(1)])
    return list(shortest_explanations(cast(Node, node), start, {}, 1, tried=100))


def test_the_last_layer_is_looked_at_and_not_kept() -> None:
    node = Moving(explains=1_001)
    assert [each.number for each in explained(node)] == [1_001]
    assert Large.most < 120
    assert node.asked == list(range(2, 1_002))  # each once


def test_there_is_no_layer_behind_it() -> None:
    node = Moving(explains=1_500)
    assert explained(node) == []
    assert len(node.asked) == 1_000
