"""Objects of a running machine: their classes, fields and elements."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.classes import Classes, Field, Loaded
from gristmill.replay.jvm.paths import PathError
from gristmill.replay.jvm.tasks import Task, ask, together
from gristmill.replay.jvm.wire import Command, JdwpError, Packer, Ref, Value

_MOST_REMEMBERED = 50_000  # objects whose class is remembered


class Objects:
    """An id means the same object for as long as the machine runs, so its class need not be asked for again."""

    def __init__(self, classes: Classes, pack: Packer) -> None:
        self.classes, self._pack = classes, pack
        self._types: dict[int, tuple[int, int]] = {}
        self._lengths: dict[int, int] = {}

    def type_of(self, ref: Ref) -> Task[Loaded]:
        known = self._types.get(ref.id)
        if known is None:
            reply = yield from ask(Command(protocol.OBJECT_REFERENCE_TYPE, self._pack.object_id(ref.id)))
            known = (reply.byte(), reply.type_id())
            if len(self._types) > _MOST_REMEMBERED:
                self._types.clear()
            self._types[ref.id] = known
        return (yield from self.classes.loaded(*known))

    def fields(self, ref: Ref, fields: Sequence[Field]) -> Task[list[Value]]:
        data = self._pack.object_id(ref.id) + self._pack.number(len(fields))
        data += b"".join(self._pack.field_id(each.id) for each in fields)
        reply = yield from ask(Command(protocol.OBJECT_GET_VALUES, data))
        return [reply.value() for _ in range(reply.number())]

    def named(self, ref: Ref, *names: str) -> Task[list[Value]]:
        """Fields that classes of the JDK are known to have. Raises `PathError` if this one has not."""
        of = yield from self.type_of(ref)
        return (yield from self.fields(ref, fields_named(of, names)))

    def static(self, field: Field) -> Task[Value]:
        data = self._pack.type_id(field.owner) + self._pack.number(1) + self._pack.field_id(field.id)
        reply = yield from ask(Command(protocol.TYPE_GET_VALUES, data))
        reply.number()
        return reply.value()

    def elements(self, ref: Ref) -> Task[list[Value]]:
        """Of an array."""
        own = self._pack.object_id(ref.id)
        if ref.id not in self._lengths:
            if len(self._lengths) > _MOST_REMEMBERED:
                self._lengths.clear()
            self._lengths[ref.id] = (yield from ask(Command(protocol.ARRAY_LENGTH, own))).number()
        length = self._lengths[ref.id]
        if length == 0:
            return []
        region = own + self._pack.number(0) + self._pack.number(length)
        return (yield from ask(Command(protocol.ARRAY_GET_VALUES, region))).array()

    def text(self, ref: Ref) -> Task[str]:
        return (yield from ask(Command(protocol.STRING_VALUE, self._pack.object_id(ref.id)))).text()

    def reflected(self, ref: Ref) -> Task[Loaded]:
        """The class that a `java.lang.Class` stands for."""
        reply = yield from ask(Command(protocol.CLASS_OBJECT_REFLECTED_TYPE, self._pack.object_id(ref.id)))
        return (yield from self.classes.loaded(reply.byte(), reply.type_id()))

    def instances(self, of: Loaded) -> Task[list[Ref]]:
        """All that are reachable, of exactly this class. Threads that run are found without a walk over the heap."""
        if "java.lang.Thread" in of.ancestry:
            threads = yield from self._threads_of(of)
            if threads:
                return threads
        data = self._pack.type_id(of.id) + self._pack.number(0)
        reply = yield from ask(Command(protocol.TYPE_INSTANCES, data))
        found = [reply.value() for _ in range(reply.number())]
        return sorted(each for each in found if isinstance(each, Ref))

    def _threads_of(self, of: Loaded) -> Task[list[Ref]]:
        threads = yield from self.threads()
        types = yield from together(self._type_if_there(each) for each in threads)
        return [thread for thread, each in zip(threads, types, strict=True) if each is not None and each.id == of.id]

    def _type_if_there(self, ref: Ref) -> Task[Loaded | None]:
        try:
            return (yield from self.type_of(ref))
        except JdwpError:  # a thread that has just ended
            return None

    def threads(self) -> Task[list[Ref]]:
        reply = yield from ask(Command(protocol.VM_ALL_THREADS))
        return [Ref("t", reply.object_id()) for _ in range(reply.number())]


def fields_named(of: Loaded, names: Sequence[str]) -> list[Field]:
    """Raises `PathError` if a class of the JDK does not have the fields that all known versions have."""
    missing = [name for name in names if name not in of.fields]
    if missing:
        raise PathError(f"{of.name} cannot be read, as it has no field {missing[0]} in this version of Java")
    return [of.fields[name] for name in names]
