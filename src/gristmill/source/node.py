"""Nodes of trees: like frozen dataclasses with slots, made in a quarter of the time.

A tree has nearly a hundred classes of nodes, whose making is most of what starting up costs, and hundreds of thousands
of nodes, whose making is much of what parsing costs. So immutability is left to the type checker, and one `exec` a
class writes what a dataclass writes with several.
"""

import dataclasses
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True)
def node(cls: Class) -> Class:
    """A class whose fields are its annotations. Those named `span` or `…_span` are not part of what a node is."""
    names = tuple(cls.__annotations__)
    compared = tuple(name for name in names if not name.endswith("span"))
    attributes = {k: v for k, v in cls.__dict__.items() if k not in ("__dict__", "__weakref__")}
    attributes |= _compiled(names, compared)
    attributes["__repr__"] = _shown
    attributes |= {"__slots__": names, "__match_args__": names, "__qualname__": cls.__qualname__}
    attributes["__dataclass_fields__"] = {name: _field(name, name in compared) for name in names}
    return type(cls.__name__, cls.__bases__, attributes)  # type: ignore[return-value]


def _compiled(names: tuple[str, ...], compared: tuple[str, ...]) -> dict[str, Any]:
    # As in a dataclass, fields are compared as one tuple: C code tells identical parts equal without looking inside.
    own = "(" + "".join(f"self.{name}, " for name in compared) + ")"
    other = "(" + "".join(f"other.{name}, " for name in compared) + ")"
    assignments = "".join(f"\n    self.{name} = {name}" for name in names) or "\n    pass"
    written: dict[str, Any] = {}
    exec(
        f"""
def __init__(self, {", ".join(names)}):{assignments}
def __eq__(self, other):
    return {own} == {other} if other.__class__ is self.__class__ else NotImplemented
def __hash__(self):
    return hash({own})
""",
        written,
    )
    return {name: written[name] for name in ("__init__", "__eq__", "__hash__")}


def _shown(self: Any) -> str:
    compared = [name for name, field in self.__dataclass_fields__.items() if field.repr]
    return f"{self.__class__.__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in compared)})"


def _field(name: str, compared: bool) -> dataclasses.Field[Any]:
    """What `dataclasses.fields` and `dataclasses.replace` look at, so that they work for nodes, too."""
    field: dataclasses.Field[Any] = dataclasses.field(compare=compared, repr=compared)
    field.name = name
    field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
    return field
