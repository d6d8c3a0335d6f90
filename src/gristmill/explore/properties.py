"""What is asked of a system: invariants, end-state properties, "always eventually".

A property is a function of a `View` of the global state that returns something true or false. It must depend on
nothing else: results are remembered by what the function read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, overload

from gristmill.trace.schedule import Record, Sent

PropertyKind = Literal["invariant", "end", "eventually", "history"]


class ProcessView(Protocol):
    """A process as a property sees it: its fields as attributes, its name, whether it is up."""

    name: str
    up: bool

    def __getattr__(self, field: str) -> Any: ...


class View(Protocol):
    """A global state as a property sees it. It can be read, not changed."""

    def __getitem__(self, name: str) -> ProcessView: ...

    def of(self, kind: type) -> Sequence[ProcessView]:
        """The processes of a class, in the order in which the system names them."""

    @property
    def network(self) -> Sequence[Sent]:
        """The messages in flight."""


@dataclass(frozen=True, slots=True)
class Property:
    """`invariant`: in every state. `end`: in states without a next step. `eventually`: again and again on every run.

    `history`: of the operations recorded by `self.invoke` and `self.respond` in a run, checked where it ends.
    """

    name: str
    kind: PropertyKind
    holds: Callable[[Any], object]


StateTest = Callable[[Any], object]


@overload
def invariant(test: StateTest) -> Property: ...
@overload
def invariant(*, name: str) -> Callable[[StateTest], Property]: ...
def invariant(test: StateTest | None = None, *, name: str = "") -> Property | Callable[[StateTest], Property]:
    """Holds in every reachable state."""
    return _property("invariant", test, name)


@overload
def end_state(test: StateTest) -> Property: ...
@overload
def end_state(*, name: str) -> Callable[[StateTest], Property]: ...
def end_state(test: StateTest | None = None, *, name: str = "") -> Property | Callable[[StateTest], Property]:
    """Holds in every reachable state in which nothing more can happen (faults aside)."""
    return _property("end", test, name)


@overload
def eventually(test: StateTest) -> Property: ...
@overload
def eventually(*, name: str) -> Callable[[StateTest], Property]: ...
def eventually(test: StateTest | None = None, *, name: str = "") -> Property | Callable[[StateTest], Property]:
    """On every run, from every state on, holds at some time: "always eventually". A run that ends stays where it is."""
    return _property("eventually", test, name)


def history(name: str, accepts: Callable[[Sequence[Record]], object]) -> Property:
    """Of the operations recorded in a run: for example, that they are linearizable."""
    return Property(name, "history", accepts)


def _property(kind: PropertyKind, test: StateTest | None, name: str) -> Property | Callable[[StateTest], Property]:
    def made(function: StateTest) -> Property:
        return Property(name or getattr(function, "__name__", kind), kind, function)

    return made if test is None else made(test)
