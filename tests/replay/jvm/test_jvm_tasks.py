"""Tasks side by side: what they ask at the same time is asked at once."""

import pytest

from gristmill.replay.jvm.tasks import Task, done, together
from gristmill.replay.jvm.wire import Command, Reply, Sizes

Asked = list[list[int]]


def driven(task: Task[list[str]], asked: Asked) -> list[str]:
    """Every command is answered by its number, in a reply."""
    try:
        commands = next(task)
        while True:
            asked.append([each.number[1] for each in commands])
            commands = task.send([Reply(bytes([each.number[1]]), Sizes()) for each in commands])
    except StopIteration as end:
        found: list[str] = end.value
        return found


def asking(name: str, *numbers: int, ends: list[str] | None = None) -> Task[str]:
    heard = []
    for number in numbers:
        (reply,) = yield [Command((1, number))]
        heard.append(str(reply.byte()))
    if ends is not None:
        ends.append(name)
    return f"{name} {' '.join(heard)}"


def failing(*numbers: int) -> Task[str]:
    yield from asking("failing", *numbers)
    raise LookupError(f"after {len(numbers)}")


def test_round_trips_are_shared() -> None:
    asked: Asked = []
    tasks = [asking("a", 1, 2, 3), done("b"), asking("c", 4), asking("d", 5, 6)]
    assert driven(together(tasks), asked) == ["a 1 2 3", "b", "c 4", "d 5 6"]
    assert asked == [[1, 4, 5], [2, 6], [3]]


def test_tasks_inside_of_tasks() -> None:
    def inner(*names: str) -> Task[str]:
        return "+".join((yield from together(asking(name, 1, 2) for name in names)))

    asked: Asked = []
    assert driven(together([inner("a", "b"), inner("c")]), asked) == ["a 1 2+b 1 2", "c 1 2"]
    assert asked == [[1, 1, 1], [2, 2, 2]]


def test_the_others_come_to_their_ends_if_one_fails() -> None:
    ends: list[str] = []
    asked: Asked = []
    tasks = [asking("a", 1, 2, 3, ends=ends), failing(4, 5), failing(6), asking("b", 7, ends=ends)]
    with pytest.raises(LookupError, match="after 2"):
        driven(together(tasks), asked)
    assert ends == ["b", "a"]
    assert asked == [[1, 4, 6, 7], [2, 5], [3]]


def test_nothing_to_do() -> None:
    asked: Asked = []
    assert driven(together([]), asked) == []
    assert asked == []
