"""Objects of Java as plain Python values: numbers and texts as they are, an enum as its name, collections as tuples,
frozensets and dicts. Any other object is a text that tells its class and which one it is: `Learner@2f`.
"""

from __future__ import annotations

from typing import Any

from gristmill.replay.jvm.classes import Loaded
from gristmill.replay.jvm.containers import walker_of
from gristmill.replay.jvm.contents import Contents
from gristmill.replay.jvm.descriptors import short
from gristmill.replay.jvm.objects import Objects
from gristmill.replay.jvm.paths import PathError
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.wire import Ref, Value

_DEEPEST = 30

_NUMBERS = ("Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short")
_ATOMIC = ("AtomicBoolean", "AtomicInteger", "AtomicLong", "AtomicReference")
# Objects that stand for another value, with the field that has it.
HOLDERS = {
    **{f"java.lang.{name}": "value" for name in _NUMBERS},
    **{f"java.util.concurrent.atomic.{name}": "value" for name in _ATOMIC},
    **{f"java.util.{name}": "value" for name in ("Optional", "OptionalInt", "OptionalLong", "OptionalDouble")},
    "java.lang.ref.Reference": "referent",
}


def holder_field(of: Loaded) -> str | None:
    return next((HOLDERS[name] for name in of.ancestry if name in HOLDERS), None)


def unwrapped(objects: Objects, ref: Ref, of: Loaded) -> Task[Value]:
    """The value that a holder has."""
    field = holder_field(of)
    assert field is not None
    if "isPresent" in of.fields:
        present, value = yield from objects.named(ref, "isPresent", field)
        return value if present else None
    (value,) = yield from objects.named(ref, field)
    return bool(value) if of.name.endswith("AtomicBoolean") else value


def plain(objects: Objects, value: Value, depth: int = 0) -> Task[Any]:
    """Raises `PathError` for what cannot be one."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    if not isinstance(value, Ref):
        return value
    if value.tag == "s":
        return (yield from objects.text(value))
    if depth > _DEEPEST:
        raise PathError("a collection that contains itself has no value")
    if value.tag == "c":
        return (yield from objects.reflected(value)).name
    of = yield from objects.type_of(value)
    if "java.lang.Enum" in of.ancestry:
        (name,) = yield from objects.named(value, "name")
        return (yield from plain(objects, name))
    if holder_field(of) is not None:
        return (yield from plain(objects, (yield from unwrapped(objects, value, of)), depth + 1))
    walker = walker_of(of)
    if walker is None:
        return f"{short(of.name)}@{value.id:x}"
    return (yield from plain_contents(objects, (yield from walker(objects, value)), depth + 1))


def plain_contents(objects: Objects, contents: Contents, depth: int = 1) -> Task[Any]:
    values = yield from together(plain(objects, each, depth) for each in contents.values)
    if contents.keys is None:
        return tuple(values) if contents.kind == "sequence" else _hashed(values)
    keys = yield from together(plain(objects, each, depth) for each in contents.keys)
    _hashed(keys)
    return dict(zip(keys, values, strict=True))


def _hashed(values: list[Any]) -> frozenset[Any]:
    try:
        return frozenset(values)
    except TypeError:
        raise PathError("a set of maps, or a map whose keys are maps, has no plain value") from None
