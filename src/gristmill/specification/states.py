"""States and steps as programs see them: mappings from the names of variables to Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from gristmill.search import Parameters
from gristmill.search.follow import Followed
from gristmill.source import Span
from gristmill.values import Value, World, show, to_python

T = TypeVar("T")


class State(Mapping[str, Any]):
    """The value of each variable, as a Python object: `state["log"]`. `state.raw["log"]` is the TLA+ value itself.

    States do not change, can be compared and hashed. They are equal if all variables have equal TLA+ values; a mapping
    that is no state is compared with the Python objects.
    """

    __slots__ = ("_names", "_values", "_world")

    def __init__(self, names: tuple[str, ...], values: tuple[Value, ...], world: World) -> None:
        self._names, self._values, self._world = names, values, world

    @property
    def raw(self) -> Mapping[str, Value]:
        """TLA+ values: see `gristmill.values`."""
        return MappingProxyType(dict(zip(self._names, self._values, strict=True)))

    @property
    def world(self) -> World:
        """The run that the values belong to; show them while it is active."""
        return self._world

    def convert(self, name: str, kind: type[T]) -> T:
        """The value of a variable as a type of the program's: `state.convert("log", list[Entry])`."""
        with self._world.active():
            return to_python(self._value(name), kind)

    def _value(self, name: str) -> Value:
        try:
            return self._values[self._names.index(name)]
        except ValueError:
            raise KeyError(name) from None

    def __getitem__(self, name: str) -> Any:
        value = self._value(name)
        with self._world.active():
            return to_python(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __hash__(self) -> int:
        return hash(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, State):
            return self._names == other._names and self._values == other._values
        if isinstance(other, Mapping):
            return dict(self) == dict(other)
        return NotImplemented

    def __repr__(self) -> str:
        with self._world.active():
            shown = [f"{name} = {show(value)}" for name, value in zip(self._names, self._values, strict=True)]
        return f"<State {', '.join(shown)}>"


@dataclass(frozen=True, slots=True, repr=False)
class Following(Followed):
    """How far a specification follows a trace. Printed, it tells the behaviour, and why it goes no further."""

    def __repr__(self) -> str:
        return f"<Following {self.verdict}: {self.matched:,} items>"

    def __str__(self) -> str:
        from gristmill.report.followed import render_followed  # most programs ask, and print nothing

        return render_followed(self)


@dataclass(frozen=True, slots=True)
class Transition:
    """A step: the action by name, the parameters that it is taken with as Python objects, and the state it leads to."""

    action: str
    parameters: Mapping[str, Any]
    state: State
    raw_parameters: Parameters = ()
    location: Span | None = None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"<{self.action}({given}) to {self.state!r}>"
