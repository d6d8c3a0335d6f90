"""What came of following a log, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.replay.logs.result import BrokenInvariant, LogResult, StuckLine
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
from gristmill.report.changes import step_words
from gristmill.report.explanation import render_blocked, render_explanation, shortened
from gristmill.report.style import Role, Style, printable
from gristmill.report.terminal import PLAIN, Options, action_text
from gristmill.search.weave import Lack
from gristmill.source.render import render_text
from gristmill.trace import Step
from gristmill.values import pretty

_MOST_STUCK = 4  # lines that are told of


def render(result: LogResult, options: Options = PLAIN, *, steps: int = 3) -> str:
    """The verdict, how far the log fits, and why no further; of the behaviour, the last `steps`."""
    style = Style(options.color)
    with result.trace.world.active():
        lines = [*_headline(result, style), "", *_files(result), *(f"  {each}" for each in summary(result))]
        if result.diagnostics:
            lines += ["", render_text(result.diagnostics, options.color)]
        for broken in result.broken if result.verdict != "ok" else ():
            lines += _broken(broken, style, options.width)
        lines += _departure(result, style, options)
        if result.verdict != "ok" and len(result.trace):
            lines += _end(result, steps, style, options)
        if result.caveats:
            lines += ["", style.paint("heading", "What this rests on")]
            lines += (f"  - {printable(each)}" for each in result.caveats)
    return "\n".join(lines) + "\n"


def _headline(result: LogResult, style: Style) -> Iterator[str]:
    tone: Role = "good" if result.verdict == "ok" else "warning" if result.verdict == "incomplete" else "bad"
    yield style.paint(tone, printable(headline(result)))


def _files(result: LogResult) -> Iterator[str]:
    width = max((len(file.path) for file in result.files), default=0)
    for file in result.files:
        yield f"  {printable(file.path):<{width}}  {matched_text(file)}"


def _broken(broken: BrokenInvariant, style: Style, width: int) -> Iterator[str]:
    if broken.number is None:
        return
    after = f" after {broken.line}" if broken.line is not None else " in the initial state"
    yield ""
    yield style.paint("heading", printable(f"{broken.name} is false{after}"))
    if broken.explanation is not None:
        yield from render_explanation(broken.explanation, style, width)


# ---------------------------------------------------------------------------------------------------------- departure


def _departure(result: LogResult, style: Style, options: Options) -> Iterator[str]:
    found = result.departure
    if found is None:
        return
    if not found.states:
        yield ""
        yield "  There is no initial state."
    for stuck in found.stuck[:_MOST_STUCK]:
        yield from _stuck(stuck, style, options.width)
    if len(found.stuck) > _MOST_STUCK:
        others = ", ".join(str(stuck.line) for stuck in found.stuck[_MOST_STUCK:])
        yield f"  Nor does anything fit {printable(shortened(others, 300))}."
    if found.repairs:
        yield ""
        yield style.paint("heading", "What would make it fit")
        yield from (f"  - {printable(repair_text(each))}" for each in found.repairs)


def _stuck(stuck: StuckLine, style: Style, width: int) -> Iterator[str]:
    yield ""
    yield style.paint("heading", printable(stuck_title(stuck)))
    yield f"  {shortened(stuck.line.text, width - 2)}"
    for lack in stuck.lacks:
        if lack.kind != "guard":
            yield from _difference(lack, stuck, style, width)
    guards = [each for each in stuck.lacks if each.kind == "guard"]
    for action in dict.fromkeys(each.action for each in guards):
        yield f"  {action} is not possible:"
        yield from _guards([each for each in guards if each.action == action], stuck, style, width)
    if guards and (nearest := nearest_text(stuck)):
        yield f"  What comes nearest is {shortened(nearest, 3 * width)}"


def _guards(guards: Sequence[Lack], stuck: StuckLine, style: Style, width: int) -> Iterator[str]:
    for lack in guards:
        if stuck.looked_into > 1:
            yield style.paint("dim", f"  in {lack.count:,} of {stuck.looked_into:,} states")
        yield from render_blocked(lack.examples, style, width)


def _difference(lack: Lack, stuck: StuckLine, style: Style, width: int) -> Iterator[str]:
    yield f"  {difference_title(lack, stuck)}"
    yield from (style.paint("changed", shortened(f"    {each}", 2 * width)) for each in difference_lines(lack))


# --------------------------------------------------------------------------------------------------------------- end


def _end(result: LogResult, steps: int, style: Style, options: Options) -> Iterator[str]:
    """The last steps, with what they change, and the state after them."""
    trace = result.trace
    first = max(1, len(trace) - steps)
    yield ""
    yield style.paint(
        "heading", "A behaviour up to there" + (f", the last {len(trace) - first} steps" if first > 1 else "")
    )
    for number in range(first, len(trace)):
        step = trace.steps[number]
        told = ", ".join(map(str, result.lines[number])) or "no line"
        yield f"{number + 1:>5}  {style.paint('heading', printable(_title(step)))}{style.paint('dim', f'  {told}')}"
        for words in step_words(trace.steps[number - 1].shown, step.shown, options.width - 9):
            yield style.paint("changed", printable(f"       * {words}"))
    yield f"{'':>5}  {style.paint('heading', 'and so')}"
    for name, value in trace.steps[-1].shown.items():
        prefix = f"         {name} = "
        text = pretty(value, max(20, options.width - len(prefix))).replace("\n", "\n" + " " * len(prefix))
        yield printable(prefix + text)


def _title(step: Step) -> str:
    return action_text(step) if step.action is not None else "Initial state"
