"""The outcome of a replay as JSON; docs/reference/replay-json.md describes it."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from typing import Any

from gristmill.replay.outcome import Confirmation, Outcome, Replayed
from gristmill.replay.record import run_document
from gristmill.replay.report.words import headline
from gristmill.search import verdict


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    message = headline(outcome)
    head = verdict.document(outcome.verdict, None, message, outcome.exit_code, outcome.seconds, outcome.caveats)
    return {
        **head,
        "system": outcome.system,
        "specification": outcome.specification,
        "mode": outcome.mode,
        "seed": outcome.seed,
        "traces": outcome.traces,
        "steps": outcome.steps,
        "conforming": outcome.conforming,
        "interrupted": outcome.interrupted,
        "actions": dict(outcome.actions),
        "pairs": [{"before": a or None, "after": b, "times": times} for (a, b), times in outcome.pairs.items()],
        "never_replayed": list(outcome.unmet),
        "observed": list(outcome.observed),
        "never_compared": list(outcome.never_compared),
        "unobserved": dict(outcome.unobserved),
        "avoided": [_avoided(outcome, name) for name in outcome.avoided],
        "median_seconds": _medians(outcome),
        "discrepancies": [_same(each) for each in outcome.distinct.values()],
        "not_as_recorded": list(outcome.not_as_recorded),
        "confirmations": [_confirmation(each) for each in outcome.confirmations],
    }


def _avoided(outcome: Outcome, name: str) -> dict[str, Any]:
    return {"name": name, "times": outcome.avoided[name], "because": outcome.reasons.get(name, "")}


def _medians(outcome: Outcome) -> dict[str, float] | None:
    if not outcome.step_seconds:
        return None
    run, observe, own = (round(statistics.median(each), 6) for each in zip(*outcome.step_seconds, strict=True))
    return {"run": run, "observe": observe, "own": own, "start": round(statistics.median(outcome.start_seconds), 3)}


def _same(found: list[Replayed]) -> dict[str, Any]:
    first = found[0]
    trace, run = first.shown
    assert first.run.discrepancy is not None
    return {
        **asdict(run.discrepancy or first.run.discrepancy),
        "times": len(found),
        "shrunk": first.smallest is not None,
        "tries": first.tries,
        "trace": [step.text for step in trace[1:]],
        "run": run_document(run),
    }


def _confirmation(found: Confirmation) -> dict[str, Any]:
    return {
        "invariant": found.invariant,
        "confirmed": found.confirmed,
        "observed": found.observed,
        "check_seconds": round(found.check_seconds, 3),
        "states": found.states,
        "run": None if found.replayed is None else run_document(found.replayed.run),
    }
