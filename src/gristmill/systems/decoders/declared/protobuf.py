"""Messages in protocol buffers, each with a length in front, by their declaration.

message Vote { uint64 term = 1; string candidate = 2; repeated Entry entries = 3; }
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gristmill.systems.decoders.conversation import DecodingError, Record
from gristmill.systems.decoders.declared.talking import Declared, framing
from gristmill.systems.decoders.declared.words import Words, known_as
from gristmill.systems.decoders.fields import plain, text
from gristmill.systems.decoders.protobuf import content, contents, fields_of, number, numbers

_SIGNED = {"int32", "int64", "sfixed32", "sfixed64"}
_NUMBERS = {*_SIGNED, "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "bool"}
_FLOATS = {"float": (struct.Struct("<f"), 4), "double": (struct.Struct("<d"), 8)}
_BYTES = {"string", "bytes"}
_FIXED = {"fixed32": 4, "sfixed32": 4, "float": 4, "fixed64": 8, "sfixed64": 8, "double": 8}


class Protobuf(Declared):
    """
    - `messages`: the declaration, as in a file `.proto`; services and options mean nothing.
    - `message`, `answer`: what each message is declared as. `kind` may be a field, or a `oneof`: then it is the name of
      the field that is there.
    - `length`: `u32be` and the like, or `varint`.
    """

    def __init__(
        self,
        messages: str,
        message: str,
        answer: str | None = None,
        kind: str = "kind",
        kinds: Mapping[str, str] | None = None,
        length: str = "u32be",
        inclusive: bool = False,
    ) -> None:
        self.declared = read_messages(messages)
        known = tuple(self.declared.messages)
        begins = known_as(message, known)
        answers = begins if answer is None else known_as(answer, known)
        super().__init__(begins, answers, kind, kinds or {}, framing(length, inclusive))

    def record(self, data: bytes | bytearray, declared: str) -> tuple[Record, int]:
        found = self._message(bytes(data), declared)
        return {**found, "kind": self.called(found)}, len(data)

    def _message(self, data: bytes, name: str) -> dict[str, Any]:
        found, there = dict[str, Any](), fields_of(data)
        for each in self.declared.messages[name]:
            if each.choice:
                found.setdefault(each.choice, None)
                if each.number in there:
                    found[each.choice] = each.name
            if each.repeated:
                found[each.name] = tuple(self._values(there, each))
            elif each.number not in there and (each.choice or each.type in self.declared.messages):
                found[each.name] = None
            else:
                found[each.name] = self._value(there, each)
        return found

    def _value(self, there: Any, each: Field) -> Any:
        if each.type in _BYTES or each.type in self.declared.messages:
            return self._content(content(there, each.number), each.type)
        return self._number(number(there, each.number), each.type)

    def _values(self, there: Any, each: Field) -> list[Any]:
        if each.type in _BYTES or each.type in self.declared.messages:
            return [self._content(data, each.type) for data in contents(there, each.number)]
        size = _FIXED.get(each.type)
        if size is None:
            return [self._number(value, each.type) for value in numbers(there, each.number)]
        found: list[int] = []
        for value in there.get(each.number, ()):  # each by itself, or packed
            packed = value if isinstance(value, bytes) else value.to_bytes(size, "little")
            if len(packed) % size:
                raise DecodingError(f"{each.name} has {len(packed)} bytes, of numbers with {size}")
            found += [int.from_bytes(packed[at : at + size], "little") for at in range(0, len(packed), size)]
        return [self._number(value, each.type) for value in found]

    def _content(self, data: bytes, kind: str) -> Any:
        if kind in self.declared.messages:
            return self._message(data, kind)
        return text(data) if kind == "string" else data.hex()

    def _number(self, value: int, kind: str) -> Any:
        if kind in self.declared.enums:
            return self.declared.enums[kind].get(value, str(value))
        if kind in _FLOATS:
            form, size = _FLOATS[kind]
            return plain(form.unpack(value.to_bytes(size, "little"))[0])
        if kind == "bool":
            return value != 0
        if kind.startswith("sint"):
            return value >> 1 ^ -(value & 1)
        bits = 32 if kind.endswith("fixed32") else 64
        return value - (1 << bits) if kind in _SIGNED and value >> bits - 1 else value


@dataclass(frozen=True, slots=True)
class Field:
    """`choice`: the `oneof` that it belongs to."""

    name: str
    number: int
    type: str
    repeated: bool = False
    choice: str = ""


@dataclass(slots=True)
class Messages:
    messages: dict[str, list[Field]] = field(default_factory=dict)
    enums: dict[str, dict[int, str]] = field(default_factory=dict)


def read_messages(declaration: str) -> Messages:
    """Raises `ValueError`."""
    words, found = Words(declaration), Messages()
    while words.next:
        match words.take("syntax", "package", "import", "option", "service", "message", "enum", ";"):
            case "message":
                _message(words, found)
            case "enum":
                _enum(words, found)
            case "service":
                words.skip_block()
            case ";":
                pass
            case _:
                words.skip_to(";")
    for name, fields in found.messages.items():
        for each in fields:
            if each.type not in {*_NUMBERS, *_FLOATS, *_BYTES, *found.messages, *found.enums}:
                raise ValueError(f"{name}.{each.name} is a {each.type}, which is not declared")
    return found


def _message(words: Words, found: Messages) -> None:
    name = words.name()
    words.take("{")
    fields = found.messages[name] = []
    while words.next != "}":
        match words.next:
            case "message":
                words.take()
                _message(words, found)
            case "enum":
                words.take()
                _enum(words, found)
            case "option" | "reserved" | "extensions":
                words.skip_to(";")
            case ";":
                words.take()
            case "oneof":
                words.take()
                fields += _choice(words)
            case _:
                fields.append(_field(words, ""))
    words.take("}")


def _choice(words: Words) -> list[Field]:
    name, found = words.name(), list[Field]()
    words.take("{")
    while words.next != "}":
        found.append(_field(words, name))
    words.take("}")
    return found


def _field(words: Words, choice: str) -> Field:
    kind = words.name()
    repeated = kind == "repeated"
    if kind in ("repeated", "optional", "required"):
        kind = words.name()
    if words.next == "<":
        raise words.wrong("a type other than a map")
    name = words.name()
    words.take("=")
    found = Field(name, words.number(), kind.rpartition(".")[2], repeated, choice)
    words.skip_to(";")
    return found


def _enum(words: Words, found: Messages) -> None:
    names = found.enums[words.name()] = {}
    words.take("{")
    while words.next != "}":
        if words.next == "option" or words.next == "reserved":
            words.skip_to(";")
            continue
        name = words.name()
        words.take("=")
        names[words.number()] = name
        words.skip_to(";")
    words.take("}")
