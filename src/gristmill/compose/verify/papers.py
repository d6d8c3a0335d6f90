"""The conditions of the two papers, by the letter.

IPA (section III-B) on the coarse module M~ of M, with D the dependency variables, I the interaction variables and L
the internal ones: (1) D of M~ is within I and D of M; (2) interaction variables and (3) internal ones are computed from
I and D of M~ alone; (4) is a matter of steps. Remix (section 3.2): (1) variables that other modules depend on, and
interaction variables, remain; (2) so do their updates.

Neither is needed for the argument of `verify`, which stands on O0 to O3, nor enough for one: this is told, so that who
knows the papers finds their words here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gristmill.compose.system import ComposedAction
from gristmill.compose.variables.accesses import Accesses
from gristmill.compose.variables.modules import Variables, analyse
from gristmill.compose.verify.footprints import Footprint, Footprints
from gristmill.compose.verify.places import Places
from gristmill.compose.verify.result import Condition, Finding
from gristmill.compose.verify.units import Unit
from gristmill.compose.verify.visible import Views
from gristmill.ir.places import Place, Slice
from gristmill.source import Diagnostic, Span
from gristmill.values import show

Names = frozenset[str]  # of variables, or of slices of them


def papers_findings(views: Views, places: Places) -> Iterator[Finding]:
    fine = _analysed(views, views.all_fine, {unit.name: views.fine_actions(unit) for unit in views.plan.units})
    coarse = _analysed(views, views.all_coarse, {unit.name: views.coarse_actions(unit) for unit in views.plan.units})
    for unit in views.plan.units:
        yield from _Letter(views, places, fine, coarse, unit).findings()


def _analysed(views: Views, found: Footprints, units: Mapping[str, Sequence[Footprint]]) -> Variables:
    system = views.plan.system
    modules = {name: [each.action.name for each in actions] for name, actions in units.items()}
    return analyse(found.model, modules, ghosts=system.ghosts, slices=system.slices, suggest=False)


class _Letter:
    """One unit."""

    def __init__(self, views: Views, places: Places, fine: Variables, coarse: Variables, unit: Unit) -> None:
        self.views, self.places, self.unit = views, places, unit
        self.fine, self.coarse = fine, coarse
        self.shared = _names(fine, fine.interaction.slots)
        self.own = _names(fine, fine.modules[unit.name].dependencies.slots)
        self.depends = _names(coarse, coarse.modules[unit.name].dependencies.slots)
        others = [each for name, each in fine.modules.items() if name != unit.name]
        self.others = frozenset().union(*(_names(fine, each.dependencies.slots) for each in others))

    def findings(self) -> Iterator[Finding]:
        internal = sorted((self.depends & self.others) - self.shared - self.own)
        if internal:
            yield self._ipa(1, f"it depends on {_listed(internal)}, internal to others", internal[0])
        history = sorted(self.depends - self.shared - self.own - self.others)
        if history:
            yield self._ipa(1, f"it depends on {_listed(history)}, which no fine grain reads", history[0])
        for action in self.coarse.modules[self.unit.name].actions:
            yield from self._computed(action)
        yield from self._remix()

    def _computed(self, action: Accesses) -> Iterator[Finding]:
        allowed = self.shared | self.depends
        for update in action.updates:
            target = _name(self.coarse, update.slot)
            if target not in allowed:
                continue
            for source in sorted(_names(self.coarse, update.sources) - allowed):
                number = 2 if target in self.shared else 3
                yield self._ipa(number, f"it computes `{target}` from `{source}`, which is internal to others", source)

    def _remix(self) -> Iterator[Finding]:
        needed = self.shared | self.others
        writers: dict[str, ComposedAction] = {}
        for each in self.views.fine_actions(self.unit):
            for name in each.writes & {_variable(name) for name in needed}:
                writers.setdefault(name, each.action)
        written = {name for each in self.views.coarse_actions(self.unit) for name in each.writes}
        for name, action in sorted(writers.items()):
            if name not in written and not self._is_cut(name):
                what = (
                    f"`{action.name}` updates `{name}`, on which others depend, and no coarse action does (condition 2)"
                )
                yield self._finding("Remix", what, self.places.write(action, name))

    def _is_cut(self, name: str) -> bool:
        """A network of which others read no message that this module writes."""
        return self.views.tags_seen(self.unit, name) == frozenset()

    def _ipa(self, number: int, what: str, variable: str) -> Finding:
        actions = self.views.coarse_actions(self.unit)
        name = _variable(variable)
        place = next((self.places.read(each.action, name) for each in actions if name in each.reads), None)
        return self._finding("IPA", f"{what} (condition {number})", place)

    def _finding(self, condition: Condition, what: str, place: Span | None) -> Finding:
        message = (
            f"by the letter of {condition}, {self.unit.name} is not coarsened with its interaction preserved: {what}"
        )
        return Finding(condition, "told", self.unit.name, Diagnostic("by-the-letter", message, place, severity="note"))


def _names(variables: Variables, slots: Iterable[Place]) -> Names:
    with variables.world.active():
        return frozenset(_name(variables, slot) for slot in slots)


def _name(variables: Variables, slot: Place) -> str:
    name = variables.variables[slot.variable]
    tags = [show(key.tag) for key in slot.path if isinstance(key, Slice)]
    return f"{name}.{tags[0]}" if tags else name


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _variable(name: str) -> str:
    return name.partition(".")[0]
