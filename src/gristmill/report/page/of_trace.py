"""A trace of a specification as pages show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.report.behaviour import action_text
from gristmill.report.changes import SHORT
from gristmill.report.page.messages import Messages, messages_of
from gristmill.report.page.run import PageChange, PageRun, PageStep, Tone
from gristmill.report.places import place_text
from gristmill.trace import Step, Trace
from gristmill.trace.difference import path_text, state_changes
from gristmill.values import Value, show

LEGEND = "Dashed arrow: a message that is sent. Arrow: one that is received, or gone from the network."


def run_of_trace(trace: Trace, name: str, told: str, tone: Tone = "bad", why: str = "") -> PageRun:
    with trace.world.active():
        messages = messages_of(trace)
        steps = list(_steps(trace, messages, tone))
        return PageRun(name, told, tone, steps, end_of(trace), why, messages.nodes)


def end_of(trace: Trace) -> str:
    if trace.stuttering:
        return "Nothing happens any more."
    if trace.loop_start is None:
        return ""
    by = "" if trace.closing is None else f" by {action_text(trace.closing)}"
    return f"Back to state {trace.loop_start + 1}{by}."


def _steps(trace: Trace, messages: Messages, tone: Tone) -> Iterator[PageStep]:
    for number, step in enumerate(trace.steps):
        yield PageStep(
            title_of(step),
            {name: show(value) for name, value in step.shown.items()},
            list(_changes(trace, number)),
            messages.marks(number),
            _place(step),
            wrong=tone == "bad" and number == len(trace.steps) - 1,
        )


def title_of(step: Step) -> str:
    return "Initial state" if step.action is None else action_text(step)


def _place(step: Step) -> str:
    if step.algorithm is not None:
        return f"{place_text(step.algorithm)} (algorithm)"
    return "" if step.location is None else place_text(step.location)


def _changes(trace: Trace, number: int) -> Iterator[PageChange]:
    if number > 0:
        yield from changes_between(trace.steps[number - 1].shown, trace.steps[number].shown)


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[PageChange]:
    """Of states of the world that is active."""
    for name, found in state_changes(before, after, SHORT).items():
        for each in found:
            path = each.path[:-1] if each.kind in ("appended", "dropped") else each.path
            yield PageChange(name, path_text(path), each.kind, _text(each.before), _text(each.after))


def _text(value: Value | None) -> str:
    return "" if value is None else show(value)
