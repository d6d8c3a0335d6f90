"""The result of an exploration, for people and for tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from gristmill.explore.chart import Chart, chart, render_text
from gristmill.explore.result import Result
from gristmill.explore.schedule import Failure, Sent, Step, describe
from gristmill.explore.system import System

SEARCHES = {
    "dfs": "stateful depth-first search",
    "dbss": "decomposition-based stateful search",
    "bfs": "breadth-first search",
    "stateless": "stateless depth-first search",
    "deepening": "iterative deepening",
    "random": "random runs",
    "pct": "random priorities (PCT)",
}


def render(system: System, result: Result) -> str:
    """Verdict, the run that shows a failure, counts, caveats."""
    lines = [_headline(system, result)]
    if result.failure is not None:
        lines += ["", *_run(system, result.failure)]
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


def _run(system: System, failure: Failure) -> list[str]:
    lines = [f"{number:>3}  {describe(step.event)}" for number, step in enumerate(failure.steps, 1)]
    if failure.loop is not None:
        lines.append(f"     and again from step {failure.loop + 1}")
    return [*lines, "", render_text(drawn(system, failure)).rstrip()]


def drawn(system: System, failure: Failure) -> Chart:
    """The run as a message sequence chart."""
    return chart(system.names, [_plain(step) for step in failure.steps], failure.message)


def _plain(step: Step) -> Step:
    """Messages as text, so that they can be told apart whatever they hold; changes only as far as a line holds them."""
    event = replace(step.event, received=_texts(step.event.received))
    changes = tuple((name.partition(".")[2] or name, value[:60]) for name, value in step.changes)
    shown = () if event.kind == "start" else changes
    return replace(step, event=event, sent=_texts(step.sent), changes=shown)


def _texts(messages: Sequence[Sent]) -> tuple[Sent, ...]:
    return tuple(replace(one, message=str(one.message)) for one in messages)


def _counts(result: Result) -> str:
    counts = result.counts
    rate = f", {counts.states / result.seconds:,.0f} states/s" if result.seconds > 0.1 else ""
    engine = "in C" if result.engine == "native" else "in Python"
    text = (
        f"{counts.states:,} states, {counts.transitions:,} transitions, depth {counts.depth}; "
        f"{SEARCHES[result.search]} {engine}, {result.seconds:.2f} s{rate}; handlers ran {counts.handler_runs:,} times"
    )
    return text + (f"; {counts.runs:,} runs" if counts.runs else "")


def to_json(system: System, result: Result) -> str:
    """Stable names; the failure's steps as text."""
    failure = result.failure
    found = {
        "system": system.name,
        "verdict": result.verdict,
        "message": _headline(system, result),
        "search": result.search,
        "engine": result.engine,
        "seconds": round(result.seconds, 3),
        "counts": asdict(result.counts),
        "auxiliary": result.auxiliary,
        "caveats": result.caveats,
        "failure": failure
        and {
            "kind": failure.kind,
            "name": failure.name,
            "message": failure.message,
            "loop": failure.loop,
            "steps": [
                {
                    "event": describe(step.event),
                    "sent": [str(one) for one in step.sent],
                    "changes": dict(step.changes),
                    "error": step.error,
                }
                for step in failure.steps
            ],
        },
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
