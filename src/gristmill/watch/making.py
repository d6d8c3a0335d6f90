"""Records made of messages as `records.py` says, but fast: what the mapping says is compiled once for each kind.

Which order the fields of a record have in TLA+ values is looked up once, and what most fields are, small numbers, takes
no detour. Whatever is not as usual is left to `Field.read` and `from_python`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from gristmill.systems.decoders import Record, part
from gristmill.systems.decoders.fields import steps
from gristmill.values import FALSE, TRUE, EvaluationError, Fn, Value, from_python, make_record
from gristmill.watch.records import Field, NodeCalled, RecordMap, UnreadableError, digest

Get: TypeAlias = Callable[[Any], Any]
Convert: TypeAlias = Callable[[Any], Value]

_MOST_TEXTS = 256  # of one field, that are remembered
_MOST_ELEMENTS = 4_096
_SHORT = 256  # characters of texts whose digests are remembered


class _Reader(NamedTuple):
    """What stands where in a message, None if nothing does, and what becomes of it.

    `path`: it is the part with this name, or of the part with the first name, and so on. `is_plain`: a number is what
    it is. `constant`: what is always there.
    """

    get: Get
    convert: Convert
    path: tuple[str, ...] = ()
    is_plain: bool = False
    constant: Value | None = None

    def read(self, message: Any) -> Value:
        return self.convert(self.get(message))


class Maker:
    """Makes the records of one kind of messages. For one world, which is active."""

    def __init__(self, described: RecordMap, kind_field: str, ends: tuple[str, str], node: NodeCalled) -> None:
        kind = from_python(described.kind)
        readers: dict[str, _Reader | None] = {kind_field: _always(kind), **dict.fromkeys(ends)}
        readers |= {name: _reader(each, node) for name, each in described.fields.items()}
        self._fields = _in_order(readers)
        self.needs_channel = any(steps(each.path)[:1] == ("channel",) for each in described.fields.values())
        self._make = _written_out(self._fields)

    def __call__(self, message: Record, ends: Mapping[str, Value]) -> Value:
        """`ends`: the fields for sender and receiver. Raises `UnreadableError`."""
        try:
            return self._make(message, ends)
        except (KeyError, TypeError, UnreadableError, EvaluationError):  # the first mistake is the one to be told
            return Fn({name: ends[name] if each is None else each.read(message) for name, each in self._fields})


def _written_out(fields: Sequence[tuple[str, _Reader | None]]) -> Callable[[Record, Mapping[str, Value]], Value]:
    """One Python expression for all fields: half of the time goes into calls otherwise. Raises KeyError or TypeError
    where a part of the message is missing. What comes from the mapping is no part of the text, but has a name in it."""
    names: dict[str, Any] = {"Fn": Fn}
    items = []
    for number, (field, each) in enumerate(fields):
        names |= {f"field{number}": field}
        if each is None:
            value = f"ends[field{number}]"
        elif each.constant is not None:
            names[f"constant{number}"] = each.constant
            value = f"constant{number}"
        elif not each.path:
            names[f"read{number}"] = each.read
            value = f"read{number}(message)"
        else:
            names |= {f"part{number}_{at}": part for at, part in enumerate(each.path)}
            names[f"convert{number}"] = each.convert
            part = "".join(f"[part{number}_{at}]" for at in range(len(each.path)))
            value = f"convert{number}(message{part})"
            if each.is_plain:
                value = f"found if type(found := message{part}) is int else convert{number}(found)"
        items.append(f"field{number}: {value}")
    exec(f"def make(message, ends): return Fn({{{', '.join(items)}}})", names)
    made: Callable[[Record, Mapping[str, Value]], Value] = names["make"]
    return made


def _in_order(readers: Mapping[str, _Reader | None]) -> list[tuple[str, _Reader | None]]:
    """As the fields of a record stand in a value."""
    ordered: Iterable[Any] = make_record(dict.fromkeys(readers, 0))  # type: ignore[assignment]
    return [(name, readers[name]) for name in ordered]


def _always(value: Value) -> _Reader:
    return _Reader(lambda message: None, lambda found: value, constant=value)


def _reader(field: Field, node: NodeCalled) -> _Reader:
    match field.form:
        case "path":
            return _at(field, _as_it_is(field), is_plain=True)
        case "not":
            return _at(field, lambda found: FALSE if found else TRUE)
        case "digest":
            return _at(field, lambda found: _digest(found or ""))
        case "each" if field.parts:
            return _at(field, _each(field, node))
        case "constant":
            return _always(from_python(field.constant))
        case "node":
            return _at(field, lambda found: from_python(node(str(found)) if found else field.constant))
    return _Reader(lambda message: field.read(message, node), from_python)


def _at(field: Field, convert: Convert, is_plain: bool = False) -> _Reader:
    path = tuple(each for each in steps(field.path) if isinstance(each, str))
    whole = path if len(path) == len(steps(field.path)) else ()
    return _Reader(lambda message: part(message, field.path), convert, whole, is_plain)


def _as_it_is(field: Field) -> Convert:
    path = field.path
    texts: set[str] = set()  # that have been values before

    def convert(found: Any) -> Value:
        if type(found) is int or (type(found) is str and found in texts):
            return found
        if type(found) is str and len(texts) < _MOST_TEXTS:
            texts.add(found)
        if found is None:
            raise UnreadableError(f"there is no `{path}` in it")
        return from_python(found)

    return convert


def _each(field: Field, node: NodeCalled) -> Convert:
    fields = _in_order({name: _reader(each, node) for name, each in field.parts.items()})
    make = _written_out(fields)
    known: dict[int, tuple[Any, Value]] = {}  # by the identity of elements, which are kept, so that it stays theirs

    def made(element: Any) -> Value:
        found = known.get(id(element))
        if found is None:
            try:
                value = make(element, {})
            except (KeyError, TypeError):  # something is not there
                value = Fn({name: each.read(element) for name, each in fields if each is not None})
            if type(element) is dict:  # else a decoder may have it again
                return value
            if len(known) >= _MOST_ELEMENTS:
                known.clear()
            found = known[id(element)] = element, value
        return found[1]

    def convert(elements: Any) -> Value:
        return tuple(map(made, elements)) if elements else ()

    return convert


def _digest(text: str) -> int:
    return _short_digest(text) if len(text) <= _SHORT else digest(text)


_short_digest = lru_cache(1024)(digest)
