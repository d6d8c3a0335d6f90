"""Questions to a machine as generators, so that many of them share a round trip.

A task yields the commands that it has now, gets their answers, and goes on; what it returns is its result. `together`
runs tasks side by side: whatever they ask at the same time is sent at the same time. So a path over a collection of a
hundred elements takes as many round trips as one over a single element, and a dozen variables as many as the longest.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeAlias, TypeVar

from gristmill.replay.jvm.connection import Connection, NoAnswer, Pending
from gristmill.replay.jvm.protocol import CLASS_INVOKE_METHOD, CLASS_NEW_INSTANCE, OBJECT_INVOKE_METHOD
from gristmill.replay.jvm.wire import Command, Reply, Sizes

T = TypeVar("T")
Task: TypeAlias = Generator[list[Command], list[Reply], T]

_INVOKES = (CLASS_INVOKE_METHOD, CLASS_NEW_INSTANCE, OBJECT_INVOKE_METHOD)
INVOKE_SECONDS = 10.0  # for a method to come back
NO_ANSWER = -1  # an error of ours


def ask(command: Command) -> Task[Reply]:
    """Raises `JdwpError`, as `ask_all` does."""
    (reply,) = yield [command]
    return reply.checked()


def ask_all(commands: list[Command]) -> Task[list[Reply]]:
    if not commands:
        return []
    return [reply.checked() for reply in (yield commands)]


def together(tasks: Iterable[Task[T]]) -> Task[list[T]]:
    """The results of all tasks, in their order.

    If some fail, the others go on to their ends all the same, as a thread that they have suspended, or that calls a
    method for them, must not be left behind. Then the first error is raised.
    """
    results: dict[int, T] = {}
    errors: dict[int, Exception] = {}
    waiting: list[tuple[int, Task[T], list[Command]]] = []

    def go_on(number: int, task: Task[T], replies: list[Reply] | None) -> None:
        try:
            waiting.append((number, task, next(task) if replies is None else task.send(replies)))
        except StopIteration as end:
            results[number] = end.value
        except Exception as error:
            errors[number] = error

    for number, task in enumerate(tasks):
        go_on(number, task, None)
    while waiting:
        asked, waiting = waiting, []
        replies = yield [command for _, _, commands in asked for command in commands]
        at = 0
        for number, task, commands in asked:
            go_on(number, task, replies[at : at + len(commands)])
            at += len(commands)
    if errors:
        raise errors[min(errors)]
    return [results[number] for number in sorted(results)]


def done(value: T) -> Task[T]:
    """A task that has nothing to ask."""
    return value
    yield []


def run(connection: Connection, task: Task[T]) -> T:
    """Raises `JdwpError`, `Disconnected`, `NoAnswer`."""
    try:
        commands = next(task)
        while True:
            commands = task.send(_answers(connection, commands))
    except StopIteration as end:
        result: T = end.value
        return result


def _answers(connection: Connection, commands: list[Command]) -> list[Reply]:
    """A thread can call one method at a time, so calls are made one after the other."""
    if not any(command.number in _INVOKES for command in commands):
        return connection.ask(commands)
    plain = [command for command in commands if command.number not in _INVOKES]
    replies = iter(connection.ask(plain))
    return [_called(connection, each) if each.number in _INVOKES else next(replies) for each in commands]


class Late(Reply):
    """In place of an answer that has not come. It may still come."""

    __slots__ = ("pending",)

    def __init__(self, pending: Pending) -> None:
        super().__init__(b"", Sizes(), NO_ANSWER)
        self.pending = pending


def _called(connection: Connection, command: Command) -> Reply:
    pending = connection.send([command])
    try:
        return connection.wait(pending, INVOKE_SECONDS)[0]
    except NoAnswer:
        return Late(pending)
