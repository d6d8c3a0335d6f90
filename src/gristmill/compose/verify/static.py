"""What can be said of the grains without exploring anything: bounds, frames, variables that come or go, ghosts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.compose.verify.footprints import Footprint
from gristmill.compose.verify.places import Places
from gristmill.compose.verify.result import Finding
from gristmill.compose.verify.steps import Duties, homeless_actions
from gristmill.compose.verify.visible import View, Views
from gristmill.source import Diagnostic, Label
from gristmill.values import show


def static_findings(views: Views, places: Places) -> Iterator[Finding]:
    yield from _bounds(views)
    yield from _own_variables(views)
    yield from _ghosts(views, places)
    for view in views.views:
        for variable in view.unmatched:
            yield _unmatched(views, view, variable, places)
        yield from _foreign_messages(views, view, places)


def _bounds(views: Views) -> Iterator[Finding]:
    for name in views.all_fine.composition.constraints:
        diagnostic = Diagnostic(
            "constraint-in-force",
            f"the constraint `{name}` cuts off states of the compositions and of the whole at different places, so"
            " that nothing follows from the ones for the other",
            views.plan.system.place("system", "config"),
            help="bound the model by guards of actions, as `currentTerm[s] < MaxTerm`, and leave the constraint out",
        )
        yield Finding("bounds", "rejects", None, diagnostic)


def _own_variables(views: Views) -> Iterator[Finding]:
    """Variables of coarse grains that the whole does not have."""
    for view in views.views:
        for name in views.own_variables(view.unit):
            diagnostic = Diagnostic(
                "variable-of-its-own",
                f"the coarse grain of {view.unit.name} has a variable of its own, `{name}`, so its steps cannot be"
                " compared with those of the fine one state by state",
                view.unit.coarse.span,
                help="compare behaviours (traces), or let the fine module keep it as a history variable",
            )
            yield Finding("variables", "undecided", view.unit.name, diagnostic)


def _ghosts(views: Views, places: Places) -> Iterator[Finding]:
    for ghost in views.plan.system.ghosts:
        for each in (*views.all_fine.actions, *views.all_coarse.actions):
            if ghost in each.reads and any(name != ghost for name in _read_for(each, ghost)):
                diagnostic = Diagnostic(
                    "ghost-read",
                    f"`{each.action.name}` reads `{ghost}`, which the manifest declares to be a ghost",
                    places.read(each.action, ghost),
                    severity="warning",
                    help="it is taken for an ordinary variable here: leave it out of `ghost`, or do not read it",
                )
                yield Finding("ghosts", "told", None, diagnostic)
                break


def _read_for(footprint: Footprint, ghost: str) -> frozenset[str]:
    """What it is read for: a ghost that is computed from itself is none the worse for that."""
    return frozenset({ghost}) if footprint.reads <= {ghost} or ghost in footprint.itself else footprint.writes | {""}


def _unmatched(views: Views, view: View, variable: str, places: Places) -> Finding:
    """O2: it writes what only another module reads, and its coarse grain never does."""
    writers = views.all_fine.writers(variable, view.unit.modules)
    readers = _readers(views, view, variable)
    first, *others = writers
    diagnostic = Diagnostic(
        "foreign-write-lost",
        f"`{first.action.name}` writes `{variable}`, which {_and(readers)} reads, and no action of the coarse grain of"
        f" {view.unit.name} does: where {view.unit.name} is coarse, {_and(readers)} would never see that `{variable}`"
        " changes",
        places.write(first.action, variable),
        labels=tuple(
            Label(span, f"`{each.action.name}` does, too")
            for each in others[:4]
            if (span := places.write(each.action, variable)) is not None
        ),
        help=f"let the coarse actions in {view.unit.coarse.file.name} write `{variable}` as the fine ones do, or leave"
        f" it open (`{variable}' \\in …`)",
    )
    return Finding("O2", "rejects", view.unit.name, diagnostic)


def _foreign_messages(views: Views, view: View, places: Places) -> Iterator[Finding]:
    """O2 for slices: it sends messages that only others read, and that its composition does not keep."""
    for variable in views.all_fine.slicings:
        tags = views.foreign_tags(view.unit, variable)
        if not tags:
            continue
        writers = [
            each
            for each in (*views.fine_actions(view.unit), *views.coarse_actions(view.unit))
            if variable in each.tags and each.tags[variable][1] & tags
        ]
        with views.all_fine.model.world.active():
            kinds = _and(sorted(show(tag) for tag in tags))
        diagnostic = Diagnostic(
            "foreign-messages",
            f"`{writers[0].action.name}` writes messages {kinds} to `{variable}`, which only other modules read; in the"
            f" composition where {view.unit.name} is fine nobody keeps them as the whole does, so the two grains cannot"
            " be compared on them",
            places.write(writers[0].action, variable),
            help="compare behaviours (traces), or let a coarse grain read them",
        )
        yield Finding("O2", "undecided", view.unit.name, diagnostic)


def _readers(views: Views, view: View, variable: str) -> list[str]:
    found = [each.unit.name for each in views.views if each.unit is not view.unit and variable in each.known]
    return found or ["another module"]


def homeless_findings(view: View, duties: Duties) -> Iterator[Finding]:
    for name in homeless_actions(view, duties.model):
        diagnostic = Diagnostic(
            "action-of-no-module",
            f"it cannot be told which module the action `{name}` of C({view.unit.name}) belongs to",
            view.unit.coarse.span,
            help="write Next as a disjunction of actions, each with a definition of its own",
        )
        yield Finding("O3", "undecided", view.unit.name, diagnostic)


def undecided_findings(views: Views, view: View, duties: Duties, places: Places) -> Iterator[Finding]:
    """Unknowns that there are none of."""
    for variable in duties.undecided:
        writers = [each for each in (*duties.fine, *views.coarse_actions(view.unit)) if variable in each.writes]
        diagnostic = Diagnostic(
            "foreign-update-unknown",
            f"what {view.unit.name} writes to `{variable}`, which only {_and(_readers(views, view, variable))} reads,"
            f" depends on what was there before, or changes its shape; in the composition where {view.unit.name} is"
            " fine nobody keeps its value, so the two grains cannot be compared on it",
            places.write(writers[0].action, variable) if writers else None,
            help=f"let the coarse grain of {_and(_readers(views, view, variable))} keep `{variable}`",
        )
        yield Finding("O2", "undecided", view.unit.name, diagnostic)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
