"""What a check or a simulation found, as one page that needs nothing else. A notebook shows the same page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.checked import render_checked
from gristmill.report.page import graph as drawn
from gristmill.report.page.basis import basis, coverage, diagnostics
from gristmill.report.page.of_trace import LEGEND, run_of_trace
from gristmill.report.page.run import PageRun, behaviour_page, run_list, run_viewer, runs_document, verdict, whys
from gristmill.report.page.why import why_html
from gristmill.report.terminal import counts_lines, is_earned, lengths_lines
from gristmill.search.result import Result, Simulation, Violation
from gristmill.trace import Trace


def result_page(result: Result, title: str, verb: str = "check", simulation: Simulation | None = None) -> str:
    """`title`: what was checked, such as the name of a module."""
    traces = _traces(result)
    runs = runs_of(result)
    graph = result.graph if drawn.is_small(result.graph) else None
    picture = "" if graph is None else drawn.graph_section(graph)
    document = runs_document(runs, base=1, noun="state")
    if graph is not None and picture:
        document["graph"] = drawn.graph_document(graph, [trace for _, trace in traces])
    return behaviour_page(
        title=f"{title}: {result.message or result.verdict}",
        verb=verb,
        body=tuple(_body(result, title, runs, picture, simulation)),
        document=document,
    )


def runs_of(result: Result) -> list[PageRun]:
    """What there is to step through, in order."""
    return [_run(result, violation, trace) for violation, trace in _traces(result)]


def _traces(result: Result) -> list[tuple[Violation | None, Trace]]:
    """What there is to step through: of each violation its behaviour."""
    found: list[tuple[Violation | None, Trace]] = [(each, each.trace) for each in result.violations if each.trace]
    return found or ([(None, result.trace)] if result.trace is not None else [])


def _run(result: Result, violation: Violation | None, trace: Trace) -> PageRun:
    if violation is None:
        return run_of_trace(trace, result.property or "Behaviour", result.message, tone_of(result))
    often = f" ({violation.count:,} times)" if violation.count > 1 else ""
    return run_of_trace(
        trace, violation.property or violation.verdict, violation.message + often, "bad", why_html(violation)
    )


def tone_of(result: Result) -> str:
    return "good" if is_earned(result) else "warning" if result.verdict in ("ok", "incomplete") else "bad"


def _body(
    result: Result, title: str, runs: Sequence[PageRun], picture: str, simulation: Simulation | None
) -> Iterator[str]:
    yield _verdict(result, title, simulation)
    yield diagnostics(result.diagnostics)
    yield run_list(runs, 1, "state")
    yield whys(runs)
    for violation in result.violations:
        if violation.trace is None and (told := why_html(violation)):
            yield f'<section class="why">{told}</section>'
    yield run_viewer(runs, 1, LEGEND)
    yield picture
    yield coverage(result, simulated=simulation is not None)
    yield basis(result, simulation)


def _verdict(result: Result, title: str, simulation: Simulation | None) -> str:
    lines = lengths_lines(simulation) if simulation is not None else counts_lines(result) if result.generated else ()
    until = ["No error was found until then."] if result.verdict == "incomplete" else []
    not_finished = "Not finished: " if result.verdict == "incomplete" else ""
    headline = not_finished + (result.message or result.verdict)
    return verdict(title, headline, tone_of(result), [*until, *lines], list(render_checked(result, 1_000)))
