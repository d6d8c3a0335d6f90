"""What came of following a log, as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.replay.logs.lines import Line
from gristmill.replay.logs.result import BrokenInvariant, LogDeparture, LogRepair, LogResult, StuckLine
from gristmill.report.json import blocked_document, explanation_document, trace_document
from gristmill.search.verdict import document
from gristmill.search.weave import Difference, Lack, NoValue
from gristmill.source.render import diagnostic_json
from gristmill.trace import Step
from gristmill.trace.itf import itf_value
from gristmill.values import show


def log_document(result: LogResult) -> dict[str, Any]:
    """Begins as every document does; lines count from 1, states of the trace, too."""
    with result.trace.world.active():
        return {
            **document(
                result.verdict,
                result.property,
                result.message,
                result.exit_code,
                result.seconds,
                result.caveats,
            ),
            "specification": result.specification,
            "status": result.status,
            "events": result.events,
            "matched": result.matched,
            "pairs": result.pairs,
            "files": [
                {
                    "path": file.path,
                    "events": file.events,
                    "matched": file.matched,
                    "last_line": file.last_line,
                    "left_out": dict(file.left_out),
                }
                for file in result.files
            ],
            "departure": None if result.departure is None else _departure(result.departure),
            "invariants": [_broken(each) for each in result.broken],
            **_trace(result),
            "diagnostics": [diagnostic_json(each) for each in result.diagnostics],
        }


def _trace(result: LogResult) -> dict[str, Any]:
    """Every state has `lines`: those that tell of it."""
    found = trace_document(result.trace)
    for step, lines in zip(found["trace"] or (), result.lines, strict=True):
        step["lines"] = [_line(line) for line in lines]
    return found


def _line(line: Line) -> dict[str, Any]:
    return {"file": line.file.path, "line": line.number, "kind": line.kind, "node": line.node}


def _departure(departure: LogDeparture) -> dict[str, Any]:
    return {
        "states": departure.states,
        "positions": departure.positions,
        "never": [_line(line) for line in departure.never],
        "stuck": [_stuck(each) for each in departure.stuck],
        "repairs": [_repair(each) for each in departure.repairs],
    }


def _stuck(stuck: StuckLine) -> dict[str, Any]:
    return {
        **_line(stuck.line),
        "event": dict(stuck.line.fields),
        "actions": list(stuck.actions),
        "states": stuck.states,
        "looked_into": stuck.looked_into,
        "lacks": [_lack(each) for each in stuck.lacks],
        "nearest": None
        if stuck.nearest is None
        else {
            "state": _values(stuck.nearest.state.state),
            "steps": [_step(each) for each in stuck.nearest.steps],
            "differences": [_difference(each) for each in stuck.nearest.differences],
        },
    }


def _lack(lack: Lack) -> dict[str, Any]:
    return {
        "kind": lack.kind,
        "action": lack.action,
        "text": lack.text,
        "states": lack.count,
        "logged": None if lack.kind in ("guard", "such-that") else _text(lack.wanted),
        "model": [{"value": _text(own), "states": count} for own, count in lack.owns],
        "blocked": [blocked_document(each) for each in lack.examples],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "of": difference.of,
        "text": difference.text,
        "logged": _text(difference.wanted),
        "model": _text(difference.own),
    }


def _repair(found: LogRepair) -> dict[str, Any]:
    return {
        "change": found.repair.kind,
        **_line(found.line),
        "other_line": None if found.other is None else found.other.number,
        "step": None if found.step is None else _step(found.step),
        "events": found.repair.events,
        "reaches": found.repair.reaches,
        "stuck": _line(found.stuck),
    }


def _broken(broken: BrokenInvariant) -> dict[str, Any]:
    return {
        "name": broken.name,
        "by": broken.by,
        "state": None if broken.number is None else broken.number + 1,
        "after": None if broken.line is None else _line(broken.line),
        "explanation": None if broken.explanation is None else explanation_document(broken.explanation),
    }


def _step(step: Step) -> dict[str, Any]:
    return {"action": step.action, "parameters": _values(dict(step.parameters)), "state": _values(step.state)}


def _values(values: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: itf_value(value) for name, value in dict(values).items()}


def _text(value: Any) -> str:
    return str(value) if isinstance(value, bool | NoValue) else show(value)
