"""What of a module the others can see, and which variables each composition must have for that.

`K` of a composition: its variables, which are all that its actions, its invariants and the coarse actions of the unit
that is fine in it read, closed under "computed from". What others see of a unit is K of all compositions in which it is
coarse. Of these variables, those in its own K are compared in the states of its own composition. The others are read by
other modules only; if it writes them, they are *foreign*, and compared as unknowns (`generic`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from gristmill.compose.build import composition
from gristmill.compose.system import Composition, System
from gristmill.compose.verify.footprints import Footprint, Footprints, footprints
from gristmill.compose.verify.result import Finding
from gristmill.compose.verify.units import Plan, Unit
from gristmill.source import Diagnostic, SourceError


@dataclass(slots=True)
class View:
    """One unit: `composed` is C of it. `observed`: variables that it is compared on, in the states of C.

    `foreign`: those that are compared as unknowns; `unmatched`: those that its coarse grain never writes.
    """

    unit: Unit
    composed: Composition | None = None
    observed: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """K: all variables but those that are unknown."""
        return frozenset() if self.composed is None else frozenset(self.composed.variables) - set(self.foreign)


@dataclass(slots=True)
class Views:
    plan: Plan
    all_fine: Footprints
    all_coarse: Footprints
    abstract: Composition  # A
    views: list[View] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def fine_actions(self, unit: Unit) -> list[Footprint]:
        return self.all_fine.of(unit.modules)

    def coarse_actions(self, unit: Unit) -> list[Footprint]:
        return self.all_coarse.of((unit.coarse.module,))

    def seen_by_others(self, unit: Unit) -> frozenset[str]:
        others = [each.known for each in self.views if each.unit is not unit]
        return frozenset(self.abstract.variables).union(*others)


def views_of(plan: Plan) -> Views:
    """Composes everything. Raises `SourceError` if S or A cannot be composed: then there is nothing to verify."""
    system = plan.system
    found = Views(
        plan,
        footprints(composition(system, plan.fine, keep=["*"])),
        footprints(composition(system, plan.coarse, keep=["*"])),
        composition(system, plan.coarse),
        [View(unit) for unit in plan.units],
    )
    for view in found.views:
        view.composed = _composed(found, view, lambda: found.findings)
    while _moved(found):
        pass
    return found


def _composed(found: Views, view: View, findings: Callable[[], list[Finding]]) -> Composition | None:
    """C of a unit with its coarse actions; None if it reads what is not there, which is a finding."""
    plan, unit = found.plan, view.unit
    try:
        return composition(plan.system, plan.focused(unit), also=unit.actions_of, keep=view.foreign)
    except SourceError as error:
        findings().extend(_unreadable(unit, error))
        return None


def _unreadable(unit: Unit, error: SourceError) -> Iterator[Finding]:
    reads = ("lost-variable", "missing-variable")
    for diagnostic in error.diagnostics:
        if diagnostic.id not in reads:
            raise error
        yield Finding("O1", "rejects", unit.name, diagnostic)


def _moved(found: Views) -> bool:
    """Look again at what is seen, composing anew where that has changed; whether something has."""
    moved = False
    for view in found.views:
        if view.composed is None:
            continue
        seen = found.seen_by_others(view.unit)
        foreign, unmatched = _foreign(found, view, seen)
        if set(foreign) - set(view.foreign):
            view.foreign = tuple(dict.fromkeys((*view.foreign, *foreign)))
            view.composed = _composed(found, view, lambda: found.findings)
            moved = True
        order = view.composed.variables if view.composed is not None else ()
        observed = tuple(name for name in order if name in seen and name not in view.foreign)
        moved = moved or observed != view.observed
        view.observed, view.unmatched = observed, unmatched
    return moved


def _foreign(found: Views, view: View, seen: Collection[str]) -> tuple[list[str], tuple[str, ...]]:
    """Variables that only others know and this unit writes: at both grains, or only at the fine one."""
    assert view.composed is not None
    unknown = [name for name in sorted(seen) if name not in view.known]
    fine = {name for each in found.fine_actions(view.unit) for name in each.writes}
    coarse = {name for each in found.coarse_actions(view.unit) for name in each.writes}
    both = [name for name in unknown if name in coarse]
    return both, tuple(name for name in unknown if name in fine - coarse)


def is_ghost(system: System, name: str) -> bool:
    return name in system.ghosts


__all__ = ["Diagnostic", "View", "Views", "is_ghost", "views_of"]
