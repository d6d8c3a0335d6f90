"""What is in a collection, before it is turned into plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.replay.jvm.classes import Field
from gristmill.replay.jvm.objects import Objects, fields_named
from gristmill.replay.jvm.paths import PathError
from gristmill.replay.jvm.tasks import Task
from gristmill.replay.jvm.wire import Ref, Value


@dataclass(frozen=True, slots=True)
class Contents:
    """The elements of a sequence or a set, or the values of a map, whose keys are then in `keys`."""

    kind: Literal["sequence", "set", "map"]
    values: list[Value]
    keys: list[Value] | None = None


Walker: TypeAlias = Callable[[Objects, Ref], Task[Contents]]


def sequence(values: Sequence[Value]) -> Contents:
    return Contents("sequence", list(values))


def of_set(values: Sequence[Value]) -> Contents:
    return Contents("set", list(values))


def of_map(entries: Sequence[tuple[Value, Value]]) -> Contents:
    return Contents("map", [value for _, value in entries], [key for key, _ in entries])


def array(objects: Objects, value: Value) -> Task[list[Value]]:
    """Elements of an array that may not be there yet."""
    return (yield from objects.elements(value)) if isinstance(value, Ref) else []


def fields_of(objects: Objects, name: str, *fields: str) -> Task[list[Field]]:
    """Of a class that is loaded: nodes of lists and maps. Asking by its name saves asking each node for its class."""
    found = yield from objects.classes.named(name)
    if not found:
        raise PathError(f"there is no class {name} in this version of Java")
    return fields_named(found[0], fields)
