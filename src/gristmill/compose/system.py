"""The vocabulary of `compose`: a system is made of modules, a module has grains, a mix takes one grain of each.

A grain is a TLA+ file and the actions in it that make up a module. Its file declares only the variables that it uses;
a variable of the same name in two files is one variable. `manifest` reads a system from a file, `build` composes a mix
into one specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gristmill.source import Diagnostic, SourceFile, Span
from gristmill.source.toml_places import Places

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
    modules that it is a grain of, more than one where a coarse grain merges several; `covered_by`: of the grains of the
    others, which have no actions of their own, the module and the grain that has them. `action_map`: from the names of
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
    next: str = "Next"
    covered_by: tuple[str, str] | None = None


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

    @property
    def coarsest(self) -> Grain:
        """The end of the chain of coarse counterparts that begins with the finest grain."""
        *_, last = self.chain()
        return last

    def chain(self) -> Iterator[Grain]:
        """From the finest grain to its coarse counterpart, to that one's, and so on."""
        grain: Grain | None = self.finest
        while grain is not None:
            yield grain
            grain = next((each for each in self.grains.values() if each.counterpart == grain.name), None)


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
    """What a manifest says. `source` is the manifest itself, `folder` where its files are.

    `constants` are those of the manifest; the configuration `config` has more. `keep`: variables (or globs) that stay
    in every composition. `places` knows where in the manifest a key stands.
    """

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
    places: Places | None = field(default=None, compare=False, repr=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def place(self, *path: str | int) -> Span:
        """Where the manifest says something: the value of a key, or what is nearest to it."""
        return self.source.span(0, 0) if self.places is None else self.places.value(*path)

    def grain(self, module: str, grain: str) -> Grain:
        return self.modules[module].grains[grain]

    def finest(self) -> dict[str, str]:
        """The mix S: every module at its finest grain."""
        return {name: module.finest.name for name, module in self.modules.items()}

    def coarsest(self) -> dict[str, str]:
        """The mix A: every module at its coarsest grain."""
        return {name: module.coarsest.name for name, module in self.modules.items()}

    def focused(self, module: str) -> dict[str, str]:
        """The mix C_i: one module at its finest grain, the others at their coarsest.

        A coarse grain that covers several modules goes when one of them is wanted fine; the others then are fine, too.
        """
        mix = self.coarsest()
        group = {module} | {name for name in mix if _shared(self, module, name, mix)}
        return {**mix, **{name: self.modules[name].finest.name for name in group}}


def _shared(system: System, one: str, other: str, mix: Mix) -> bool:
    """Whether the same coarse grain stands for both modules in a mix."""
    return holder(system.grain(one, mix[one])) == holder(system.grain(other, mix[other]))


def holder(grain: Grain) -> tuple[str, str]:
    """The module and the name of the grain that has the actions of this one."""
    return grain.covered_by or (grain.module, grain.name)


@dataclass(frozen=True, slots=True)
class ComposedAction:
    """An action of a composition, under the name that it has in there.

    `formula`: what stands for it in Next, without its frame, and `frame` the variables that it leaves unchanged because
    its file does not declare them. Actions that Next applies by way of one dispatcher have the same formula.
    `origin`: its name in its own file.
    """

    name: str
    module: str
    grain: str
    file: Path
    formula: str = ""
    frame: tuple[str, ...] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """An invariant that a composition cannot speak of, and why."""

    invariant: Invariant
    reason: str


@dataclass(frozen=True, slots=True)
class Composition:
    """One specification made of a grain for each module: `text` is a TLA+ module, `config` its configuration file.

    `dropped`: variables that the grains write and nobody reads. `lost`: those that a coarse grain no longer writes, and
    `lost_because` the reason for each. `also`: actions that are defined, but are no part of Next. `search_path`: where
    modules are that the text instantiates.
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
    also: tuple[ComposedAction, ...] = ()
    lost_because: Mapping[str, str] = field(default_factory=dict)
    search_path: tuple[Path, ...] = ()
    invariant_names: Mapping[str, str] = field(default_factory=dict)  # what they are called in the text
    constraints: tuple[str, ...] = ()  # of states and of steps, of the configuration: what is cut off is not looked at
