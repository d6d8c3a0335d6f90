"""A thread of our own inside of a machine, which calls methods for us where no thread of the program is held.

Methods can only be called by a thread that an event has suspended. So the first thread of the program that an event
suspends makes another one, a daemon with nothing to do, which is suspended for good when it begins to run. It has no
lock of the program, and the program does not know it.
"""

from __future__ import annotations

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.classes import Loaded
from gristmill.replay.jvm.events import Breakpoint
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.tasks import NO_ANSWER, Task, ask
from gristmill.replay.jvm.wire import Command, JdwpError, Location, Ref

NAME = "gristmill"
_THREAD = "java.lang.Thread"


class Helper:
    """`thread` is its id once it is there."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._begun = False
        self._request = 0
        self.thread: int | None = None

    def make(self, thread: int) -> None:
        """By a thread that is suspended now, once. Without it, only held threads can call methods."""
        if self._begun:
            return
        self._begun = True
        calling = self._machine.calls.calling
        calling.add(thread)
        try:
            self._machine.run(self._make(thread))
        except (JdwpError, KeyError, ValueError):
            return
        finally:
            calling.discard(thread)

    def is_here(self, event: Breakpoint) -> bool:
        """Whether the event tells that it has begun to run; it stays there."""
        if self._request == 0 or event.request != self._request:
            return False
        self.thread = event.thread
        number = self._machine.pack.number(self._request)
        self._machine.connection.send([Command(protocol.EVENT_CLEAR, bytes((protocol.BREAKPOINT,)) + number)])
        return True

    def _make(self, thread: int) -> Task[None]:
        (of, *_) = yield from self._machine.classes.named(_THREAD)
        made = yield from self._new(of, thread)
        run = yield from self._method(of, "run", "()")
        location = Location(of.kind, of.id, run, 0)
        reply = yield from ask(self._machine.requests.breakpoint(location, made.id))
        self._request = reply.number()
        yield from self._call(made, of, "setDaemon", "(Z)", thread, b"Z\1")
        yield from self._call(made, of, "start", "()", thread)

    def _new(self, of: Loaded, thread: int) -> Task[Ref]:
        pack = self._machine.pack
        name = (yield from ask(Command(protocol.VM_CREATE_STRING, pack.text(NAME)))).object_id()
        constructor = yield from self._method(of, "<init>", "(Ljava/lang/String;)")
        data = pack.type_id(of.id) + pack.object_id(thread) + pack.method_id(constructor)
        data += pack.number(1) + b"s" + pack.object_id(name) + pack.number(protocol.INVOKE_SINGLE_THREADED)
        reply = yield from ask(Command(protocol.CLASS_NEW_INSTANCE, data))
        made = reply.value()
        if not isinstance(made, Ref):
            raise JdwpError(NO_ANSWER)
        return made

    def _call(self, made: Ref, of: Loaded, name: str, types: str, thread: int, *arguments: bytes) -> Task[None]:
        pack = self._machine.pack
        method = yield from self._method(of, name, types)
        data = pack.object_id(made.id) + pack.object_id(thread) + pack.type_id(of.id) + pack.method_id(method)
        data += pack.number(len(arguments)) + b"".join(arguments) + pack.number(protocol.INVOKE_SINGLE_THREADED)
        yield from ask(Command(protocol.OBJECT_INVOKE_METHOD, data))

    def _method(self, of: Loaded, name: str, descriptor: str) -> Task[int]:
        for each in (yield from self._machine.classes.methods(of.id)):
            if each.header.name == name and each.header.descriptor.startswith(descriptor):
                return each.id
        raise KeyError(name)
