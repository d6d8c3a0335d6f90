"""Between TLA+ values and Python objects: the one converter, for constants, states, observations and results.

| in TLA+ | from Python | to Python | to a type that is asked for |
|---|---|---|---|
| Boolean, integer, string | `bool`, `int`, `str` | the same | the same, an `Enum` with that value, a `Literal` |
| model value | `ModelValue` | `ModelValue` | `ModelValue`, an `Enum` with that value |
| set | `set`, `frozenset` | `frozenset` | `set[T]`, `frozenset[T]` |
| sequence, tuple | `list`, `tuple`, `range` | `tuple` | `list[T]`, `tuple[T, …]`, `dict[int, T]` |
| record | dataclass, named tuple, `dict` with strings | `dict` | dataclass, named tuple, `dict[str, T]` |
| other functions | `dict` | `dict` | `dict[K, T]` |

A Python `str` is a string, never a model value. An `Enum` is what its member stands for. Whatever has no counterpart
(`None`, `float`, `bytes`; an infinite set) is an `EvaluationError` that says where it was.

    >>> from gristmill.values import World
    >>> with World().active():
    ...     value = from_python({"leader": True, "log": [1, 2]})
    >>> to_python(value)
    {'leader': True, 'log': (1, 2)}
    >>> to_python(value, dict[str, bool | list[int]])
    {'leader': True, 'log': [1, 2]}
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections import abc
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeVar, overload

from gristmill.values.atoms import Boolean, ModelValue, Value, boolean
from gristmill.values.errors import EvaluationError
from gristmill.values.function import Fn
from gristmill.values.lazy import LAZY_TYPES, LazySet
from gristmill.values.operations.construct import make_function, make_record, make_set, make_tuple
from gristmill.values.operations.sets import normalize
from gristmill.values.world import current, current_or_new

T = TypeVar("T")

# --- from Python -----------------------------------------------------------------------------------------------------


def from_python(thing: Any) -> Value:
    """A TLA+ value of Python objects, as the table above says, in the world that is active.

    Values of another world are made values of this one.
    """
    return _from(thing, "")


def _from(thing: Any, place: str) -> Value:
    if isinstance(thing, Enum):
        return _from(thing.value, place)
    if isinstance(thing, bool):
        return boolean(thing)
    if isinstance(thing, str):
        current().register(text := str(thing))
        return text
    if isinstance(thing, int):
        return int(thing)
    if isinstance(thing, ModelValue):
        current().register(thing.name)
        return thing
    if isinstance(thing, Boolean | LazySet):
        return thing
    return _from_parts(thing, place)


def _string(text: str) -> str:
    current().register(text := str(text))
    return text


def _from_parts(thing: Any, place: str) -> Value:
    if isinstance(thing, set | frozenset):
        return make_set(_from(each, f"{place}{{…}}") for each in sorted(thing, key=_spelling))
    if (fields := _fields_of(thing)) is not None:
        return make_record({_string(name): _from(each, f"{place}.{name}") for name, each in fields.items()})
    if isinstance(thing, list | tuple | range):
        return make_tuple(_from(each, f"{place}[{number}]") for number, each in enumerate(thing, 1))
    if isinstance(thing, Mapping):
        return make_function((_from(key, place), _from(each, f"{place}[{key!r}]")) for key, each in thing.items())
    what = "None" if thing is None else f"a Python {type(thing).__name__}"
    raise EvaluationError(
        "no-tla-value", _escaped(f"{_at(place)}{what} has no counterpart in TLA+: ") + "{thing}", thing=thing
    )


def _fields_of(thing: Any) -> dict[str, Any] | None:
    """Of a dataclass or a named tuple."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}
    if isinstance(thing, tuple) and hasattr(thing, "_fields"):
        return dict(zip(thing._fields, thing, strict=True))
    return None


def _spelling(thing: Any) -> str:
    """An order for the elements of a set that is the same in every run: strings are ordered by first appearance."""
    if isinstance(thing, set | frozenset):
        return f"{{{sorted(map(_spelling, thing))}}}"
    return thing if isinstance(thing, str) else repr(thing)


