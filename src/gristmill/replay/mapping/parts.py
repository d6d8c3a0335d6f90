"""What a mapping consists of."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gristmill.replay.driver import Node, Point, Reading
from gristmill.source import SourceFile, Span
from gristmill.source.toml_places import Places
from gristmill.specification import Specification
from gristmill.systems.formulas import Formula

MoveKind: TypeAlias = Literal["release", "await", "fault", "call", "open", "hold", "settle", "do"]


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that is done to the system, or waited for.

    - `release`: an actor that is held at the point `name` on node `on`, for which `where` is true, goes on, until it
      reaches one of the points `to`; without `to`, until the system has settled.
      With `all`, every actor that is held there now goes on, none or many, and nothing is waited for;
      with `until`, every one that comes there goes on until one of that node is at the point `until`.
    - `await`: an actor reaches the point `name` on node `on`.
    - `fault`, `call`: of that name, on node `on`, with `details`.
    - `open`, `hold`: the `points`, on node `on` or everywhere, until the action is over.
    - `settle`: until nothing moves by itself.
    - `do`: the moves of that `name`, for which `details` are the names that they speak of.

    Formulas speak of the state before the step, the parameters of the action, and `after`, a record of the variables
    after it; `where` besides of what the point binds, and of `node`.
    """

    kind: MoveKind
    name: str = ""
    points: tuple[str, ...] = ()
    on: Formula | None = None
    where: Formula | None = None
    to: tuple[str, ...] = ()
    to_where: Formula | None = None
    changes: MappingOf[str, Formula] = field(default_factory=dict)
    details: MappingOf[str, Formula] = field(default_factory=dict)
    each: tuple[str, Formula] | None = None  # once for every element of a set, or of a sequence in its order
    repeat: Formula | None = None
    condition: Formula | None = None
    all: bool = False
    until: str = ""
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class ActionMap:
    """What an action of the specification is in the system. `early`: an actor may be held where it begins before the
    specification enables it."""

    name: str
    parameters: tuple[str, ...]
    moves: tuple[Move, ...]
    early: Formula | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class VariableMap:
    """How a variable is observed. `value`: from the readings; `model`: what it is compared with, in the model's state.

    With `per`, both are of each node by that name; `when` says in which states it can be compared. If it cannot be
    observed, `unobserved` says why.
    """

    name: str
    value: Formula | None = None
    model: Formula | None = None
    per: str | None = None
    when: Formula | None = None
    readings: tuple[str, ...] = ()
    unobserved: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """Steps that random traces avoid: a bug that is known, something the system cannot be made to do."""

    name: str
    when: Formula
    because: str


@dataclass(frozen=True, slots=True)
class ViolationMap:
    """How a violation of an invariant shows itself in the system once its trace has been replayed.

    `moves` are done after the last step; then a failure whose text matches `failure` must have been seen, and `shows`,
    which speaks of readings by node (`log[1]`), must be true.
    """

    invariant: str
    moves: tuple[Move, ...] = ()
    failure: str | None = None
    shows: Formula | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 10.0  # an action that has not come by then never comes
    patience: float = 3.0  # for a variable to become what it should be
    start_seconds: float = 30.0
    start_tries: int = 3
    reset_seconds: float = 5.0  # after that, the system is started anew


@dataclass(frozen=True, slots=True)
class Mapping:
    name: str
    driver: str
    specification: Specification
    nodes: tuple[Node, ...]
    node_values: MappingOf[Node, Any]  # the TLA+ values that stand for them
    points: tuple[Point, ...]
    readings: MappingOf[str, Reading]
    actions: MappingOf[str, ActionMap]
    variables: MappingOf[str, VariableMap]
    known: tuple[Known, ...]
    violations: MappingOf[str, ViolationMap]
    start: tuple[Move, ...]
    strays: tuple[Move, ...]  # actors that the model does not speak of: they go on as soon as they are seen
    reset: tuple[Move, ...]  # from wherever a trace has ended back to the initial state; none if that takes a new start
    moves: MappingOf[str, tuple[Move, ...]]  # that several actions have in common, by name
    limits: Limits
    source: SourceFile
    document: MappingOf[str, Any]
    places: Places
    folder: Path

    @property
    def gates(self) -> tuple[str, ...]:
        """Points where actors are held."""
        return tuple(point.name for point in self.points if not point.tells)
