"""The classes of a running machine: fields and methods with their ids, asked for once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.classfile import Body, Member, Variable
from gristmill.replay.jvm.descriptors import readable, signature
from gristmill.replay.jvm.pool import Pool
from gristmill.replay.jvm.protocol import ABSENT_INFORMATION, NATIVE_METHOD, STATIC
from gristmill.replay.jvm.tasks import Task, ask, ask_all
from gristmill.replay.jvm.wire import Command, JdwpError, Packer, Reply

CLASS, INTERFACE, ARRAY = 1, 2, 3  # kinds of types


class Field(NamedTuple):
    id: int
    name: str
    descriptor: str
    modifiers: int
    owner: int  # the type that declares it

    @property
    def static(self) -> bool:
        return bool(self.modifiers & STATIC)


class LoadedMethod(NamedTuple):
    id: int
    header: Member
    owner: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """A class, an interface or a type of arrays. `fields` are its own and those it inherits, which come later."""

    id: int
    kind: int
    descriptor: str
    parent: Loaded | None
    fields: dict[str, Field] = field(repr=False)
    statics: dict[str, Field] = field(repr=False)

    @property
    def name(self) -> str:
        """With dots."""
        return readable(self.descriptor)

    @property
    def ancestry(self) -> tuple[str, ...]:
        """Its name, that of its superclass, and so on."""
        return (self.name, *(self.parent.ancestry if self.parent else ()))


class Classes:
    def __init__(self, pack: Packer) -> None:
        self._pack = pack
        self._loaded: dict[int, Loaded] = {}
        self._methods: dict[int, list[LoadedMethod]] = {}
        self._by_id: dict[tuple[int, int], LoadedMethod] = {}
        self._bodies: dict[tuple[int, int], Body] = {}
        self._pools: dict[int, Pool] = {}
        self._names: dict[str, list[tuple[int, int]]] = {}

    def named(self, name: str) -> Task[list[Loaded]]:
        """The classes of a name, with dots, that are loaded; more than one if there are several class loaders."""
        if name not in self._names:
            reply = yield from ask(Command(protocol.VM_CLASSES_BY_SIGNATURE, self._pack.text(signature(name))))
            found = [(reply.byte(), reply.type_id(), reply.number())[:2] for _ in range(reply.number())]
            if not found:
                return []
            self._names[name] = found
        result = []
        for kind, number in self._names[name]:
            result.append((yield from self.loaded(kind, number)))
        return result

    def forget_name(self, name: str) -> None:
        """It is being loaded now, perhaps once more."""
        self._names.pop(name, None)

    def loaded(self, kind: int, number: int) -> Task[Loaded]:
        if number not in self._loaded:
            self._loaded[number] = yield from self._load(kind, number)
        return self._loaded[number]

    def _load(self, kind: int, number: int) -> Task[Loaded]:
        own = self._pack.type_id(number)
        commands = [Command(protocol.TYPE_SIGNATURE, own), Command(protocol.TYPE_FIELDS, own)]
        if kind == CLASS:
            commands.append(Command(protocol.CLASS_SUPERCLASS, own))
        if kind == ARRAY:
            commands = commands[:1]
        replies = yield from ask_all(commands)
        descriptor = replies[0].text()
        above = replies[2].type_id() if kind == CLASS else 0
        parent = (yield from self.loaded(CLASS, above)) if above else None
        declared = [] if kind == ARRAY else _fields(replies[1], number)
        inherited, inherited_statics = (parent.fields, parent.statics) if parent else ({}, {})
        fields = {**inherited, **{each.name: each for each in declared if not each.static}}
        statics = {**inherited_statics, **{each.name: each for each in declared if each.static}}
        return Loaded(number, kind, descriptor, parent, fields, statics)

    def methods(self, number: int) -> Task[list[LoadedMethod]]:
        if number not in self._methods:
            reply = yield from ask(Command(protocol.TYPE_METHODS, self._pack.type_id(number)))
            found = [_method(reply, number) for _ in range(reply.number())]
            self._by_id.update({(number, each.id): each for each in found})
            self._methods[number] = found
        return self._methods[number]

    def method(self, owner: int, number: int) -> Task[LoadedMethod | None]:
        """None for an obsolete method, of a class that was redefined."""
        if (owner, number) not in self._by_id:
            yield from self.methods(owner)
        return self._by_id.get((owner, number))

    def body(self, method: LoadedMethod) -> Task[Body]:
        """Raises `JdwpError` if the method has no code."""
        key = (method.owner, method.id)
        if key not in self._bodies:
            data = self._pack.type_id(method.owner) + self._pack.method_id(method.id)
            numbers = (protocol.METHOD_BYTECODES, protocol.METHOD_LINE_TABLE, protocol.METHOD_VARIABLE_TABLE)
            code, lines, variables = yield [Command(number, data) for number in numbers]
            length = code.checked().number()
            self._bodies[key] = Body(code.raw(length), _lines(lines), _variables(variables))
        return self._bodies[key]

    def pool(self, number: int) -> Task[Pool]:
        if number not in self._pools:
            reply = yield from ask(Command(protocol.TYPE_CONSTANT_POOL, self._pack.type_id(number)))
            count, length = reply.number(), reply.number()
            self._pools[number], _ = Pool.parse(reply.raw(length), 0, count)
        return self._pools[number]

    def interfaces(self, number: int) -> Task[list[Loaded]]:
        reply = yield from ask(Command(protocol.TYPE_INTERFACES, self._pack.type_id(number)))
        ids = [reply.type_id() for _ in range(reply.number())]
        found = []
        for each in ids:
            found.append((yield from self.loaded(INTERFACE, each)))
        return found

    def find_method(self, of: Loaded, name: str, descriptor: str) -> Task[LoadedMethod | None]:
        """As a call would find it: in the class, then above it, then in interfaces. `descriptor` is its beginning."""
        above: Loaded | None = of
        while above is not None:
            for each in (yield from self.methods(above.id)):
                if each.header.name == name and each.header.descriptor.startswith(descriptor):
                    return each
            above = above.parent
        above = of
        while above is not None:
            for interface in (yield from self.interfaces(above.id)):
                found = yield from self.find_method(interface, name, descriptor)
                if found is not None:
                    return found
            above = above.parent
        return None


def _fields(reply: Reply, owner: int) -> list[Field]:
    return [Field(reply.field_id(), reply.text(), reply.text(), reply.number(), owner) for _ in range(reply.number())]


def _method(reply: Reply, owner: int) -> LoadedMethod:
    number = reply.method_id()
    return LoadedMethod(number, Member(reply.text(), reply.text(), reply.number()), owner)


def _lines(reply: Reply) -> tuple[tuple[int, int], ...]:
    if reply.error in (ABSENT_INFORMATION, NATIVE_METHOD):
        return ()
    reply.checked()
    reply.long(), reply.long()  # the first and the last index
    return tuple(sorted((reply.long(), reply.number()) for _ in range(reply.number())))


def _variables(reply: Reply) -> tuple[Variable, ...] | None:
    if reply.error in (ABSENT_INFORMATION, NATIVE_METHOD):
        return None
    reply.checked()
    reply.number()  # how many slots are arguments
    found = []
    for _ in range(reply.number()):
        start, name, descriptor, length, slot = (
            reply.long(),
            reply.text(),
            reply.text(),
            reply.number(),
            reply.number(),
        )
        found.append(Variable(name, descriptor, slot, start, length))
    return tuple(found)


def is_gone(error: JdwpError) -> bool:
    """Whether what was asked about does not exist any more."""
    return error.code in (protocol.INVALID_OBJECT, protocol.INVALID_THREAD)
