"""The result of an exploration, for people and for tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from gristmill.explore.result import Result
from gristmill.explore.system import System
from gristmill.search.verdict import Verdict, document
from gristmill.trace.chart import Chart, chart, render_text
from gristmill.trace.schedule import Failure, Sent, Step, told

_LONGEST_VALUE = 60  # characters of a field, in a chart
SEARCHES = {
    "dfs": "stateful depth-first search",
    "dbss": "decomposition-based stateful search",
    "bfs": "breadth-first search",
    "stateless": "stateless depth-first search",
    "deepening": "iterative deepening",
    "random": "random runs",
    "pct": "random priorities (PCT)",
}


def render(system: System, result: Result, width: int | None = None) -> str:
    """Verdict, the run that shows a failure, counts, caveats. `width`: columns that there are for the chart."""
    lines = [_headline(system, result)]
    if result.failure is not None:
        lines += ["", *_run(system, result.failure, width)]
    lines += ["", _counts(result)]
    if result.auxiliary:
        lines.append(f"states are not told apart by {', '.join(result.auxiliary)}")
    lines += [f"note: {caveat}" for caveat in result.caveats]
    return "\n".join(lines) + "\n"


def _headline(system: System, result: Result) -> str:
    if result.failure is not None:
        return f"Error: {result.failure.message}"
    if not system.properties:
        explored = ", and not everything was explored" if result.verdict == "incomplete" else ""
        return f"{system.name}: nothing was checked but exceptions and assertions of handlers{explored}"
    if result.verdict == "incomplete":
        return f"{system.name}: nothing found, and not everything explored"
    if result.counts.runs and result.search in ("random", "pct"):
        return f"{system.name}: nothing found in the runs sampled"
    return f"{system.name}: no error"


def _run(system: System, failure: Failure, width: int | None) -> list[str]:
    lines = [f"{number:>3}  {told(step.event)}" for number, step in enumerate(failure.steps, 1)]
    if failure.loop is not None:
        lines.append(f"     and again from step {failure.loop + 1}")
    return [*lines, "", render_text(drawn(system, failure), within=width).rstrip()]


def drawn(system: System, failure: Failure) -> Chart:
    """The run as a message sequence chart."""
    return chart(system.names, [_plain(step) for step in failure.steps], failure.message)


def _plain(step: Step) -> Step:
    """With changes only as far as a line holds them."""
    changes = tuple((name.partition(".")[2] or name, _short(value)) for name, value in step.changes)
    return replace(with_texts(step), changes=() if step.event.kind == "start" else changes)


def with_texts(step: Step) -> Step:
    """Messages as text, so that they can be told apart whatever they hold."""
    return replace(step, event=replace(step.event, received=_texts(step.event.received)), sent=_texts(step.sent))


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"


def _texts(messages: Sequence[Sent]) -> tuple[Sent, ...]:
    return tuple(replace(one, message=str(one.message)) for one in messages)


def _counts(result: Result) -> str:
    counts = result.counts
    rate = f", {counts.distinct / result.seconds:,.0f} states/s" if result.seconds > 0.1 else ""
    engine = "in C" if result.engine == "native" else "in Python"
    text = (
        f"{counts.distinct:,} states, {counts.transitions:,} transitions, depth {counts.depth}; "
        f"{SEARCHES[result.search]} {engine}, {result.seconds:.2f} s{rate}; handlers ran {counts.handler_runs:,} times"
    )
    return text + (f"; {counts.runs:,} runs" if counts.runs else "")


def to_json(system: System, result: Result) -> str:
    """docs/reference/json.md describes it."""
    failure = result.failure
    name = failure.name if failure is not None else None
    message, code = _headline(system, result), result.exit_code
    found = {
        **document(result.verdict, name, message, code, result.seconds, result.caveats),
        "system": system.name,
        "search": result.search,
        "engine": result.engine,
        **asdict(result.counts),
        "auxiliary": result.auxiliary,
        "trace": failure and [_step(number, step) for number, step in enumerate(failure.steps, 1)],
        "loop_start": None if failure is None or failure.loop is None else failure.loop + 1,
        "violations": [_violation(result.verdict, failure)] if failure else [],
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _step(number: int, step: Step) -> dict[str, Any]:
    return {
        "number": number,
        "action": told(step.event),
        "sent": [str(one) for one in step.sent],
        "changes": dict(step.changes),
        "error": step.error,
    }


def _violation(verdict: Verdict, failure: Failure) -> dict[str, Any]:
    return {"verdict": verdict, "property": failure.name, "message": failure.message, "kind": failure.kind, "count": 1}
