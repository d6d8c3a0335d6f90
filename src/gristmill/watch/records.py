"""Messages of a system as records of the specification: TLA+ values, made in the world that is active."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

from gristmill.systems.decoders import Record, part
from gristmill.values import Value, from_python, make_record

NodeCalled: TypeAlias = Callable[[str], Value]  # the node that the system calls so


class UnreadableError(Exception):
    """A message does not have what the mapping says that it has."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where a field comes from.

    - `path`: a part of the message, as it is.
    - `not`: the opposite of a Boolean.
    - `digest`: a number that stands for a text; 0 stands for an empty one.
    - `each`: a sequence of records, with `parts` of each element.
    - `constant`: the same for every message.
    - `node`, `nodes`: the node that is called so, or the set of them; nothing is called by no name.
    """

    form: str
    path: str
    parts: Mapping[str, Field] = field(default_factory=dict)
    constant: Any = None

    def read(self, message: Any, node: NodeCalled) -> Any:
        if self.form == "constant":
            return self.constant
        found = part(message, self.path)
        match self.form:
            case "path":
                if found is None:
                    raise UnreadableError(f"there is no `{self.path}` in it")
                return found
            case "not":
                return not found
            case "digest":
                return digest(found or "")
            case "node":
                return node(str(found)) if found else self.constant
            case "nodes":
                return frozenset(node(str(each)) for each in found or ())
            case _:
                elements = found or ()
                return tuple(
                    {name: each.read(element, node) for name, each in self.parts.items()} for element in elements
                )


@dataclass(frozen=True, slots=True)
class RecordMap:
    kind: str
    fields: Mapping[str, Field]


def digest(text: str) -> int:
    """Equal texts have equal numbers; 48 bits, so that different ones hardly ever do."""
    if not text:
        return 0
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogateescape"), digest_size=6).digest(), "big")


def record_of(
    message: Record, described: RecordMap, kind_field: str, ends: Mapping[str, Value], node: NodeCalled
) -> Value:
    """`ends`: the fields for sender and receiver. Raises `UnreadableError`."""
    fields: dict[str, Any] = {name: each.read(message, node) for name, each in described.fields.items()}
    values = {name: from_python(value) for name, value in fields.items()}
    return make_record({kind_field: from_python(described.kind), **ends, **values})


RecordMaker = Callable[[Record], Value]
