"""What of a module the others can see, and which variables each composition must have for that.

`K` of a composition: its variables, which are all that its actions, its invariants and the coarse actions of the unit
that is fine in it read, closed under "computed from". What others see of a unit is K of all compositions in which it is
coarse. Of these variables, those in its own K are compared in the states of its own composition. The others are read by
other modules only; if it writes them, they are *foreign*, and compared as unknowns (`generic`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from gristmill.compose.build.composer import composition
from gristmill.compose.system import Composition
from gristmill.compose.verify.footprints import Footprint, Footprints, Tags, footprints
from gristmill.compose.verify.result import Finding
from gristmill.compose.verify.units import Plan, Unit
from gristmill.ir.model import Model
from gristmill.ir.nodes import Variable
from gristmill.ir.walk import reachable
from gristmill.source import SourceError


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
    slices: dict[str, Tags] = field(default_factory=dict)  # of variables of which others see some messages only

    @property
    def known(self) -> frozenset[str]:
        """K: all variables but those that are unknown."""
        return frozenset() if self.composed is None else frozenset(self.composed.variables) - set(self.foreign)


@dataclass(slots=True)
class Views:
    plan: Plan
    all_fine: Footprints
    all_coarse: Footprints
    abstract: Composition | None = None  # A
    views: list[View] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def fine_actions(self, unit: Unit) -> list[Footprint]:
        return self.all_fine.of(unit.modules)

    def coarse_actions(self, unit: Unit) -> list[Footprint]:
        return self.all_coarse.of((unit.coarse.module,))

    def own_variables(self, unit: Unit) -> list[str]:
        """Variables of its coarse grain that the whole does not have."""
        used = {name for each in self.coarse_actions(unit) for name in each.reads | each.writes}
        return sorted(used - set(self.all_fine.composition.variables))

    def seen_by_others(self, unit: Unit) -> frozenset[str]:
        """Variables; without those that are cut into slices, if others read none of those that this unit writes."""
        others = [each.known for each in self.views if each.unit is not unit]
        found = frozenset(() if self.abstract is None else self.abstract.variables).union(*others)
        return frozenset(name for name in found if self.tags_seen(unit, name) != frozenset())

    def tags_seen(self, unit: Unit, variable: str) -> Tags | None:
        """Of a variable that is cut into slices: those that others read and this unit writes. None: it is not cut."""
        if variable not in self.all_fine.slicings or self._is_read_by_invariant(variable):
            return None
        if variable in self.all_coarse.model.variables and variable not in self.all_coarse.slicings:
            return None
        own = [*self.fine_actions(unit), *self.coarse_actions(unit)]
        fine = [each for each in self.all_fine.actions if each.action.module not in unit.modules]
        read = [each.tags[variable][0] for each in (*fine, *self.all_coarse.actions) if variable in each.tags]
        written = [each.tags[variable][1] for each in own if variable in each.tags]
        return frozenset().union(*read) & frozenset().union(*written)

    def foreign_tags(self, unit: Unit, variable: str) -> Tags:
        """Of what others read and this unit writes: messages that nobody reads in its own composition.

        Their slices are not kept there as they are in the whole, so that nothing can be compared on them.
        """
        seen = self.tags_seen(unit, variable)
        known = [*self.fine_actions(unit), *self.all_coarse.actions]
        read = [each.tags[variable][0] for each in known if variable in each.tags]
        return (seen or frozenset()) - frozenset().union(*read)

    def _is_read_by_invariant(self, variable: str) -> bool:
        return any(_in_invariant(each.model, variable) for each in (self.all_fine, self.all_coarse))


def _in_invariant(model: Model, variable: str) -> bool:
    bodies = [each.code.body for each in model.invariants]
    return any(isinstance(node, Variable) and node.name == variable for node in reachable(*bodies))


def views_of(plan: Plan) -> Views:
    """Composes everything. Raises `SourceError` if S or A cannot be composed: then there is nothing to verify."""
    system = plan.system
    found = Views(
        plan,
        footprints(composition(system, plan.fine, keep=["*"]), system.slices),
        footprints(composition(system, plan.coarse, keep=["*"]), system.slices),
        views=[View(unit) for unit in plan.units],
    )
    try:
        found.abstract = composition(system, plan.coarse)
    except SourceError as error:
        found.findings.extend(_unreadable(None, error))
    for view in found.views:
        view.composed = _composed(found, view)
    while _moved(found):
        pass
    return found


def _composed(found: Views, view: View) -> Composition | None:
    """C of a unit with its coarse actions; None if it reads what is not there, which is a finding."""
    plan, unit = found.plan, view.unit
    try:
        return composition(plan.system, plan.focused(unit), also=unit.actions_of, keep=view.foreign)
    except SourceError as error:
        found.findings.extend(_unreadable(unit.name, error, found.own_variables(unit)))
        return None


def _unreadable(unit: str | None, error: SourceError, own: Collection[str] = ()) -> Iterator[Finding]:
    """`own`: variables that only the coarse grain has, which is told elsewhere."""
    reads = ("lost-variable", "missing-variable")
    for diagnostic in error.diagnostics:
        if diagnostic.id not in reads:
            raise error
        if any(f"`{name}`" in diagnostic.message for name in own):
            continue
        yield Finding("O1", "rejects", unit, diagnostic)


def _moved(found: Views) -> bool:
    """Look again at what is seen, composing anew where that has changed; whether something has."""
    moved = False
    for view in found.views:
        if view.composed is None:
            continue
        seen = found.seen_by_others(view.unit)
        foreign, unmatched = _foreign(found, view, seen)
        if set(foreign) != set(view.foreign):
            view.foreign = tuple(foreign)
            view.composed = _composed(found, view)
            moved = True
        order = view.composed.variables if view.composed is not None else ()
        observed = tuple(name for name in order if name in seen and name not in view.foreign)
        moved = moved or observed != view.observed
        view.observed, view.unmatched = observed, unmatched
        view.slices = _slices(found, view)
    return moved


def _slices(found: Views, view: View) -> dict[str, Tags]:
    """Variables that are compared on some messages only: sets of messages that the coarse grain does not write."""
    coarse = {name for each in found.coarse_actions(view.unit) for name in each.writes}
    tags = {name: found.tags_seen(view.unit, name) for name in view.observed if name not in coarse}
    return {name: each for name, each in tags.items() if each and found.all_fine.slicings[name].depth == 0}


def _foreign(found: Views, view: View, seen: Collection[str]) -> tuple[list[str], tuple[str, ...]]:
    """Variables that only others know and this unit writes: at both grains, or only at the fine one."""
    assert view.composed is not None
    unknown = [name for name in sorted(seen) if name not in view.known]
    fine = {name for each in found.fine_actions(view.unit) for name in each.writes}
    coarse = {name for each in found.coarse_actions(view.unit) for name in each.writes}
    both = [name for name in unknown if name in coarse]
    needed = _needed(found, view.unit, both)
    return [name for name in both if name not in needed], tuple(name for name in unknown if name in fine - coarse)


def _needed(found: Views, unit: Unit, foreign: list[str]) -> set[str]:
    """Variables that one must know to tell what the unit writes to others: they cannot be unknowns themselves."""
    own = [*found.fine_actions(unit), *found.coarse_actions(unit)]
    return {
        source
        for each in own
        for name, sources in each.sources.items()
        if name in foreign
        for source in sources
        if source != name
    }
