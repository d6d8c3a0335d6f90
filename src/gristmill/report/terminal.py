"""A result for a person: the verdict, the counterexample, then what the verdict rests on.

Plain text that reads well in a log; colour only adds to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.behaviour import action_text, render_trace
from gristmill.report.checked import render_checked, wrapped
from gristmill.report.explanation import render_blocked, render_explanation, shortened
from gristmill.report.fairness import render_fairness
from gristmill.report.mapped import render_mapped
from gristmill.report.options import PLAIN, Options
from gristmill.report.places import place_text
from gristmill.report.profile import render_profile
from gristmill.report.style import Style, printable
from gristmill.search.result import NO_ERROR, ActionCoverage, Result, Simulation, Violation
from gristmill.search.statistics import never_evaluated

__all__ = ["PLAIN", "Options", "action_text", "is_earned", "render_result", "render_simulation", "render_trace"]


def render_result(result: Result, options: Options = PLAIN) -> str:
    """All of it, ending in a line end. Diagnostics are not in it: they have their own renderer."""
    return _render(result, [*counts_lines(result)], ("new states", "taken"), options)


def render_simulation(simulation: Simulation, options: Options = PLAIN) -> str:
    """The same for random behaviours: their number and length are what counts."""
    return _render(simulation.result, [*lengths_lines(simulation)], ("taken", "generated"), options)


def _render(result: Result, counts: list[str], columns: tuple[str, str], options: Options) -> str:
    style = Style(options.color)
    lines = [*_headline(result, style)]
    found_nothing = result.verdict in ("ok", "incomplete")
    lines += render_checked(result, options.width) if found_nothing else []
    lines += render_trace(result.trace, options) if result.trace else []
    lines += _why(result.violations[0], options) if result.violations else []
    for violation in result.violations[1:]:
        lines += ["", style.paint("bad", f"Error: {printable(violation.message)}{_often(violation)}")]
        lines += render_trace(violation.trace, options) if violation.trace else []
        lines += _why(violation, options)
    lines += ["", *([] if found_nothing else render_checked(result, options.width)), *counts]
    if _wants_coverage(result, options):
        lines += ["", *_coverage(result.coverage, columns, style)]
    lines += _never_evaluated(result, style)
    if result.caveats:
        lines += ["", style.paint("heading", "What this rests on")]
        lines += [line for each in result.caveats for line in wrapped(each, options.width, "    ", "  - ")]
    if result.profile is not None:
        lines += ["", *render_profile(result, result.profile, style)]
    return "\n".join(lines) + "\n"


def _headline(result: Result, style: Style) -> Iterator[str]:
    if result.verdict == "ok":
        yield style.paint("good" if is_earned(result) else "warning", result.message or NO_ERROR)
    elif result.verdict == "incomplete":
        yield style.paint("warning", f"Not finished: {result.message}")
        yield "No error was found until then."
    else:
        first = result.violations[0] if result.violations else None
        yield style.paint("bad", f"Error: {printable(result.message)}{_often(first) if first else ''}")


def is_earned(result: Result) -> bool:
    """Whether an `ok` covers what was asked for, or hardly anything was checked."""
    return result.verdict == "ok" and result.message in ("", NO_ERROR)


def _why(violation: Violation, options: Options) -> Iterator[str]:
    """What a counterexample leaves to be found out: why its last state, or step, is wrong."""
    style = Style(options.color)
    if violation.explanation is not None:
        here = " here" if violation.trace is not None else ""
        if violation.verdict == "liveness":
            here = " of this behaviour"
        yield ""
        what = "the assertion" if violation.verdict == "assert" else violation.property
        yield style.paint("heading", f"Why {what} is false{here}")
        yield from render_explanation(violation.explanation, style, options.width)
    if violation.mapped:
        yield ""
        what = "step" if violation.mapped[0].before is not None else "state"
        yield style.paint("heading", f"The {what} as {violation.property} sees it")
        yield from render_mapped(violation.mapped, style, options.width)
    if violation.blocked:
        yield ""
        yield style.paint("heading", "Why no action is possible here")
        yield from render_blocked(violation.blocked, style, options.width)
    if violation.help is not None:
        yield ""
        yield from wrapped(violation.help, options.width, "  ")
    if violation.fairness or violation.alternatives:
        yield from render_fairness(violation, style, options.width)


def _often(violation: Violation) -> str:
    return f" ({violation.count:,} times)" if violation.count > 1 else ""


# ------------------------------------------------------------------------------------------------------ statistics


def counts_lines(result: Result) -> Iterator[str]:
    queue = f", {result.queue:,} of them left to explore" if result.queue else ""
    states = "state" if result.distinct == 1 else "states"
    yield f"{result.distinct:,} distinct {states}{queue}, {result.generated:,} generated"
    yield f"depth {result.depth:,}, {_duration(result.seconds)}"
    degree = result.out_degree
    if degree is not None and result.verdict == "ok":
        yield (
            f"new states from one state: {degree.average:.1f} on average, {degree.minimum} to {degree.maximum}, "
            f"95 % at most {degree.percentile_95}"
        )


def lengths_lines(simulation: Simulation) -> Iterator[str]:
    lengths, result = simulation.lengths, simulation.result
    behaviours = "behaviour" if lengths.behaviours == 1 else "behaviours"
    yield f"{lengths.behaviours:,} {behaviours}, {result.generated:,} states generated, {_duration(result.seconds)}"
    if lengths.behaviours:
        yield (
            f"length {lengths.mean:.1f} on average, {lengths.minimum} to {lengths.maximum}, "
            f"standard deviation {lengths.variance**0.5:.1f}"
        )
    yield f"seed {simulation.seed}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def _wants_coverage(result: Result, options: Options) -> bool:
    if options.coverage == "auto" and not (result.ok or result.verdict == "incomplete"):
        return False
    return options.coverage != "never" and any(row.generated for row in result.coverage)


def _never_evaluated(result: Result, style: Style) -> Iterator[str]:
    """Of the coverage by expression, the part to look at."""
    if not result.expressions:
        return
    rows = list(never_evaluated(result.expressions))
    yield ""
    if not rows:
        yield "Every part of the formulas was evaluated."
        return
    yield style.paint("heading", "Never evaluated")
    places = [place_text(row.location) for row in rows]
    width = max(map(len, places))
    for place, row in zip(places, rows, strict=True):
        yield f"  {place:<{width}}  {shortened(row.text, 80)}"


def _coverage(rows: Sequence[ActionCoverage], columns: tuple[str, str], style: Style) -> Iterator[str]:
    """A table; an action that was never taken is the row to look at."""
    width = max(len("action"), *(len(row.name) for row in rows))
    yield style.paint("heading", f"{'action':<{width}}  {columns[0]:>12}  {columns[1]:>12}")
    for row in rows:
        line = f"{printable(row.name):<{width}}  {row.distinct:>12,}  {row.generated:>12,}"
        if row.generated == 0:
            place = f"  {place_text(row.location)}" if row.location is not None else ""
            line = style.paint("warning", f"{line}  never taken{place}")
        yield line
