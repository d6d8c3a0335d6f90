"""`dataclass`, made in a fifth of the time: for classes that everybody who starts Gristmill waits for.

The decorator of the standard library compiles up to six functions for each class; for the classes of a run that takes
longer than to check a small specification. Here only `__init__` is compiled. What is not that simple (inherited fields,
no slots, ClassVar, `init=False`, an `__eq__` of its own) is left to the standard library. `fields`, `replace`, pickling
and matching work as they do there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from types import SimpleNamespace
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
Methods = dict[str, Any]  # by name


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(
    *, frozen: bool = False, slots: bool = False, eq: bool = True, repr: bool = True
) -> Callable[[type[T]], type[T]]:
    def wrap(cls: type[T]) -> type[T]:
        fields = _simple_fields(cls) if slots else None
        if fields is None:
            return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, repr=repr)(cls)
        return _made(cls, fields, frozen=frozen, eq=eq, repr=repr)

    return wrap


def _simple_fields(cls: type) -> dict[str, Field[Any]] | None:
    """By name; None if there is more to it."""
    inherits = any("__dataclass_fields__" in base.__dict__ or "__slots__" in base.__dict__ for base in cls.__mro__)
    if inherits or "__eq__" in cls.__dict__ or "__hash__" in cls.__dict__:
        return None
    found: dict[str, Field[Any]] = {}
    for name, annotation in get_annotations(cls).items():
        if not isinstance(annotation, str) or "ClassVar" in annotation or "InitVar" in annotation:
            return None
        default = cls.__dict__.get(name, MISSING)
        field: Field[Any] = default if isinstance(default, Field) else dataclasses.field(default=default)
        is_mutable = field.default.__class__.__hash__ is None
        if not field.init or field.hash is not None or field.kw_only is True or is_mutable:
            return None
        field.name, field.type, field.kw_only = name, annotation, False
        field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
        found[name] = field
    return found


def _made(cls: type[T], fields: dict[str, Field[Any]], *, frozen: bool, eq: bool, repr: bool) -> type[T]:
    own = {name: value for name, value in cls.__dict__.items() if name not in fields}
    del own["__dict__"], own["__weakref__"]
    own["__init__"] = _init(fields, frozen, "__post_init__" in own)
    if repr:
        own.setdefault("__repr__", _repr(fields))
    if eq:
        own |= _comparison(fields, frozen)
    if frozen:
        own |= _immutability(fields)
    own["__slots__"] = own["__match_args__"] = tuple(fields)
    own["__qualname__"] = cls.__qualname__
    own["__dataclass_fields__"] = fields
    own["__dataclass_params__"] = SimpleNamespace(
        init=True, repr=repr, eq=eq, order=False, unsafe_hash=False, frozen=frozen
    )
    made: Any = type(cls)
    return made(cls.__name__, cls.__bases__, own)  # type: ignore[no-any-return]


def _init(fields: dict[str, Field[Any]], frozen: bool, has_post_init: bool) -> Any:
    names: dict[str, Any] = {"set_field": object.__setattr__, "MISSING": MISSING}
    parameters, lines = [], []
    for name, field in fields.items():
        value, parameter = name, name
        if field.default is not MISSING:
            names[f"default_{name}"], parameter = field.default, f"{name}=default_{name}"
        elif field.default_factory is not MISSING:
            names[f"make_{name}"], parameter = field.default_factory, f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        parameters.append(parameter)
        lines.append(f"set_field(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    lines += ["self.__post_init__()"] if has_post_init else []
    body = "\n    ".join(lines or ["pass"])
    exec(f"def __init__(self, {', '.join(parameters)}):\n    {body}\n", names)
    return names["__init__"]


def _repr(fields: dict[str, Field[Any]]) -> Any:
    shown = [name for name, field in fields.items() if field.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({values})"

    return __repr__


def _comparison(fields: dict[str, Field[Any]], frozen: bool) -> Methods:
    compared = [name for name, field in fields.items() if field.compare]
    content: Callable[[Any], Any] = attrgetter(*compared) if compared else _nothing

    def __eq__(self: Any, other: Any) -> Any:
        return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(content(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _nothing(of: Any) -> tuple[()]:
    return ()


def _immutability(fields: dict[str, Field[Any]]) -> Methods:
    def __setattr__(self: Any, name: str, value: Any) -> None:
        if name in fields:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)  # that a subclass adds; else it fails as well

    def __delattr__(self: Any, name: str) -> None:
        if name in fields:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        object.__delattr__(self, name)

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in fields]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(fields, state, strict=True):
            object.__setattr__(self, name, value)

    return {
        "__setattr__": __setattr__,
        "__delattr__": __delattr__,
        "__getstate__": __getstate__,
        "__setstate__": __setstate__,
    }
