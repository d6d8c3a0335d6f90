"""Threads of a running machine: names, what they are doing, their frames and local variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.classes import Classes
from gristmill.replay.jvm.classfile import Variable
from gristmill.replay.jvm.descriptors import short
from gristmill.replay.jvm.tasks import Task, ask, ask_all, together
from gristmill.replay.jvm.wire import Command, Location, Packer, Reply, Value

_INTERNAL_GROUPS = ("system", "InnocuousThreadGroup")
OF_THE_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


class Frame(NamedTuple):
    id: int
    location: Location


class Call(NamedTuple):
    """A frame for people. `line` is 0 if it is not known."""

    class_name: str
    method: str
    line: int

    def __str__(self) -> str:
        return f"{short(self.class_name)}.{self.method}" + (f":{self.line}" if self.line else "")

    @property
    def of_the_jdk(self) -> bool:
        return self.class_name.startswith(OF_THE_JDK)


class Doing(NamedTuple):
    """What a thread is doing."""

    thread: int
    name: str
    state: str
    internal: bool  # of the machine itself, not of the program
    stack: list[Call]


class Threads:
    def __init__(self, classes: Classes, pack: Packer) -> None:
        self._classes, self._pack = classes, pack

    def name(self, thread: int) -> Task[str]:
        return (yield from ask(Command(protocol.THREAD_NAME, self._pack.object_id(thread)))).text()

    def resume(self, thread: int) -> Command:
        return Command(protocol.THREAD_RESUME, self._pack.object_id(thread))

    def frames(self, thread: int) -> Task[list[Frame]]:
        """Of a suspended thread, the innermost first."""
        data = self._pack.object_id(thread) + self._pack.number(0) + self._pack.number(-1)
        return _frames((yield from ask(Command(protocol.THREAD_FRAMES, data))))

    def this(self, thread: int, frame: int) -> Task[Value]:
        """None in static methods."""
        reply = yield from ask(Command(protocol.FRAME_THIS, self._pack.object_id(thread) + self._pack.frame_id(frame)))
        return reply.value()

    def locals(self, thread: int, frame: int, variables: Sequence[Variable]) -> Task[list[Value]]:
        if not variables:
            return []
        pack = self._pack
        data = pack.object_id(thread) + pack.frame_id(frame) + pack.number(len(variables))
        data += b"".join(pack.number(each.slot) + each.descriptor[0].encode() for each in variables)
        reply = yield from ask(Command(protocol.FRAME_GET_VALUES, data))
        return [reply.value() for _ in range(reply.number())]

    def method_names(self, frames: Sequence[Frame]) -> Task[list[str]]:
        calls = yield from together(self._method_name(each.location) for each in frames)
        return list(calls)

    def _method_name(self, location: Location) -> Task[str]:
        method = yield from self._classes.method(location.type, location.method)
        return method.header.name if method else "?"

    def stack(self, frames: Sequence[Frame]) -> Task[list[Call]]:
        return (yield from together(self.call_at(each.location) for each in frames))

    def call_at(self, location: Location) -> Task[Call]:
        of = yield from self._classes.loaded(location.kind, location.type)
        method = yield from self._classes.method(location.type, location.method)
        if method is None:
            return Call(of.name, "?", 0)
        line = 0
        if location.offset >= 0:  # less in native methods
            data = self._pack.type_id(location.type) + self._pack.method_id(location.method)
            (reply,) = yield [Command(protocol.METHOD_LINE_TABLE, data)]
            line = 0 if reply.error else _line(reply, location.offset)
        return Call(of.name, method.header.name, line)

    def doing(self, thread: int) -> Task[Doing]:
        """Of any thread: it is suspended for a moment, as a stack can only be read then."""
        own = self._pack.object_id(thread)
        frames = own + self._pack.number(0) + self._pack.number(-1)
        name, status, group, _, stack, _ = yield [
            Command(protocol.THREAD_NAME, own),
            Command(protocol.THREAD_STATUS, own),
            Command(protocol.THREAD_GROUP, own),
            Command(protocol.THREAD_SUSPEND, own),
            Command(protocol.THREAD_FRAMES, frames),
            Command(protocol.THREAD_RESUME, own),
        ]
        state = protocol.THREAD_STATES.get(status.checked().number(), "unknown")
        calls = [] if stack.error else (yield from self.stack(_frames(stack)))
        internal = (yield from self._is_internal(group)) or not calls
        return Doing(thread, name.checked().text(), state, internal, calls)

    def _is_internal(self, group: Reply) -> Task[bool]:
        """Threads of the machine itself are in the group `system`, those of programs in groups below it."""
        if group.error:
            return True
        data = self._pack.object_id(group.object_id())
        (name,) = yield from ask_all([Command(protocol.GROUP_NAME, data)])
        return name.text() in _INTERNAL_GROUPS


def _frames(reply: Reply) -> list[Frame]:
    return [Frame(reply.frame_id(), reply.location()) for _ in range(reply.number())]


def _line(reply: Reply, index: int) -> int:
    reply.long(), reply.long()  # the first and the last index
    lines = [(reply.long(), reply.number()) for _ in range(reply.number())]
    return max((each for each in lines if each[0] <= index), default=(0, 0))[1]
