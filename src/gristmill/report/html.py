"""A result for a notebook: one piece of HTML that needs no style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gristmill.report.places import place_text
from gristmill.report.terminal import action_text, is_earned
from gristmill.search.result import Result
from gristmill.trace import Step, Trace
from gristmill.values import pretty

_GREEN, _AMBER, _RED = "#1a7f37", "#9a6700", "#cf222e"  # of verdicts
_CHANGED = "background:#fff8c5;color:#1f2328"
_CELL = "text-align:left;vertical-align:top;white-space:pre;font-family:monospace"


def render_html(result: Result) -> str:
    return "".join(_parts(result))


def _parts(result: Result) -> Iterator[str]:
    color = _GREEN if is_earned(result) else _AMBER if result.verdict in ("ok", "incomplete") else _RED
    yield f'<div><p style="font-weight:bold;color:{color}">{escape(result.message or result.verdict)}</p>'
    for diagnostic in result.diagnostics:
        yield f"<p>{escape(str(diagnostic))}</p>"
    if result.trace:
        yield from _table(result.trace)
    if result.generated:
        yield f"<p>{result.distinct:,} distinct states, {result.generated:,} generated, depth {result.depth:,}, "
        yield f"{result.seconds:.2f} s</p>"
    if result.caveats:
        yield "<ul>" + "".join(f"<li>{escape(each)}</li>" for each in result.caveats) + "</ul>"
    yield "</div>"


def _table(trace: Trace) -> list[str]:
    with trace.world.active():
        return list(_trace(trace))


def _trace(trace: Trace) -> Iterator[str]:
    """A row a state; values that are new are marked."""
    heads = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in ("", "action", *trace.names))
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    for number, step in enumerate(trace.steps):
        yield f"<tr><td>{number + 1}</td><td>{_action(step)}</td>"
        changed = trace.changed(number)
        for name in trace.names:
            text = escape(pretty(step.shown[name], 60)) if name in step.shown else ""
            yield f'<td style="{_CELL};{_CHANGED if name in changed else ""}">{text}</td>'
        yield "</tr>"
    yield "</tbody></table>"
    if trace.stuttering:
        yield "<p>Nothing happens any more.</p>"
    elif trace.loop_start is not None:
        yield f"<p>Back to state {trace.loop_start + 1}.</p>"


def _action(step: Step) -> str:
    if step.action is None:
        return "Initial state"
    where = f' title="{escape(place_text(step.location))}"' if step.location is not None else ""
    return f"<span{where}>{escape(action_text(step))}</span>"