def _at(place: str) -> str:
    return f"at {place}: " if place else ""


def _escaped(text: str) -> str:
    """As part of the template of a message."""
    return text.replace("{", "{{").replace("}", "}}")


# --- to Python -------------------------------------------------------------------------------------------------------


@overload
def to_python(value: Value) -> Any: ...
@overload
def to_python(value: Value, kind: type[T]) -> T: ...
@overload
def to_python(value: Value, kind: Any) -> Any: ...
def to_python(value: Value, kind: Any = Any) -> Any:
    """A Python object, of the type `kind` if one is given: annotations such as `dict[str, list[Message]]`.

    Without a type, functions and records inside a set and as arguments of a function stay hashable: they are dicts that
    do not change.
    """
    if kind is Any or kind is object:
        return _plain(value, dict)
    with current_or_new().active():  # what a member of an Enum stands for is compared with it
        return _to(value, kind, "")


def _plain(value: Value, table: Callable[[Any], Any]) -> Any:
    if type(value) in LAZY_TYPES:
        value = normalize(value)
    if type(value) is Boolean:
        return value.truth
    if type(value) is tuple:
        return tuple(_plain(each, table) for each in value)
    if type(value) is frozenset:
        return _all_different(frozenset(_plain(each, Fn) for each in value), value)
    if type(value) is Fn:
        found = table((_plain(key, Fn), _plain(each, table)) for key, each in value.items())
        return _all_different(found, value)
    if type(value) in LAZY_TYPES:
        raise EvaluationError(
            "no-python-value", "a set that cannot be listed is no Python object: {value}", value=value
        )
    return value


def _all_different(found: Any, value: frozenset[Value] | tuple[Value, ...] | Fn) -> Any:
    """In Python, `True == 1`: a set that has both would lose one of them."""
    if len(found) != len(value):
        raise EvaluationError(
            "no-python-value", "TRUE and 1, or FALSE and 0, are the same in a Python set or dict: {value}", value=value
        )
    return found


def _to(value: Value, kind: Any, place: str) -> Any:
    if kind is Any or kind is object:
        return _plain(value, dict)
    if type(value) in LAZY_TYPES:
        value = normalize(value)
    kind = getattr(kind, "__value__", kind)  # `type Name = …`
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        return _to(value, typing.get_args(kind)[0], place)
    if origin in (typing.Union, types.UnionType):
        return _to_first(value, kind, place)
    if origin is typing.Literal:
        return _to_literal(value, kind, place)
    convert = _CONVERTERS.get(origin or kind)
    if convert is not None:
        return convert(value, kind, place)
    if isinstance(kind, type):
        return _to_class(value, kind, place)
    raise TypeError(f"{_at(place)}{kind!r} is no type that TLA+ values can be converted to")


def _to_class(value: Value, kind: type[Any], place: str) -> Any:
    if issubclass(kind, Enum):
        members = [member for member in kind if _is_same(from_python(member), value)]
        return members[0] if members else _refuse(value, kind, place)
    if dataclasses.is_dataclass(kind):
        names = {field.name: field for field in dataclasses.fields(kind) if field.init}
        required = [name for name, field in names.items() if not _has_default(field)]
        return _to_fields(value, kind, names, required, place)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        required = [name for name in kind._fields if name not in kind._field_defaults]  # type: ignore[attr-defined]
        return _to_fields(value, kind, kind._fields, required, place)
    raise TypeError(f"{_at(place)}{kind.__name__} is no type that TLA+ values can be converted to")


def _has_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def _to_fields(
    value: Value, kind: type[Any], names: abc.Collection[str], required: abc.Iterable[str], place: str
) -> Any:
    items = value.items() if type(value) is Fn else ()
    fields = {name: each for name, each in items if type(name) is str}
    if (not fields and value != ()) or len(fields) < len(items):
        return _refuse(value, kind, place)
    missing = [name for name in required if name not in fields]
    more = [name for name in fields if name not in names]
    if missing or more:
        said = f"it has no {missing[0]}" if missing else f"{kind.__name__} has no {more[0]}"
        return _refuse(value, kind, place, said)
    hints = typing.get_type_hints(kind, include_extras=True)
    return kind(**{name: _to(each, hints.get(name, Any), f"{place}.{name}") for name, each in fields.items()})


