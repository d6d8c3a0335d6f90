"""Local variables of a method that some thread is in, wherever that is: the thread is suspended for a moment.

[read.pending]
thread = "QuorumPeer"                     # how its name begins
method = "syncWithLeader"                 # the innermost call of it
path = "packetsNotCommitted[*].hdr.zxid"  # from a local variable; null if the thread is in no such method
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.paths import Path
from gristmill.replay.jvm.reading import Reading, Start
from gristmill.replay.jvm.tasks import Task, ask, together
from gristmill.replay.jvm.threads import Frame
from gristmill.replay.jvm.wire import Command


def read_local(machine: Machine, reading: Reading, thread_name: str, method: str, paths: Sequence[Path]) -> Task[Any]:
    """None if no thread of that name is in the method."""
    wanted = {path.first for path in paths if path.first is not None}
    for thread in (yield from _threads(machine, thread_name)):
        found = yield from _variables(machine, thread, method, wanted)
        if found is not None:
            return (yield from reading.first_of(paths, found))
    return None


def _threads(machine: Machine, name: str) -> Task[list[int]]:
    reply = yield from ask(Command(protocol.VM_ALL_THREADS))
    threads = [reply.object_id() for _ in range(reply.number())]
    names = yield from together(machine.threads.name(each) for each in threads)
    return [thread for thread, own in zip(threads, names, strict=True) if own.startswith(name)]


def _variables(machine: Machine, thread: int, method: str, wanted: Collection[str]) -> Task[dict[str, Start] | None]:
    own = machine.pack.object_id(thread)
    yield from ask(Command(protocol.THREAD_SUSPEND, own))
    try:
        found = yield from _of_thread(machine, thread, method, wanted)
    except Exception:  # not where the task is given up, as nobody would send what it asks for then
        yield from ask(Command(protocol.THREAD_RESUME, own))
        raise
    yield from ask(Command(protocol.THREAD_RESUME, own))
    return found


def _of_thread(machine: Machine, thread: int, method: str, wanted: Collection[str]) -> Task[dict[str, Start] | None]:
    frames = yield from machine.threads.frames(thread)
    names = yield from machine.threads.method_names(frames)
    if method not in names:
        return None
    return (yield from _of_frame(machine, thread, frames[names.index(method)], wanted))


def _of_frame(machine: Machine, thread: int, frame: Frame, wanted: Collection[str]) -> Task[dict[str, Start]]:
    location = frame.location
    method = yield from machine.classes.method(location.type, location.method)
    if method is None:
        return {}
    body = yield from machine.classes.body(method)
    living = [each for each in body.variables or () if each.name in wanted and each.lives_at(location.offset)]
    values = yield from machine.threads.locals(thread, frame.id, living)
    found: dict[str, Start] = dict.fromkeys(wanted)  # what has no value yet is null
    return found | {each.name: value for each, value in zip(living, values, strict=True)}
