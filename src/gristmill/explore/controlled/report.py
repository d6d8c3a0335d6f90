"""A result, and a failure, for people."""

from __future__ import annotations

from gristmill.explore.chart import render_text
from gristmill.explore.controlled.failure import Failure
from gristmill.explore.controlled.search import Result

_SEARCHES = {"random": "random walks", "pct": "PCT", "dfs": "depth-first search"}


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
    if result.exhausted:
        unusual = "" if result.deviations is None else f", at most {result.deviations} of them unusual"
        return f"Nothing failed in any schedule that varies the first {result.depth} choices{unusual}"
    return "Nothing failed in what was explored"


def _caveats(result: Result) -> list[str]:
    lines = [f"not controlled: {text}" for text in result.uncontrolled]
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


def failure_text(failure: Failure, path: str | None = None) -> str:
    lines = [str(failure)]
    if failure.number:
        lines.append(
            f"found in run {failure.number} after {failure.found_length} events; {len(failure.events)} are enough:"
        )
    if failure.story is not None:
        lines += ["", render_text(failure.story.chart(str(failure)))]
    if path is not None:
        lines.append(f"replay it with: python -m gristmill.explore.controlled replay {path}")
    return "\n".join(lines) + "\n"
