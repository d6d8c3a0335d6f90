"""Class files: fields, methods with their code, lines and local variables."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gristmill.replay.jvm.pool import BadClassFile, Pool


class Variable(NamedTuple):
    """A local variable, and the stretch of code in which it has a value."""

    name: str
    descriptor: str
    slot: int
    start: int
    length: int

    def lives_at(self, index: int) -> bool:
        return self.start <= index < self.start + self.length


@dataclass(frozen=True, slots=True)
class Body:
    """The code of a method. `variables` is None if the class was compiled without their names."""

    code: bytes
    lines: tuple[tuple[int, int], ...]  # index, line
    variables: tuple[Variable, ...] | None


class Member(NamedTuple):
    """A field or a method."""

    name: str
    descriptor: str
    modifiers: int


class Method(NamedTuple):
    header: Member
    body: Body | None  # None: abstract or native


@dataclass(frozen=True, slots=True)
class ClassFile:
    """`name` and `superclass` have dots."""

    name: str
    superclass: str | None
    interfaces: tuple[str, ...]
    fields: tuple[Member, ...]
    methods: tuple[Method, ...]
    pool: Pool


def parse(data: bytes) -> ClassFile:
    """Raises `BadClassFile`."""
    try:
        return _parse(_Bytes(data))
    except (struct.error, IndexError, KeyError):
        raise BadClassFile("the class file is not complete") from None


class _Bytes:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def number(self, length: int) -> int:
        if self.at + length > len(self.data):
            raise IndexError
        self.at += length
        return int.from_bytes(self.data[self.at - length : self.at], "big")

    def raw(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]


def _parse(file: _Bytes) -> ClassFile:
    if file.number(4) != 0xCAFEBABE:
        raise BadClassFile("this is no class file")
    file.number(4)  # its version
    count = file.number(2)
    pool, file.at = Pool.parse(file.data, file.at, count)
    file.number(2)  # modifiers
    name = pool.class_name(file.number(2))
    parent = file.number(2)
    interfaces = tuple(pool.class_name(file.number(2)) for _ in range(file.number(2)))
    fields = tuple(header for header, _ in _members(file, pool))
    methods = tuple(Method(header, _body(code, pool)) for header, code in _members(file, pool))
    return ClassFile(name, pool.class_name(parent) if parent else None, interfaces, fields, methods, pool)


def _members(file: _Bytes, pool: Pool) -> Iterator[tuple[Member, bytes | None]]:
    """Fields or methods, with their attribute `Code`."""
    for _ in range(file.number(2)):
        modifiers, name, descriptor = file.number(2), pool.text(file.number(2)), pool.text(file.number(2))
        attributes = dict(_attributes(file, pool))
        yield Member(name, descriptor, modifiers), attributes.get("Code")


def _attributes(file: _Bytes, pool: Pool) -> Iterator[tuple[str, bytes]]:
    for _ in range(file.number(2)):
        yield pool.text(file.number(2)), file.raw(file.number(4))


def _body(attribute: bytes | None, pool: Pool) -> Body | None:
    if attribute is None:
        return None
    file = _Bytes(attribute)
    file.number(4)  # sizes of stack and locals
    code = file.raw(file.number(4))
    file.raw(8 * file.number(2))  # handlers of exceptions
    lines: list[tuple[int, int]] = []
    variables: list[Variable] | None = None
    for name, data in _attributes(file, pool):
        if name == "LineNumberTable":
            lines += _lines(_Bytes(data))
        elif name == "LocalVariableTable":
            variables = (variables or []) + list(_variables(_Bytes(data), pool))
    return Body(code, tuple(sorted(lines)), None if variables is None else tuple(variables))


def _lines(file: _Bytes) -> Iterator[tuple[int, int]]:
    for _ in range(file.number(2)):
        yield file.number(2), file.number(2)


def _variables(file: _Bytes, pool: Pool) -> Iterator[Variable]:
    for _ in range(file.number(2)):
        start, length, name, descriptor, slot = (file.number(2) for _ in range(5))
        yield Variable(pool.text(name), pool.text(descriptor), slot, start, length)
