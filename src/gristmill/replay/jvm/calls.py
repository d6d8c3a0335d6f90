"""Methods of a running program, called by a thread that an event has suspended."""

from __future__ import annotations

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.classes import ARRAY, Loaded
from gristmill.replay.jvm.connection import Pending
from gristmill.replay.jvm.objects import Objects
from gristmill.replay.jvm.points import suggestion
from gristmill.replay.jvm.tasks import INVOKE_SECONDS, Late, Task
from gristmill.replay.jvm.wire import Command, Packer, Ref, Value


class CallFailed(Exception):
    """There is no such method, or it has thrown an exception."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.message, self.help = message, help


class Calls:
    """`calling`: the threads that do it now. Whatever happens in them meanwhile must not stop them."""

    def __init__(self, objects: Objects, pack: Packer) -> None:
        self._objects, self._pack = objects, pack
        self.calling: set[int] = set()
        self._late: dict[int, Pending] = {}

    def is_busy(self, thread: int) -> bool:
        """Whether a thread is calling a method; perhaps one that has not come back in time, and may still do so."""
        late = self._late.get(thread)
        if late is not None and late.done.is_set():
            del self._late[thread]
            self.calling.discard(thread)
        return thread in self.calling

    def method(self, ref: Ref, name: str, thread: int) -> Task[Value]:
        """Call a method without arguments. Raises `CallFailed`."""
        of = yield from self._objects.type_of(ref)
        found = yield from self._objects.classes.find_method(of, name, "()")
        if found is None:
            raise (yield from self._no_method(of, name))
        if found.header.modifiers & protocol.STATIC:
            return (yield from self.static(of, name, thread))
        pack = self._pack
        data = pack.object_id(ref.id) + pack.object_id(thread) + pack.type_id(found.owner) + pack.method_id(found.id)
        data += pack.number(0) + pack.number(protocol.INVOKE_SINGLE_THREADED)
        return (yield from self._call(Command(protocol.OBJECT_INVOKE_METHOD, data), thread, f"{of.name}.{name}()"))

    def static(self, of: Loaded, name: str, thread: int) -> Task[Value]:
        found = yield from self._objects.classes.find_method(of, name, "()")
        if found is None or not found.header.modifiers & protocol.STATIC:
            raise (yield from self._no_method(of, name))
        pack = self._pack
        data = pack.type_id(found.owner) + pack.object_id(thread) + pack.method_id(found.id)
        data += pack.number(0) + pack.number(protocol.INVOKE_SINGLE_THREADED)
        return (yield from self._call(Command(protocol.CLASS_INVOKE_METHOD, data), thread, f"{of.name}.{name}()"))

    def _call(self, command: Command, thread: int, what: str) -> Task[Value]:
        self.calling.add(thread)
        (reply,) = yield [command]
        if isinstance(reply, Late):
            self._late[thread] = reply.pending
            help = "it may wait for a lock that a held thread has: read a field instead, or hold the thread elsewhere"
            raise CallFailed(f"{what} was called, and has not come back within {INVOKE_SECONDS:g} s", help)
        self.calling.discard(thread)
        reply.checked()
        result, thrown = reply.value(), reply.value()
        if isinstance(thrown, Ref):
            text = yield from self.exception_text(thrown)
            raise CallFailed(f"{what} has thrown {text}")
        return result

    def exception_text(self, thrown: Ref) -> Task[str]:
        """Its class and its message."""
        of = yield from self._objects.type_of(thrown)
        (message,) = yield from self._objects.named(thrown, "detailMessage")
        text = (yield from self._objects.text(message)) if isinstance(message, Ref) else None
        return of.name if text is None else f"{of.name}: {text}"

    def _no_method(self, of: Loaded, name: str) -> Task[CallFailed]:
        names, above = [], of if of.kind != ARRAY else None
        while above is not None:
            methods = yield from self._objects.classes.methods(above.id)
            names += [each.header.name for each in methods if each.header.descriptor.startswith("()")]
            above = above.parent
        return CallFailed(f"{of.name} has no method {name} without arguments", suggestion(name, names))
