"""A result as one JSON document. docs/reference/json.md describes it for its readers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gristmill.search.profile import Profile
from gristmill.search.result import ActionCoverage, OutDegree, Result, Simulation, Violation
from gristmill.search.verdict import document
from gristmill.source import Span
from gristmill.source.render import diagnostic_json, dumped
from gristmill.trace import Alternative, Blocked, Explanation, Fairness, Step, Trace
from gristmill.trace.itf import itf_value
from gristmill.values import show


def render_result(result: Result) -> str:
    return dumped(result_document(result))


def render_simulation(simulation: Simulation) -> str:
    return dumped(simulation_document(simulation))


def simulation_document(simulation: Simulation) -> dict[str, Any]:
    """The document of the result, and what there is to say of random behaviours."""
    lengths = simulation.lengths
    return {
        **result_document(simulation.result),
        "simulation": {
            "seed": simulation.seed,
            "behaviours": lengths.behaviours,
            "mean_length": round(lengths.mean, 3),
            "variance_of_length": round(lengths.variance, 3),
            "minimum_length": lengths.minimum,
            "maximum_length": lengths.maximum,
        },
    }


def result_document(result: Result) -> dict[str, Any]:
    return {
        **document(result.verdict, result.property, result.message, result.exit_code, result.seconds, result.caveats),
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "queue": result.queue,
        "search_seconds": round(result.search_seconds, 3),
        "engine": result.engine,
        **trace_document(result.trace),
        **_why(result.violations[0] if result.violations else None),
        "checked": list(result.checked),
        "undecided": list(result.undecided),
        "not_checked": [
            {"name": each.name, "kind": each.kind, "location": place(each.location)} for each in result.unasked
        ],
        "coverage": [_coverage(row) for row in result.coverage],
        "expressions": [
            {"text": row.text, "count": row.count, "location": place(row.location)} for row in result.expressions
        ],
        "out_degree": _out_degree(result.out_degree),
        "collision_odds": None if result.collision_odds is None else asdict(result.collision_odds),
        "violations": [_violation(each) for each in result.violations],
        "diagnostics": [diagnostic_json(each) for each in result.diagnostics],
        **({} if result.profile is None else {"profile": _profile(result.profile)}),
    }


def trace_document(trace: Trace | None) -> dict[str, Any]:
    """States are numbered from 1, as they are on the terminal."""
    if trace is None:
        return {"trace": None, "loop_start": None, "closing": None, "stuttering": False}
    with trace.world.active():
        steps = [_step(trace, number, step) for number, step in enumerate(trace.steps)]
        closing = None if trace.closing is None else _taken(trace.closing)
    loop_start = None if trace.loop_start is None else trace.loop_start + 1
    return {"trace": steps, "loop_start": loop_start, "closing": closing, "stuttering": trace.stuttering}


def _step(trace: Trace, number: int, step: Step) -> dict[str, Any]:
    changed = trace.changed(number)
    return {
        "number": number + 1,
        **_taken(step),
        "state": {name: itf_value(value) for name, value in step.shown.items()},
        "text": {name: show(value) for name, value in step.shown.items()},
        "changed": [name for name in step.shown if name in changed],
        "raw": None if step.alias is None else {name: itf_value(value) for name, value in step.state.items()},
    }


def _taken(step: Step) -> dict[str, Any]:
    return {
        "action": step.action,
        "parameters": {name: itf_value(value) for name, value in step.parameters},
        "location": place(step.location),
        "algorithm": place(step.algorithm),
    }


def _coverage(row: ActionCoverage) -> dict[str, Any]:
    return {
        "action": row.name,
        "initial": row.initial,
        "distinct": row.distinct,
        "generated": row.generated,
        "location": place(row.location),
    }


def _out_degree(degree: OutDegree | None) -> dict[str, Any] | None:
    if degree is None:
        return None
    return {
        "minimum": degree.minimum,
        "average": round(degree.average, 3),
        "maximum": degree.maximum,
        "percentile_95": degree.percentile_95,
    }


def _profile(profile: Profile) -> dict[str, Any]:
    return {
        "reason": profile.reason,
        "phases": [
            {"name": each.name, "seconds": round(each.seconds, 4), "beside": each.beside} for each in profile.phases
        ],
        "parts": [
            {
                "kind": part.kind,
                "name": part.name,
                "native": part.native,
                "reason": part.reason,
                "calls": part.calls,
                "seconds": round(part.seconds, 4),
                "generated": part.generated,
                "distinct": part.distinct,
            }
            for part in profile.parts
        ],
        "layouts": profile.layouts,
        "first_native_state": profile.first_native_state,
        "memory": None if profile.memory is None else asdict(profile.memory),
    }


def _violation(violation: Violation) -> dict[str, Any]:
    return {
        "verdict": violation.verdict,
        "property": violation.property,
        "message": violation.message,
        "count": violation.count,
        "location": place(violation.location),
        "help": violation.help,
        **trace_document(violation.trace),
        **_why(violation),
    }


def _why(violation: Violation | None) -> dict[str, Any]:
    explanation, blocked = (violation.explanation, violation.blocked) if violation else (None, ())
    return {
        "explanation": None if explanation is None else explanation_document(explanation),
        "blocked": [blocked_document(each) for each in blocked],
        "fairness": [_fairness(each) for each in violation.fairness] if violation else [],
        "alternatives": [_alternative(each) for each in violation.alternatives] if violation else [],
        "remedies": [
            {"text": each.text, "bindings": dict(each.bindings), "possible": list(each.possible)}
            for each in (violation.remedies if violation else ())
        ],
        "mapped": [
            {"variable": each.name, "before": each.before, "after": each.after}
            for each in (violation.mapped if violation else ())
        ],
    }


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    return {
        "text": explanation.text,
        "truth": explanation.truth,
        "location": place(explanation.span),
        "bindings": dict(explanation.bindings),
        "values": dict(explanation.values),
        "note": explanation.note,
        "parts": [explanation_document(part) for part in explanation.parts],
    }


def _fairness(condition: Fairness) -> dict[str, Any]:
    return {
        "kind": condition.kind,
        "text": condition.text,
        "bindings": dict(condition.bindings),
        "taken": list(condition.taken),
        "disabled": list(condition.disabled),
        "location": place(condition.location),
    }


def _alternative(alternative: Alternative) -> dict[str, Any]:
    return {
        "state": alternative.state,
        "action": alternative.action,
        "parameters": dict(alternative.parameters),
        "location": place(alternative.location),
    }


def blocked_document(blocked: Blocked) -> dict[str, Any]:
    return {
        "action": blocked.action,
        "parameters": dict(blocked.parameters),
        "count": blocked.count,
        "location": place(blocked.location),
        "guard": explanation_document(blocked.guard),
    }


def place(span: Span | None) -> dict[str, Any] | None:
    """Lines and columns from 1; the end is the first character that does not belong to it."""
    if span is None:
        return None
    span = span.file.original(span)
    (line, column), (end_line, end_column) = span.file.position(span.start), span.file.position(span.end)
    return {"file": span.file.path, "line": line, "column": column, "end_line": end_line, "end_column": end_column}
