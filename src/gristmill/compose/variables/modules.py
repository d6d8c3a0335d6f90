"""What the modules of a specification read, write, share and keep to themselves.

A module is a set of actions. `analyse` finds, for each, the dependency variables D with the reason for each, the
interaction variables I of all of them, and the internal variables L = D \\ I, at the grain of slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gristmill.compose.variables import slices as cutting
from gristmill.compose.variables.accesses import Accesses, Locate, accesses_of, located, without
from gristmill.compose.variables.dependency import Dependencies, dependencies_of, never_read
from gristmill.compose.variables.interaction import Interaction, interaction_of
from gristmill.compose.variables.slices import Spoiled
from gristmill.compose.variables.slots import Slots, common, is_covered, ordered, touches
from gristmill.ir.model import Model
from gristmill.ir.nodes import Expression, Unchanged, Variable
from gristmill.ir.passes.dependencies.messages import Slicing
from gristmill.ir.places import Place, without_covered
from gristmill.ir.walk import reachable
from gristmill.source import Span
from gristmill.values import World


@dataclass(frozen=True, slots=True)
class ModuleVariables:
    """`foreign`: internal variables of other modules that it writes, with the module and the action."""

    name: str
    actions: tuple[Accesses, ...]
    dependencies: Dependencies
    internal: Slots
    writes: Slots
    foreign: tuple[tuple[Place, str, str], ...]
    droppable: tuple[str, ...]

    @property
    def reads(self) -> Slots:
        return without_covered(slot for each in self.actions for slot in each.guard | each.reads_of_updates)


@dataclass(frozen=True, slots=True)
class GhostRead:
    """A variable that was declared to be a ghost decides about an action, or about another variable."""

    variable: str
    action: str
    into: Place | None  # the slot that is computed from it; None for the enabling condition
    span: Span


@dataclass(frozen=True, slots=True)
class Variables:
    """`ghost_slots`: written, and read by nothing but themselves and invariants. `invariants`: variables of each."""

    name: str
    variables: tuple[str, ...]
    modules: Mapping[str, ModuleVariables]
    interaction: Interaction
    ghosts: tuple[str, ...]
    ghost_reads: tuple[GhostRead, ...]
    ghost_slots: Slots
    slicings: tuple[Slicing, ...]
    spoiled: tuple[Spoiled, ...]
    suggestions: tuple[Slicing, ...]
    invariants: Mapping[str, tuple[str, ...]]
    world: World

    def text(self, slot: Place) -> str:
        return slot.text(self.variables)

    def names(self, slots: Iterable[Place]) -> list[str]:
        """The variables that slots are of."""
        return [self.variables[index] for index in sorted({slot.variable for slot in slots})]

    def writers(self, slot: Place) -> list[tuple[str, str]]:
        """Modules and actions that may write to a slot."""
        return [
            (module.name, action.name)
            for module in self.modules.values()
            for action in module.actions
            if touches(slot, action.writes)
        ]

    @property
    def written_by_others(self) -> list[tuple[Place, str]]:
        """Internal variables that another module writes, with the module that they are internal to.

        By the papers' definitions these are no interaction variables; still it is by them that modules are told things.
        """
        found = {
            (common(slot, own), owner): None
            for module in self.modules.values()
            for slot, owner, _ in module.foreign
            for own in self.modules[owner].internal
            if own.may_touch(slot)
        }
        return [(slot, owner) for owner in self.modules for slot in ordered(s for s, o in found if o == owner)]

    def readers(self, slot: Place) -> list[str]:
        """Modules of which a slot is a dependency."""
        return [each.name for each in self.modules.values() if touches(slot, each.dependencies.slots)]


def analyse(
    model: Model,
    modules: Mapping[str, Sequence[str]],
    *,
    ghosts: Sequence[str] = (),
    slices: Mapping[str, str] | None = None,
    suggest: bool = True,
    locate: Locate | None = None,
) -> Variables:
    """The variables of modules, each a list of names of actions of a model.

    `ghosts` are left out of everything; `slices` says by which field of its messages a variable is cut. `suggest`: also
    look for variables that could be cut. `locate`: where a place in the text of an action is to be shown.
    """
    with model.world.active():
        return _analysed(model, modules, ghosts, slices or {}, suggest, locate)


def _analysed(
    model: Model,
    modules: Mapping[str, Sequence[str]],
    ghosts: Sequence[str],
    slices: Mapping[str, str],
    suggest: bool,
    locate: Locate | None,
) -> Variables:
    cut = cutting.cuts(model, {name: field for name, field in slices.items() if name in model.variables})
    slicings = tuple(each.slicing for each in cut.values() if each.slicing is not None)
    found = accesses_of(model, slicings)
    spoiled = [spoiled for each in cut.values() for spoiled in each.spoiled]
    if locate is not None:
        found = tuple(located(each, locate) for each in found)
        spoiled = [
            replace(each, span=locate(each.action, each.span)) if each.action and each.span else each
            for each in spoiled
        ]
    hidden = frozenset(model.variables.index(name) for name in ghosts if name in model.variables)
    seen = {each.name: without(each, hidden) for each in found}
    parts = {name: tuple(seen[action] for action in dict.fromkeys(actions)) for name, actions in modules.items()}
    dependencies = {name: dependencies_of(actions) for name, actions in parts.items()}
    interaction = interaction_of(parts, dependencies)
    return Variables(
        name=model.name,
        variables=model.variables,
        modules={
            name: _module(name, actions, parts, dependencies, interaction, model.variables, hidden)
            for name, actions in parts.items()
        },
        interaction=interaction,
        ghosts=tuple(ghosts),
        ghost_reads=tuple(_ghost_reads(found, hidden, model.variables)),
        ghost_slots=never_read(list(seen.values())),
        slicings=slicings,
        spoiled=tuple(spoiled),
        suggestions=tuple(cutting.suggested(model, already=[*slices, *ghosts])) if suggest else (),
        invariants={each.name: _mentioned(each.code.body, model.variables) for each in model.invariants},
        world=model.world,
    )


def _module(
    name: str,
    actions: tuple[Accesses, ...],
    parts: Mapping[str, tuple[Accesses, ...]],
    dependencies: Mapping[str, Dependencies],
    interaction: Interaction,
    variables: tuple[str, ...],
    hidden: frozenset[int],
) -> ModuleVariables:
    own = dependencies[name]
    internal = {
        other: frozenset(slot for slot in each.slots if not is_covered(slot, interaction.slots))
        for other, each in dependencies.items()
    }
    writes = without_covered(slot for each in actions for slot in each.writes)
    return ModuleVariables(
        name,
        actions,
        own,
        internal[name],
        writes,
        tuple(
            (update.slot, other, action.name)
            for action in actions
            for update in action.updates
            for other in parts
            if other != name and touches(update.slot, internal[other])
        ),
        tuple(_droppable(name, writes, dependencies, interaction, variables, hidden)),
    )


def _droppable(
    name: str,
    written: Slots,
    dependencies: Mapping[str, Dependencies],
    interaction: Interaction,
    variables: tuple[str, ...],
    hidden: frozenset[int],
) -> Iterable[str]:
    """Variables that no other module can tell from anything: those that a coarse grain of this one may do without."""
    others = [slot for other, each in dependencies.items() if other != name for slot in each.slots]
    needed = {slot.variable for slot in (*interaction.slots, *others)}
    own = {slot.variable for slot in dependencies[name].slots | written}
    return (variables[index] for index in sorted(own - needed - hidden))


def _ghost_reads(
    actions: Sequence[Accesses], hidden: frozenset[int], variables: tuple[str, ...]
) -> Iterable[GhostRead]:
    for action in actions:
        for test in action.tests:
            if test.slot.variable in hidden:
                yield GhostRead(variables[test.slot.variable], action.name, None, test.span)
        for update in action.updates:
            if update.slot.variable in hidden:
                continue
            for index in sorted({slot.variable for slot in update.sources} & hidden):
                yield GhostRead(variables[index], action.name, update.slot, update.span)


def _mentioned(node: Expression, variables: tuple[str, ...]) -> tuple[str, ...]:
    indices: set[int] = set()
    for each in reachable(node):
        match each:
            case Variable(index, _):
                indices.add(index)
            case Unchanged(some):
                indices.update(some)
    return tuple(variables[index] for index in sorted(indices))
