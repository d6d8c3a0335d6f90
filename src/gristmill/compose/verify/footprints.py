"""What the actions of the modules write and read, variable by variable, at both grains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gristmill.building import build
from gristmill.compose.system import ComposedAction, Composition
from gristmill.ir.model import Action, Model
from gristmill.ir.passes.dependencies import Dependencies, dependencies
from gristmill.ir.places import Place


@dataclass(frozen=True, slots=True)
class Footprint:
    """Of an action of a composition. `itself`: variables whose new value it computes from the old one.

    To change a part of a function and to leave the others is not that; to count is. `depths`: for each variable that it
    writes, how many arguments lead to the parts that it writes.
    """

    action: ComposedAction
    reads: frozenset[str]
    writes: frozenset[str]
    itself: frozenset[str]
    depths: Mapping[str, frozenset[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Footprints:
    """Of all actions of a composition that has all variables."""

    composition: Composition
    model: Model
    actions: tuple[Footprint, ...]

    def of(self, modules: Iterable[str]) -> list[Footprint]:
        wanted = set(modules)
        return [each for each in self.actions if each.action.module in wanted]

    def writers(self, variable: str, modules: Iterable[str]) -> list[Footprint]:
        return [each for each in self.of(modules) if variable in each.writes]


def footprints(composition: Composition) -> Footprints:
    model = model_of(composition)
    with model.world.active():
        found = {action.name: _together(model, action.name) for action in model.actions}
        actions = [_footprint(model, each, found[each.name]) for each in composition.actions if each.name in found]
    return Footprints(composition, model, tuple(actions))


def model_of(composition: Composition) -> Model:
    return build(composition.text, config=composition.config, search_path=composition.search_path).model


def _together(model: Model, name: str) -> list[Dependencies]:
    """Several disjuncts of one definition."""
    return [dependencies(action) for action in model.actions if action.name == name]


def _footprint(model: Model, action: ComposedAction, found: list[Dependencies]) -> Footprint:
    writes = [write for each in found for write in each.writes]
    reads = _names(model, (place for each in found for place in each.reads))
    itself = {write.place.variable for write in writes if any(p.variable == write.place.variable for p in write.sources)}
    depths: dict[str, set[int]] = {}
    for write in writes:
        depths.setdefault(model.variables[write.place.variable], set()).add(len(write.place.path))
    return Footprint(
        action,
        reads,
        frozenset(depths),
        frozenset(model.variables[index] for index in itself),
        {name: frozenset(each) for name, each in depths.items()},
    )


def _names(model: Model, places: Iterable[Place]) -> frozenset[str]:
    return frozenset(model.variables[place.variable] for place in places)


def of_code(model: Model, action: ComposedAction, pseudo: Action) -> Footprint:
    """Of a formula that is no action of its model."""
    with model.world.active():
        return _footprint(model, action, [dependencies(pseudo)])