def _to_first(value: Value, kind: Any, place: str) -> Any:
    """Of several types, the first that will do."""
    for each in typing.get_args(kind):
        if each is not type(None):
            try:
                return _to(value, each, place)
            except EvaluationError:
                continue
    return _refuse(value, kind, place)


def _to_literal(value: Value, kind: Any, place: str) -> Any:
    for each in typing.get_args(kind):
        if each is not None and _is_same(from_python(each), value):
            return each
    return _refuse(value, kind, place)


def _is_same(a: Value, b: Value) -> bool:
    return type(a) is type(b) and a == b


def _to_atom(value: Value, kind: type[Any], place: str) -> Any:
    return value if type(value) is kind else _refuse(value, kind, place)


def _to_bool(value: Value, kind: Any, place: str) -> bool:
    return value.truth if type(value) is Boolean else _refuse(value, kind, place)


def _to_set(value: Value, kind: Any, place: str) -> Any:
    if type(value) is not frozenset:
        return _refuse(value, kind, place)
    (part,) = typing.get_args(kind) or (Any,)
    make = set if (typing.get_origin(kind) or kind) in (set, abc.MutableSet) else frozenset
    found = [_plain(each, Fn) if part is Any else _to(each, part, f"{place}{{…}}") for each in value]
    return _all_different(make(_hashable(each, place) for each in found), value)


def _hashable(thing: Any, place: str) -> Any:
    try:
        hash(thing)
    except TypeError:
        raise TypeError(
            f"{_at(place)}a {type(thing).__name__} cannot be in a Python set or a key; ask for tuple, frozenset or "
            "a frozen dataclass"
        ) from None
    return thing


def _to_list(value: Value, kind: Any, place: str) -> Any:
    if type(value) is not tuple:
        return _refuse(value, kind, place)
    (part,) = typing.get_args(kind) or (Any,)
    return [_to(each, part, f"{place}[{number}]") for number, each in enumerate(value, 1)]


def _to_tuple(value: Value, kind: Any, place: str) -> Any:
    if type(value) is not tuple:
        return _refuse(value, kind, place)
    parts = typing.get_args(kind)
    if not parts:
        parts = (Any, ...)
    if len(parts) == 2 and parts[1] is ...:
        parts = (parts[0],) * len(value)
    if parts == ((),):
        parts = ()
    if len(parts) != len(value):
        return _refuse(value, kind, place, f"its length is {len(value)}")
    return tuple(_to(each, part, f"{place}[{n}]") for n, (each, part) in enumerate(zip(value, parts, strict=True), 1))


def _to_dict(value: Value, kind: Any, place: str) -> Any:
    if type(value) is tuple:
        items: abc.Iterable[tuple[Value, Value]] = enumerate(value, 1)
    elif type(value) is Fn:
        items = value.items()
    else:
        return _refuse(value, kind, place)
    key_kind, part = typing.get_args(kind) or (Any, Any)
    found = {
        _hashable(_plain(key, Fn) if key_kind is Any else _to(key, key_kind, place), place): _to(
            each, part, f"{place}[{key!r}]"
        )
        for key, each in items
    }
    return _all_different(found, value)


def _refuse(value: Value, kind: Any, place: str, why: str = "") -> Any:
    name = kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind).replace("typing.", "")
    after = f" is no {name}{f': {why}' if why else ''}"
    raise EvaluationError("no-python-value", _escaped(_at(place)) + "{value}" + _escaped(after), value=value)


_CONVERTERS: dict[Any, Callable[[Value, Any, str], Any]] = {
    bool: _to_bool,
    int: _to_atom,
    str: _to_atom,
    ModelValue: _to_atom,
    **dict.fromkeys((set, frozenset, abc.Set, abc.MutableSet), _to_set),
    **dict.fromkeys((list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection), _to_list),
    tuple: _to_tuple,
    **dict.fromkeys((dict, abc.Mapping, abc.MutableMapping), _to_dict),
}
