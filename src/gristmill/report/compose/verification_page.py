"""What `compose verify` found, as one page that needs nothing else: units, and failing steps to step through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gristmill.compose.verify.behaviours import UnitBehaviours
from gristmill.compose.verify.result import Candidate, Change, FailingStep, UnitResult, Verification
from gristmill.report.behaviour import action_text
from gristmill.report.compose.behaviours_page import behaviour_runs, behaviours_section
from gristmill.report.compose.verification import findings_of, headline_of, mapped_text, nearest_blocked
from gristmill.report.page.basis import diagnostics
from gristmill.report.page.elide import elided
from gristmill.report.page.markup import code, described, table, text
from gristmill.report.page.of_trace import LEGEND, run_of_trace
from gristmill.report.page.result import runs_of
from gristmill.report.page.run import PageRun, behaviour_page, run_list, run_viewer, runs_document, verdict, whys
from gristmill.report.page.why import blocked_html
from gristmill.source import Diagnostic

_LONGEST = 200  # characters of a value in a table


def verification_page(
    found: Verification, more: Sequence[UnitBehaviours] = (), papers: bool = False, told: Sequence[Diagnostic] = ()
) -> str:
    """`more`: behaviours that were compared, `told`: why others were not. `papers` as for `render_verification`."""
    runs = [*verification_runs(found), *(run for each in more for run in behaviour_runs(each))]
    return behaviour_page(
        title=f"{found.system}: {headline_of(found)[1]}",
        verb="compose verify",
        body=tuple(_body(found, more, [*findings_of(found, papers), *told], runs)),
        document=runs_document(runs, base=1, noun="state"),
    )


def _body(
    found: Verification, more: Sequence[UnitBehaviours], messages: Sequence[Diagnostic], runs: Sequence[PageRun]
) -> Iterator[str]:
    tone, headline = headline_of(found)
    constants = ", ".join(f"{name} = {value}" for name, value in found.constants)
    yield verdict(found.system, headline, tone, [f"with {constants}"] if constants else [], found.argument)
    yield diagnostics(messages)
    yield run_list(runs, 1, "state")
    yield whys(runs)
    yield run_viewer(runs, 1, LEGEND)
    yield units_section(found)
    yield from map(behaviours_section, more)


# ------------------------------------------------------------------------------------------------------- failing steps


def verification_runs(found: Verification) -> list[PageRun]:
    """The behaviours that lead to failing steps, then those that violate an invariant in a composition."""
    runs = [_failing(step) for unit in found.units for step in unit.failures]
    for unit in found.units:
        for result in unit.violated.values():
            runs += [replace(run, name=f"C({unit.name}): {run.name}") for run in runs_of(result)]
    return runs


def _failing(step: FailingStep) -> PageRun:
    with step.trace.world.active():
        called = action_text(step.trace.steps[-1])
    told = f"{called} is no step of a coarse action of {step.unit}, and others see it"
    return run_of_trace(step.trace, f"{step.unit}: {step.action}", told, why="".join(_why(step)))


def _why(step: FailingStep) -> Iterator[str]:
    yield f"<h2>What others see of {code(step.action)}</h2>"
    yield _changes(step.changes, ("before", step.action))
    for candidate in step.candidates:
        yield from _candidate(candidate, step)


def _candidate(candidate: Candidate, step: FailingStep) -> Iterator[str]:
    if candidate.differences:
        yield f"<h2>{code(candidate.action)} leads elsewhere; it comes nearest with</h2>"
        yield _changes(candidate.differences, ("before", step.action, candidate.action))
    else:
        yield f"<h2>{code(candidate.action)} is not possible</h2>{blocked_html(nearest_blocked(candidate, step))}"


def _changes(changes: Sequence[Change], titles: Sequence[str]) -> str:
    return table(("", *titles), (_cells(each)[: len(titles) + 1] for each in changes))


def _cells(change: Change) -> list[str]:
    values = (change.variable, change.before, change.fine, change.coarse or "")
    return [code(elided(each, _LONGEST)) for each in values]


# --------------------------------------------------------------------------------------------------------------- units


def units_section(found: Verification) -> str:
    inside = "".join(f'<section class="unit">{"".join(_unit(each))}</section>' for each in found.units)
    return f'<section id="units"><h2>Each module, with the others coarse</h2>{inside}</section>'


def _unit(unit: UnitResult) -> Iterator[str]:
    against = f"{', '.join(dict.fromkeys(unit.fine))} against {unit.coarse}"
    yield f'<h3>{text(unit.name)} <span class="soft">{text(against)}</span></h3>'
    explored = unit.explored
    if explored is None:
        yield f"<p>C({text(unit.name)}) cannot be composed: see the messages.</p>"
        return
    yield f'<p class="soft">{explored.distinct:,} states, {explored.generated:,} steps of C({text(unit.name)})</p>'
    failing = {step.action for step in unit.failures}
    rows = (
        (code(row.action), f'<span class="count">{row.taken:,}</span>', _are(mapped_text(row), row.action in failing))
        for row in unit.action_map
    )
    yield table(("action", "steps", "which are"), rows)
    yield described(_facts(unit))


def _are(what: str, is_failing: bool) -> str:
    if not is_failing:
        return text(what)
    also = f"{text(what)}, and " if what else ""
    return f'{also}<strong class="minus">steps that no coarse action takes</strong>'


def _facts(unit: UnitResult) -> Iterator[tuple[str, str]]:
    yield "Others see", _names(unit.observed)
    if unit.internal:
        yield "Only it reads", _names(unit.internal)
    if unit.foreign:
        yield "It writes, and only others read", _names(unit.foreign)
    if unit.unused:
        yield "Coarse actions that were never needed (they may allow more than the module does)", _names(unit.unused)
    if unit.violated:
        yield "Invariants that are violated in this composition", _names(unit.violated)


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(code, names)) or "nothing"
