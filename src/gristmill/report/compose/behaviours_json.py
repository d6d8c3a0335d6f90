"""Traces, summaries and movers as JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.compose.verify.behaviours import UnitBehaviours
from gristmill.compose.verify.movers import Interruption, Movers
from gristmill.compose.verify.sides import Change
from gristmill.compose.verify.summaries import Example, Exit, Summary
from gristmill.compose.verify.traces import Direction, TraceComparison, TraceDifference
from gristmill.report.json import trace_document
from gristmill.trace import Trace


def behaviours_document(found: UnitBehaviours) -> dict[str, Any]:
    return {
        "unit": found.unit,
        "compositions": list(found.names),
        "states": list(found.states),
        "seconds": round(found.seconds, 3),
        "observed": list(found.observed),
        "hidden_messages": dict(found.hidden),
        "own_variables": list(found.own),
        "failed": found.failed,
        "traces": None if found.traces is None else _traces(found.traces),
        "summary": None if found.summary is None else _summary(found.summary),
        "movers": None if found.movers is None else _movers(found.movers),
    }


def _traces(found: TraceComparison) -> dict[str, Any]:
    return {"missed": _direction(found.missed), "added": None if found.added is None else _direction(found.added)}


def _direction(found: Direction) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "message": found.message or None,
        "product_steps": found.product_steps,
        "seconds": round(found.seconds, 3),
        "difference": None if found.difference is None else _difference(found.difference),
    }


def _difference(found: TraceDifference) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "action": found.action,
        "visible_steps": found.observed_steps,
        "changes": _changes(found.changes),
        "behaviour": _trace(found.behaviour),
        "matched": _trace(found.matched),
        "possible": [{"action": each.action, "changes": _changes(each.changes)} for each in found.possible],
    }


def _summary(found: Summary) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "modules": list(found.modules),
        "entries": found.entries,
        "exact": found.exact,
        "faults": dict(found.counts),
        "beginnings": [
            {"actions": list(names), "exact": exact, "entries": entries}
            for names, (exact, entries) in found.beginnings.items()
        ],
        "several": found.several,
        "incomplete": found.incomplete,
        "examples": [_example(each) for each in found.examples],
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "fault": example.fault,
        "behaviour": _trace(example.behaviour),
        "exit": None if example.exit is None else _exit(example.exit),
        "others": [_exit(each) for each in example.others],
        "contrast": [
            {"variable": each.variable, "there": each.before, "here": each.after} for each in example.contrast
        ],
    }


def _exit(exit: Exit) -> dict[str, Any]:
    return {"by": list(exit.by), "changes": _changes(exit.changes)}


def _movers(found: Movers) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "in_flight": found.in_flight,
        "incomplete": found.incomplete,
        "hidden": [_interruption(each) for each in found.hidden],
        "commuting": [each.action for each in found.interruptions if each.commutes],
        "independent": list(found.independent),
    }


def _interruption(found: Interruption) -> dict[str, Any]:
    return {
        "action": found.action,
        "module": found.module,
        "sentence": found.sentence,
        "writes": list(found.written),
        "reads": list(found.read),
        "steps": found.steps,
        "stuck": found.stuck,
        "unseen": found.unseen,
        "behaviour": _trace(found.behaviour),
    }


def _changes(changes: Sequence[Change]) -> list[dict[str, str]]:
    return [{"variable": each.variable, "before": each.before, "after": each.after} for each in changes]


def _trace(trace: Trace | None) -> Any:
    return None if trace is None else trace_document(trace)
