"""A result, and a failure, for people."""

from __future__ import annotations

import json
from typing import Any

from gristmill.controlled.failure import Failure
from gristmill.controlled.search import Result
from gristmill.search.verdict import document
from gristmill.trace.chart import render_text

_SEARCHES = {
    "random": "random walks",
    "pct": "PCT",
    "dfs": "depth-first search",
    "deepening": "iterative deepening",
}


def result_text(result: Result) -> str:
    lines = [_verdict(result)]
    rate = result.runs / result.seconds if result.seconds else 0.0
    runs = "1 run" if result.runs == 1 else f"{result.runs:,} runs"
    lines.append(
        f"{runs} ({_SEARCHES[result.search]}, seed {result.seed}), {result.events:,} events, "
        f"{result.seconds:.1f} s, {rate:.0f} runs/s"
    )
    lines.append(
        f"{len(result.schedules):,} distinct schedules, {len(result.orders):,} that differ in what some node saw"
    )
    lines.append("runs that " + ", ".join(f"{_OUTCOMES[name]}: {n:,}" for name, n in sorted(result.outcomes.items())))
    if result.faults:
        lines.append("faults: " + ", ".join(f"{n:,} {kind}" for kind, n in sorted(result.faults.items())))
    lines += [
        f"{n:,} {'run' if n == 1 else 'runs'} failed with {kind}" for kind, n in result.failing_runs.most_common()
    ]
    return "\n".join([*lines, *_caveats(result)]) + "\n"


_OUTCOMES = {
    "finished": "finished",
    "quiet": "came to rest",
    "cut": "reached a bound",
    "violation": "failed",
}


def _verdict(result: Result) -> str:
    if result.failures:
        return "Failed: " + "; ".join(map(str, result.failures.values()))
    if result.blocked:
        return "Not explored: the program does what cannot be controlled"
    if result.unsteady:
        return "Not explored: the program does not do the same twice"
    text = _systematic(result) if result.exhausted or result.levels else "Nothing failed in what was explored"
    return f"Incomplete: {text[0].lower()}{text[1:]}" if result.verdict == "incomplete" else text


def _systematic(result: Result) -> str:
    unusual = result.deviations if result.search == "dfs" or result.exhausted else result.levels - 1
    choices = "all choices" if result.depth is None else f"the first {result.depth} choices"
    bound = "" if unusual is None else f", at most {unusual} of them unusual"
    return f"Nothing failed in any schedule that varies {choices}{bound}"


def _caveats(result: Result) -> list[str]:
    lines = list(result.stopped)
    lines += [f"not controlled: {text}" for text in result.uncontrolled]
    if result.blocked:
        lines.append(
            "  help: keep it out of the scenario, or let it through with a word of the message (--allow, allow=)"
        )
    if result.outcomes["cut"] * 2 > result.runs and not result.blocked:
        lines.append("most runs reached a bound: raise `steps` and `seconds`, or let the scenario end earlier")
    lines += [f"read from outside: {path}" for path in sorted(result.outside)]
    for text in result.unsteady[:3]:
        lines.append(f"not repeatable: {text}")
        lines.append("  help: run Python with PYTHONHASHSEED=0, and look for what depends on id() or hash()")
    return lines


def failure_text(failure: Failure, command: str | None = None, width: int | None = None) -> str:
    lines = [str(failure)]
    if failure.number:
        lines.append(
            f"found in run {failure.number} after {failure.found_length} events; {len(failure.events)} are enough:"
        )
    if failure.story is not None:
        lines += ["", render_text(failure.story.chart(str(failure)), within=width)]
    if command is not None:
        lines.append(f"replay it with: {command}")
    return "\n".join(lines) + "\n"


def replay_command(failure: Failure, path: str) -> str:
    return f"gristmill explore {failure.program} --replay {path}"


def to_json(result: Result, saved: list[str]) -> str:
    """docs/reference/json.md describes it; `saved` are the files with the schedules of the failures."""
    first = next(iter(result.failures.values()), None)
    name, message = first.name if first else None, _verdict(result)
    found = {
        **document(result.verdict, name, message, result.exit_code, result.seconds, _caveats(result)),
        "program": result.program,
        "search": result.search,
        "seed": result.seed,
        "settings": result.settings.as_json(),
        "exhausted": result.exhausted,
        "runs": result.runs,
        "events": result.events,
        "schedules": len(result.schedules),
        "orders": len(result.orders),
        "outcomes": dict(sorted(result.outcomes.items())),
        "faults": dict(sorted(result.faults.items())),
        "trace": first and _trace(first),
        "violations": [
            _violation(failure, path, result.failing_runs[failure.kind])
            for failure, path in zip(result.failures.values(), saved, strict=True)
        ],
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _trace(failure: Failure) -> list[dict[str, Any]]:
    return [{"number": number, "action": event} for number, event in enumerate(failure.events, 1)]


def _violation(failure: Failure, path: str, runs: int) -> dict[str, Any]:
    return {
        "verdict": failure.verdict,
        "property": failure.name,
        "message": failure.message,
        "kind": failure.kind,
        "count": runs,
        "first_run": failure.number,
        "trace": _trace(failure),
        "schedule": path,
    }
