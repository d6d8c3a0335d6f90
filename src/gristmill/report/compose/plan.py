"""A plan: what was tried, what it costs, and why one mix was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gristmill.compose.planning import Candidate, Plan
from gristmill.report.compose.composition import mix_text
from gristmill.report.compose.table import render_table
from gristmill.search.verdict import FORMAT


def render_plan(found: Plan, manifest: str) -> str:
    rows = [["mix", "", "states", "growth", "all states", "seconds"]]
    rows += [_cells(each) for each in found.candidates]
    return "\n".join([render_table(rows, 2), "", *_conclusion(found, manifest)]) + "\n"


def _cells(candidate: Candidate) -> list[str]:
    cost = candidate.cost
    if cost is None:
        return [mix_text(candidate.mix), candidate.why, "", "", "", ""]
    sign = "" if cost.is_finished else "~"
    return [
        mix_text(candidate.mix),
        candidate.why,
        f"{cost.result.distinct:,}",
        "" if cost.growth is None or cost.is_finished else f"{cost.growth:.2f}",
        "no end in sight" if cost.states is None else f"{sign}{cost.states:,}",
        "" if cost.seconds is None else f"{sign}{cost.seconds:.1f}",
    ]


def _conclusion(found: Plan, manifest: str) -> Iterator[str]:
    if found.chosen is None:
        yield f"No mix with {found.target} at its finest grain can be explored in {found.budget:g} s"
        yield "that is not rejected by `gristmill compose verify`."
        return
    yield f"Plan: {mix_text(found.chosen.mix)} ({found.chosen.why})"
    grains = " ".join(f"--grain {module}={grain}" for module, grain in found.chosen.mix.items())
    yield f"  gristmill compose check {manifest} {grains}"
    if found.chosen.verification is not None and found.chosen.verification.outcome != "proven":
        yield "What is found in it may not be all: verify it with more time before you rely on it."


def plan_document(found: Plan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "target": found.target,
        "budget": found.budget,
        "chosen": None if found.chosen is None else dict(found.chosen.mix),
        "candidates": [_candidate(each) for each in found.candidates],
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    cost, verification = candidate.cost, candidate.verification
    return {
        "mix": dict(candidate.mix),
        "why": candidate.why,
        "verdict": None if cost is None else cost.result.verdict,
        "explored": None if cost is None else cost.result.distinct,
        "growth": None if cost is None or cost.growth is None else round(cost.growth, 3),
        "states": None if cost is None else cost.states,
        "seconds": None if cost is None or cost.seconds is None else round(cost.seconds, 3),
        "finished": cost is not None and cost.is_finished,
        "verification": None if verification is None else verification.outcome,
    }
