"""Fields and local variables of a held thread, set before it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.classes import Field, Loaded
from gristmill.replay.jvm.classfile import Variable
from gristmill.replay.jvm.descriptors import readable
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.paths import Name, Path, PathError
from gristmill.replay.jvm.plain import holder_field
from gristmill.replay.jvm.points import suggestion
from gristmill.replay.jvm.reading import Reading, Start, raw
from gristmill.replay.jvm.tasks import Task, ask
from gristmill.replay.jvm.wire import OBJECTS, Command, Ref, Value

NULL = "null"  # of any class but String, as readings have it


class Setting:
    """Raises `PathError` for what is not there, and for values that do not fit."""

    def __init__(self, machine: Machine, reading: Reading, thread: int, variables: Sequence[Variable]) -> None:
        self._machine, self._reading, self._thread = machine, reading, thread
        self._variables = {each.name: each for each in variables if each.name != "this"}

    def set(self, path: Path, starts: Mapping[str, Start], value: Any) -> Task[None]:
        last = path.steps[-1]
        if not isinstance(last, Name):
            raise PathError(f"{path.text} cannot be set, only fields and local variables can")
        if len(path.steps) == 1 and last.name in self._variables:
            yield from self._local(self._variables[last.name], value)
            return
        of = yield from self._class_before(path)
        if of is not None:
            yield from self._field(of.statics[last.name], None, value)
            return
        if len(path.steps) == 1:
            raise PathError(f"there is no local variable {last.name} here", suggestion(last.name, self._variables))
        owner = yield from self._reading.read(Path(path.text, path.steps[:-1]), starts, raw)
        if not isinstance(owner, Ref):
            raise PathError(f"{path.text} cannot be set, as there is no object that has it")
        yield from self._field_of(owner, last.name, value)

    def _class_before(self, path: Path) -> Task[Loaded | None]:
        """The class whose static field it is, if it is one."""
        if not all(isinstance(step, Name) for step in path.steps) or path.first in self._variables:
            return None
        of, length = yield from self._reading.class_at([str(step)[1:] for step in path.steps[:-1]])
        last = path.steps[-1]
        assert isinstance(last, Name)
        return of if of is not None and length == len(path.steps) - 1 and last.name in of.statics else None

    def _local(self, variable: Variable, value: Any) -> Task[None]:
        coded = yield from self.coded(variable.descriptor, value)
        (frame, *_) = yield from self._machine.threads.frames(self._thread)
        pack = self._machine.pack
        data = pack.object_id(self._thread) + pack.frame_id(frame.id) + pack.number(1) + pack.number(variable.slot)
        yield from ask(Command(protocol.FRAME_SET_VALUES, data + variable.descriptor[0].encode() + coded))

    def _field_of(self, owner: Ref, name: str, value: Any) -> Task[None]:
        of = yield from self._machine.objects.type_of(owner)
        field = of.fields.get(name) or of.statics.get(name)
        if field is None:
            raise PathError(f"{of.name} has no field {name}", suggestion(name, [*of.fields, *of.statics]))
        if field.descriptor[0] in OBJECTS and value is not None:
            holder = yield from self._holder(owner, field)
            if holder is not None:
                yield from self._field_of(holder, "value", int(value) if isinstance(value, bool) else value)
                return
        yield from self._field(field, owner, value)

    def _holder(self, owner: Ref, field: Field) -> Task[Ref | None]:
        """An AtomicLong and its like keep their identity: it is their value that is set."""
        if not field.descriptor.startswith("Ljava/util/concurrent/atomic/"):
            return None
        (current,) = yield from self._machine.objects.fields(owner, [field])
        if not isinstance(current, Ref):
            return None
        of = yield from self._machine.objects.type_of(current)
        return current if holder_field(of) else None

    def _field(self, field: Field, owner: Ref | None, value: Any) -> Task[None]:
        coded = yield from self.coded(field.descriptor, value)
        pack = self._machine.pack
        if field.static or owner is None:
            number, data = protocol.CLASS_SET_VALUES, pack.type_id(field.owner)
        else:
            number, data = protocol.OBJECT_SET_VALUES, pack.object_id(owner.id)
        yield from ask(Command(number, data + pack.number(1) + pack.field_id(field.id) + coded))

    def coded(self, descriptor: str, value: Any) -> Task[bytes]:
        """As a field, a variable or a result of this type has it."""
        made: Value = value
        if isinstance(value, str) and descriptor == "Ljava/lang/String;":
            reply = yield from ask(Command(protocol.VM_CREATE_STRING, self._machine.pack.text(value)))
            made = Ref("s", reply.object_id())
        elif value == NULL and descriptor[0] in OBJECTS:
            made = None
        elif isinstance(value, str) and descriptor.startswith("L"):
            made = yield from self._constant(descriptor, value)
        try:
            return self._machine.pack.untagged(descriptor[0], made)
        except ValueError:
            raise PathError(f"{value!r} is no value of the type {readable(descriptor)}") from None

    def _constant(self, descriptor: str, name: str) -> Task[Value]:
        """Of an enum."""
        for of in (yield from self._machine.classes.named(readable(descriptor))):
            if "java.lang.Enum" in of.ancestry and name in of.statics:
                return (yield from self._machine.objects.static(of.statics[name]))
        raise PathError(f"{name!r} is no value of the type {readable(descriptor)}")
