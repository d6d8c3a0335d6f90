"""Messages in jute, the serialization of ZooKeeper, by their declaration.

class Packet { int type; long zxid; buffer data; vector<Id> ids; }
class Id { ustring scheme; ustring id; }
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.systems.decoders.conversation import Record
from gristmill.systems.decoders.declared.talking import Declared, framing
from gristmill.systems.decoders.declared.words import Words, known_as
from gristmill.systems.decoders.fields import plain
from gristmill.systems.decoders.jute import JuteReader


class Jute(Declared):
    """
    - `classes`: the declaration. Modules around classes mean nothing.
    - `message`, `answer`: the class that each message begins with. If its kind is called as another class, the fields
      of that follow.
    - `length`: `u32be` and the like, `varint`; `none`: a message ends where its last field does.
    """

    def __init__(
        self,
        classes: str,
        message: str,
        answer: str | None = None,
        kind: str = "kind",
        kinds: Mapping[str, str] | None = None,
        length: str = "u32be",
        inclusive: bool = False,
    ) -> None:
        self.classes = read_classes(classes)
        begins = known_as(message, tuple(self.classes))
        answers = begins if answer is None else known_as(answer, tuple(self.classes))
        for each in (begins, answers):
            if not self.classes[each]:
                raise ValueError(f"{each} has no fields: its messages cannot be told apart")
        super().__init__(begins, answers, kind, kinds or {}, None if length == "none" else framing(length, inclusive))

    def record(self, data: bytes | bytearray, declared: str) -> tuple[Record, int]:
        reader = JuteReader(data)
        found = self._fields(reader, declared)
        kind = self.called(found)
        if kind in self.classes and kind != declared:
            found = {**self._fields(reader, kind), **found}
        return {**found, "kind": kind}, reader.at

    def _fields(self, reader: JuteReader, name: str) -> dict[str, Any]:
        return {field: self._value(reader, kind) for field, kind in self.classes[name]}

    def _value(self, reader: JuteReader, kind: Type) -> Any:
        simple = _SIMPLE.get(kind.name)
        if simple is not None:
            return simple(reader)
        if kind.name == "vector":
            return tuple(reader.vector(lambda: self._value(reader, kind.inner[0])))
        if kind.name == "map":
            keys, values = kind.inner
            return tuple(reader.vector(lambda: (self._value(reader, keys), self._value(reader, values))))
        return self._fields(reader, kind.name)


def _buffer(reader: JuteReader) -> str | None:
    found = reader.buffer()
    return None if found is None else found.hex()


_SIMPLE: Mapping[str, Callable[[JuteReader], Any]] = {
    "byte": lambda reader: int.from_bytes(reader.raw(1), "big", signed=True),
    "boolean": JuteReader.boolean,
    "int": JuteReader.integer,
    "long": JuteReader.long,
    "float": lambda reader: plain(struct.unpack(">f", reader.raw(4))[0]),
    "double": lambda reader: plain(struct.unpack(">d", reader.raw(8))[0]),
    "ustring": JuteReader.string,
    "buffer": _buffer,
}


@dataclass(frozen=True, slots=True)
class Type:
    """`inner`: what a vector or a map is made of."""

    name: str
    inner: tuple[Type, ...] = ()


Classes = dict[str, list[tuple[str, Type]]]


def read_classes(text: str) -> Classes:
    """The fields of each class, in their order. Raises `ValueError`."""
    words, found = Words(text), Classes()
    _read_classes(words, "", found)
    for name, fields in found.items():
        for field, kind in fields:
            _check(kind, f"{name}.{field}", found)
        if name in _inside(name, found, set()):
            raise ValueError(f"{name} contains itself: that is possible in a vector only")
    return found


def _read_classes(words: Words, end: str, found: Classes) -> None:
    while words.next != end:
        what, name = words.take("class", "module"), words.name()
        words.take("{")
        if what == "module":
            _read_classes(words, "}", found)
        else:
            found[name] = []
            while words.next != "}":
                kind = _type(words)
                found[name].append((words.name(), kind))
                words.take(";")
        words.take("}")


def _type(words: Words) -> Type:
    name = words.name()
    if name not in ("vector", "map"):
        return Type(name if name in _SIMPLE else name.rpartition(".")[2])
    words.take("<")
    inner: tuple[Type, ...] = (_type(words),)
    if name == "map":
        words.take(",")
        inner += (_type(words),)
    words.take(">")
    return Type(name, inner)


def _check(kind: Type, where: str, classes: Classes) -> None:
    for each in kind.inner:
        _check(each, where, classes)
    if not kind.inner and kind.name not in _SIMPLE and kind.name not in classes:
        raise ValueError(f"{where} is a {kind.name}, which is neither declared nor one of {', '.join(_SIMPLE)}")


def _inside(name: str, classes: Classes, found: set[str]) -> set[str]:
    """The classes whose fields are part of this one."""
    for _, kind in classes.get(name, ()):
        if kind.name in classes and kind.name not in found:
            found.add(kind.name)
            _inside(kind.name, classes, found)
    return found
