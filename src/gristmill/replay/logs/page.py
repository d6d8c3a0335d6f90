"""What came of following a log, as one HTML page: how far it fits, where it leaves the model, and what was missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gristmill.replay.logs.result import BrokenInvariant, LogDeparture, LogResult, StuckLine
from gristmill.replay.logs.words import (
    difference_lines,
    difference_title,
    headline,
    matched_text,
    nearest_text,
    repair_text,
    stuck_title,
    summary,
)
from gristmill.report.page.basis import cards, diagnostics
from gristmill.report.page.markup import code, listed, text
from gristmill.report.page.of_trace import LEGEND, run_of_trace
from gristmill.report.page.run import PageRun, behaviour_page, run_viewer, runs_document, verdict
from gristmill.report.page.why import blocked_html, explanation_html
from gristmill.search.weave import Lack

_MOST_STEPS = 1_000  # of the behaviour, the last ones
_MOST_STUCK = 20
_TONES = {"ok": "good", "incomplete": "warning"}


def log_page(result: LogResult) -> str:
    with result.trace.world.active():
        run, base = _run(result)
        return behaviour_page(
            title=f"{result.specification}: {result.message}",
            verb="replay",
            body=tuple(_body(result, run, base)),
            document=runs_document([run] if run.steps else [], base=base, noun="state"),
        )


def _run(result: LogResult) -> tuple[PageRun, int]:
    """A behaviour that fits as much as any does, with the lines that tell of each state; the number of its first."""
    first = max(0, len(result.trace) - _MOST_STEPS)
    trace = replace(result.trace, steps=result.trace.steps[first:])
    name = "A behaviour that fits" if result.status == "matched" else "A behaviour up to there"
    found = run_of_trace(trace, name, result.message, _tone(result))
    notes = [[f"{line}  {line.text}" for line in lines] or ["no line tells of it"] for lines in result.lines[first:]]
    steps = [replace(step, notes=each) for step, each in zip(found.steps, notes, strict=True)]
    return replace(found, steps=steps), first + 1


def _tone(result: LogResult) -> str:
    return _TONES.get(result.verdict, "bad")


def _body(result: LogResult, run: PageRun, base: int) -> Iterator[str]:
    yield verdict(
        result.specification,
        headline(result),
        _tone(result),
        [f"{each.path}: {matched_text(each)}" for each in result.files],
        [*summary(result)],
    )
    yield diagnostics(result.diagnostics)
    yield from map(_broken, result.broken if result.verdict != "ok" else ())
    if result.departure is not None:
        yield from _departure(result.departure)
    if run.steps:
        left_out = f'<p class="soft">The first {base - 1:,} states are left out.</p>' if base > 1 else ""
        yield left_out + run_viewer([run], base, LEGEND)
    if result.caveats:
        yield cards([("To know of this verdict", listed(map(text, result.caveats)))])


def _why(title: str, inside: str) -> str:
    return f'<section class="why"><h2>{text(title)}</h2>{inside}</section>'


def _broken(broken: BrokenInvariant) -> str:
    if broken.number is None:
        return ""
    after = f"after {broken.line}" if broken.line is not None else "in the initial state"
    formula = "" if broken.explanation is None else f'<ul class="formula">{explanation_html(broken.explanation)}</ul>'
    return _why(f"{broken.name} is false {after}", formula)


# ----------------------------------------------------------------------------------------------------------- departure


def _departure(found: LogDeparture) -> Iterator[str]:
    if not found.states:
        yield _why("There is no initial state", "")
    yield from (_why(stuck_title(each), "".join(_stuck(each))) for each in found.stuck[:_MOST_STUCK])
    if len(found.stuck) > _MOST_STUCK:
        yield _why("Nor does anything fit", listed(code(str(each.line)) for each in found.stuck[_MOST_STUCK:]))
    if found.repairs:
        yield _why("What would make it fit", listed(text(repair_text(each)) for each in found.repairs))


def _stuck(stuck: StuckLine) -> Iterator[str]:
    """The line, and what each action that it may be would have needed."""
    yield f"<p>{code(stuck.line.text)}</p>"
    differing = [each for each in stuck.lacks if each.kind != "guard"]
    if differing:
        yield listed(_difference(each, stuck) for each in differing)
    guards = [each for each in stuck.lacks if each.kind == "guard"]
    for action in dict.fromkeys(each.action for each in guards):
        yield f"<h3>{code(action or 'A step')} is not possible</h3>"
        yield from (_guard(each, stuck) for each in guards if each.action == action)
    if guards and (nearest := nearest_text(stuck)):
        yield f"<p>What comes nearest is {code(nearest)}</p>"


def _difference(lack: Lack, stuck: StuckLine) -> str:
    lines = [code(each) for each in difference_lines(lack)]
    return text(difference_title(lack, stuck)) + (listed(lines) if lines else "")


def _guard(lack: Lack, stuck: StuckLine) -> str:
    often = f"in {lack.count:,} of {stuck.looked_into:,} states" if stuck.looked_into > 1 else ""
    return (f'<p class="soft">{often}</p>' if often else "") + blocked_html(lack.examples)
