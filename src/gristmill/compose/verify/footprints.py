"""What the actions of the modules write and read, variable by variable, at both grains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gristmill.building import build
from gristmill.compose.build.sources import config_source, module_source
from gristmill.compose.system import ComposedAction, Composition
from gristmill.compose.variables.accesses import accesses_of
from gristmill.compose.variables.slices import Spoiled, cuts
from gristmill.ir.model import Model
from gristmill.ir.passes.dependencies import Dependencies, dependencies
from gristmill.ir.passes.dependencies.messages import Slicing
from gristmill.ir.places import Place, Slice

Tags = frozenset[Any]


@dataclass(frozen=True, slots=True)
class Footprint:
    """Of an action of a composition. `itself`: variables whose new value it computes from the old one.

    To change a part of a function and to leave the others is not that; to count is. `sources`: for each variable that
    it writes, those that the new value is computed from. `depths`: how many arguments lead to the parts of it that are
    written. `tags`: of a variable that is cut into slices, which it reads and which it writes.
    """

    action: ComposedAction
    reads: frozenset[str]
    writes: frozenset[str]
    itself: frozenset[str]
    sources: Mapping[str, frozenset[str]] = field(default_factory=dict)
    depths: Mapping[str, frozenset[int]] = field(default_factory=dict)
    tags: Mapping[str, tuple[Tags, Tags]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Footprints:
    """Of all actions of a composition that has all variables."""

    composition: Composition
    model: Model
    actions: tuple[Footprint, ...]
    slicings: Mapping[str, Slicing] = field(default_factory=dict)
    spoiled: tuple[Spoiled, ...] = ()

    def of(self, modules: Iterable[str]) -> list[Footprint]:
        wanted = set(modules)
        return [each for each in self.actions if each.action.module in wanted]

    def writers(self, variable: str, modules: Iterable[str]) -> list[Footprint]:
        return [each for each in self.of(modules) if variable in each.writes]


def footprints(composition: Composition, slices: Mapping[str, str]) -> Footprints:
    """`slices`: variables with messages, and the field that tells kinds of them apart."""
    model = model_of(composition)
    with model.world.active():
        cut = cuts(model, {name: tag for name, tag in slices.items() if name in model.variables})
        slicings = {name: each.slicing for name, each in cut.items() if each.slicing is not None}
        tags = _tags(model, slicings)
        found = {action.name: _together(model, action.name) for action in model.actions}
        actions = [
            replace(_footprint(model, each, found[each.name]), tags=tags.get(each.name, {}))
            for each in composition.actions
            if each.name in found
        ]
    spoiled = tuple(reason for each in cut.values() for reason in each.spoiled)
    return Footprints(composition, model, tuple(actions), slicings, spoiled)


def _tags(model: Model, slicings: Mapping[str, Slicing]) -> dict[str, dict[str, tuple[Tags, Tags]]]:
    """By action and variable."""
    if not slicings:
        return {}
    return {
        each.name: {
            name: (
                _tags_of(each.guard | each.reads_of_updates, slicing),
                _tags_of((update.slot for update in each.updates), slicing),
            )
            for name, slicing in slicings.items()
        }
        for each in accesses_of(model, tuple(slicings.values()))
    }


def _tags_of(slots: Iterable[Place], slicing: Slicing) -> Tags:
    found: set[Any] = set()
    for slot in slots:
        if slot.variable == slicing.variable:
            own = [key.tag for key in slot.path if isinstance(key, Slice)]
            found.update(own or slicing.tags)
    return frozenset(found)


def model_of(composition: Composition) -> Model:
    source, config = module_source(composition), config_source(composition)
    return build(source, config=config, search_path=composition.search_path).model


def _together(model: Model, name: str) -> list[Dependencies]:
    """Several disjuncts of one definition."""
    return [dependencies(model, action) for action in model.actions if action.name == name]


def _footprint(model: Model, action: ComposedAction, found: list[Dependencies]) -> Footprint:
    writes = [write for each in found for write in each.writes]
    reads = _names(model, (place for each in found for place in each.reads))
    sources: dict[str, frozenset[str]] = {}
    depths: dict[str, frozenset[int]] = {}
    for write in writes:
        name = model.variables[write.place.variable]
        sources[name] = sources.get(name, frozenset()) | _names(model, write.sources)
        depths[name] = depths.get(name, frozenset()) | {len(write.place.path)}
    itself = frozenset(name for name, each in sources.items() if name in each)
    return Footprint(action, reads, frozenset(sources), itself, sources, depths)


def _names(model: Model, places: Iterable[Place]) -> frozenset[str]:
    return frozenset(model.variables[place.variable] for place in places)
