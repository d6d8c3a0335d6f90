"""Behaviours of two compositions compared, on a page: what differs is there to step through, the rest in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.compose.verify.behaviours import UnitBehaviours
from gristmill.compose.verify.sides import Change
from gristmill.compose.verify.traces import Direction, TraceDifference
from gristmill.report.compose.behaviours import EXAMPLES, consequence, possible_lines, render_behaviours
from gristmill.report.page.elide import elided
from gristmill.report.page.markup import code, listed, table, text
from gristmill.report.page.of_trace import LEGEND, run_of_trace
from gristmill.report.page.run import PageRun, behaviour_page, run_list, run_viewer, runs_document, verdict, whys
from gristmill.report.terminal import Options

_LONGEST = 200  # characters of a value in a table
_HEADLINES = {
    "included": ("good", "{1} shows every finite behaviour that {0} shows"),
    "different": ("bad", "{0} shows what {1} cannot show"),
    "incomplete": ("warning", "Not decided, whether {1} shows all that {0} shows"),
}


def comparison_page(system: str, found: UnitBehaviours) -> str:
    """Of `compose verify --compare`."""
    tone, words = _HEADLINES["incomplete" if found.traces is None else found.traces.missed.verdict]
    headline = words.format(*found.names)
    runs = behaviour_runs(found)
    counts = f"{found.states[0]:,} and {found.states[1]:,} states"
    body = (
        verdict(system, headline, tone, [counts]),
        run_list(runs, 1, "state"),
        whys(runs),
        run_viewer(runs, 1, LEGEND),
        behaviours_section(found),
    )
    document = runs_document(runs, base=1, noun="state")
    return behaviour_page(title=f"{system}: {headline}", verb="compose verify", body=body, document=document)


def behaviours_section(found: UnitBehaviours) -> str:
    """What is said of it on the terminal, as it is there; states are those of the runs on this page."""
    inside = f"<pre>{text(render_behaviours(found, Options(unchanged='omit')).rstrip())}</pre>"
    title = f"{found.unit}: behaviours of {found.names[0]} against {found.names[1]}"
    return f'<section class="told"><details open><summary>{text(title)}</summary>{inside}</details></section>'


def behaviour_runs(found: UnitBehaviours) -> list[PageRun]:
    return list(_runs(found))


def _runs(found: UnitBehaviours) -> Iterator[PageRun]:
    if found.traces is not None:
        first, second = found.traces.fine, found.traces.coarse
        yield from _direction(found.traces.missed, first, second)
        if found.traces.added is not None:
            yield from _direction(found.traces.added, second, first)
    if found.summary is not None:
        for example in found.summary.examples:
            title = EXAMPLES[example.fault].format(coarse=found.summary.coarse)
            yield run_of_trace(example.behaviour, f"{found.unit}: summary", title)
    if found.movers is not None:
        for each in found.movers.hidden:
            if each.behaviour is not None:
                yield run_of_trace(each.behaviour, f"{found.unit}: {each.action} is not seen", each.sentence)


def _direction(found: Direction, first: str, second: str) -> Iterator[PageRun]:
    if found.difference is not None:
        told = f"{first} shows what {second} cannot show: {consequence(found.difference, second)}"
        why = "".join(_why(found.difference, second))
        tone = "bad" if found.difference.kind == "missing" else "warning"
        yield run_of_trace(found.difference.behaviour, f"{first} against {second}", told, tone, why)
    if found.difference is not None and found.difference.matched is not None:
        told = f"{second} has shown the same until here"
        yield run_of_trace(found.difference.matched, f"{second}, which cannot follow", told, tone="warning")


def _why(found: TraceDifference, second: str) -> Iterator[str]:
    if found.action is None:
        yield f"<h2>{text(second)} has no such initial state</h2>"
        return
    yield f"<h2>What is seen of the last step, which is visible step {found.observed_steps}</h2>"
    yield _changes(found.changes)
    if found.matched is not None:
        can = "can show only" if found.possible else "shows nothing more from there"
        yield f"<h2>Where it has shown the same until then, {text(second)} {can}</h2>"
        yield listed(map(text, possible_lines(found)))


def _changes(changes: Sequence[Change]) -> str:
    rows = ([code(elided(cell, _LONGEST)) for cell in (each.variable, each.before, each.after)] for each in changes)
    return table(("", "before", "after"), rows)
