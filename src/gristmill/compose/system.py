"""The vocabulary of `compose`: a system is made of modules, a module has grains, a mix takes one grain of each.

A grain is a TLA+ file and the actions in it that make up a module. Its file declares only the variables that it uses;
a variable of the same name in two files is one variable. `manifest` reads a system from a file, `build` composes a mix
into one specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gristmill.source import SourceFile, Span

ENVIRONMENT = "environment"  # the module of faults and clients: in every mix, and nobody's to abstract from
FINE = "fine"  # the grain of a module whose actions are those of the root's next-state relation


@dataclass(frozen=True, slots=True)
class ActionPattern:
    """An entry of `actions`: a name or a glob, `Name(p, q)`, or a quantified call. `text` as it was written."""

    text: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Grain:
    """One way to write a module.

    `counterpart`: the finer grain of the same module that this one stands in for, if it is a coarse one. `covers`: the
    modules that it is a grain of, more than one where a coarse grain merges several. `action_map`: from the names of
    actions of the counterpart (or globs) to those of this grain; an empty tuple for those nobody else can see; None
    where nothing is said, and the map is to be found.
    """

    name: str
    module: str
    file: Path
    actions: tuple[ActionPattern, ...]
    span: Span = field(compare=False)
    counterpart: str | None = None
    covers: tuple[str, ...] = ()
    action_map: Mapping[str, tuple[str, ...]] | None = None
    init: str = "Init"


@dataclass(frozen=True, slots=True)
class Module:
    """A named set of actions, at one or more grains. `grains` in the order of the manifest."""

    name: str
    grains: Mapping[str, Grain]
    span: Span = field(compare=False)

    @property
    def finest(self) -> Grain:
        """The grain that is nobody's coarse counterpart; the first of them if there are several."""
        return next(grain for grain in self.grains.values() if grain.counterpart is None)


@dataclass(frozen=True, slots=True)
class Invariant:
    """`grains`: those of each module that it is meant for; of a module that is not there, all."""

    name: str
    file: Path
    span: Span = field(compare=False)
    grains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


Mix = Mapping[str, str]  # a grain for each module, by names


@dataclass(frozen=True, slots=True)
class System:
    """What a manifest says. `source` is the manifest itself, `folder` where its files are."""

    name: str
    source: SourceFile
    folder: Path
    modules: Mapping[str, Module]
    environment: Module | None
    invariants: tuple[Invariant, ...]
    root: Path | None = None
    init: str = "Init"
    next: str = "Next"
    config: Path | None = None
    constants: Mapping[str, str] = field(default_factory=dict)  # in the syntax of a configuration
    domains: Mapping[str, str] = field(default_factory=dict)  # of parameters, as TLA+ expressions
    ghosts: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)  # variables with messages: the field that tells kinds apart
    keep: tuple[str, ...] = ()
    mixes: Mapping[str, Mix] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComposedAction:
    """An action of a composition, under the name that it has in there."""

    name: str
    module: str
    grain: str
    file: Path


@dataclass(frozen=True, slots=True)
class Unavailable:
    """An invariant that a composition cannot speak of, and why."""

    invariant: Invariant
    reason: str


@dataclass(frozen=True, slots=True)
class Composition:
    """One specification made of a grain for each module: `text` is a TLA+ module, `config` its configuration file.

    `dropped`: variables that the grains write and nobody reads. `lost`: those that a coarse grain no longer writes.
    """

    name: str
    mix: Mix
    text: str
    config: str
    actions: tuple[ComposedAction, ...]
    variables: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    unavailable: tuple[Unavailable, ...] = ()
