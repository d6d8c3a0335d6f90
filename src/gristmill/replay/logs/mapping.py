"""What the table [log] of a mapping says: how lines of a log become events of a specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.source import Span
from gristmill.systems.formulas import Formula

Path: TypeAlias = tuple[str, ...]  # keys that lead into an object of JSON

ANY = "*"  # in place of the name of an action


@dataclass(frozen=True, slots=True)
class Seen:
    """An expression over a state, and one over the event: they have the same value. Only `where` that is true."""

    model: Formula
    logged: Formula
    where: Formula | None = None


@dataclass(frozen=True, slots=True)
class ActRule:
    """A step by an action (None: by any), with the values of some parameters, for which `such_that` is true."""

    action: str | None
    parameters: Mapping[str, Formula]
    such_that: Formula | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """What events of a kind are, if `where` is true: one of several ways, each of some steps, perhaps none."""

    kind: str
    ways: tuple[tuple[ActRule, ...], ...]
    observes: tuple[Seen, ...]
    before: tuple[Seen, ...]
    where: Formula | None
    span: Span


@dataclass(frozen=True, slots=True)
class LogMapping:
    """
    - `kind`, `node`: where a line says what happened, and on which node. Without `node`, the name of the file does.
    - `name`: what expressions call the event.
    - `streams`: what keeps its order: the lines of a file, or those of a node.
    - `clock`, `skew`: an event is before those of other streams whose clock is later by more than the skew.
    - `vector`: an event is before those whose vector clock is greater.
    - `hidden`: actions that leave no line; `ignore`: kinds that mean nothing; `skip_others`: nor do lines without one.
    - `names`: what strings of the log are called in the specification; `model_values`: those that are model values.
    """

    kind: Path
    node: Path | None
    name: str
    streams: Literal["file", "node"]
    clock: Path | None
    skew: int | float
    vector: Path | None
    hidden: tuple[str, ...]
    ignore: tuple[str, ...]
    skip_others: bool
    names: Mapping[str, str]
    model_values: frozenset[str]
    rules: Mapping[str, tuple[Rule, ...]]
    span: Span
