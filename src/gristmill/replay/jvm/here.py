"""What has a name where a thread is held: `this`, local variables, the callers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gristmill.replay.jvm.classfile import Variable
from gristmill.replay.jvm.reading import Start
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.threads import Frame, Threads

_OF_THE_STACK = ("this", "caller", "callers")
SPECIAL = (*_OF_THE_STACK, "thread")


def starts(
    threads: Threads, thread: int, variables: Sequence[Variable], wanted: Collection[str]
) -> Task[dict[str, Start]]:
    """The values of those of the wanted names that there are, in two round trips at most."""
    tasks: list[Task[dict[str, Start]]] = []
    if "thread" in wanted:
        tasks.append(_thread(threads, thread))
    chosen = [each for each in variables if each.name in wanted and each.name not in SPECIAL]
    if chosen or any(name in wanted for name in _OF_THE_STACK):
        tasks.append(_of_stack(threads, thread, chosen, wanted))
    found: dict[str, Start] = {}
    for each in (yield from together(tasks)):
        found |= each
    return found


def _thread(threads: Threads, thread: int) -> Task[dict[str, Start]]:
    return {"thread": (yield from threads.name(thread))}


def _of_stack(
    threads: Threads, thread: int, chosen: Sequence[Variable], wanted: Collection[str]
) -> Task[dict[str, Start]]:
    frames = yield from threads.frames(thread)
    tasks = [_locals(threads, thread, frames[0], chosen)]
    if "this" in wanted:
        tasks.append(_this(threads, thread, frames[0]))
    if "caller" in wanted or "callers" in wanted:
        tasks.append(_callers(threads, frames[1:]))
    found: dict[str, Start] = {}
    for each in (yield from together(tasks)):
        found |= each
    return found


def _locals(threads: Threads, thread: int, frame: Frame, chosen: Sequence[Variable]) -> Task[dict[str, Start]]:
    values = yield from threads.locals(thread, frame.id, chosen)
    return {variable.name: value for variable, value in zip(chosen, values, strict=True)}


def _this(threads: Threads, thread: int, frame: Frame) -> Task[dict[str, Start]]:
    return {"this": (yield from threads.this(thread, frame.id))}


def _callers(threads: Threads, frames: Sequence[Frame]) -> Task[dict[str, Start]]:
    names = yield from threads.method_names(frames)
    return {"caller": names[0] if names else None, "callers": tuple(names)}
