"""What `compose verify` found, as a JSON document."""

from __future__ import annotations

from typing import Any

from gristmill.compose.verify.result import Candidate, Change, FailingStep, Finding, UnitResult, Verification
from gristmill.report.compose.composition import composition_document
from gristmill.report.json import place, result_document, trace_document
from gristmill.search.verdict import FORMAT


def verification_document(found: Verification) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "system": found.system,
        "constants": dict(found.constants),
        "outcome": found.outcome,
        "exit_code": found.exit_code,
        "seconds": round(found.seconds, 3),
        "units": [_unit(each) for each in found.units],
        "findings": [_finding(each) for each in found.findings],
        "invariants": [
            {"name": each.name, "holds": each.holds, "in": list(each.in_), "reason": each.reason or None}
            for each in found.invariants
        ],
        "argument": list(found.argument),
    }


def _unit(unit: UnitResult) -> dict[str, Any]:
    return {
        "name": unit.name,
        "modules": list(unit.modules),
        "fine": list(unit.fine),
        "coarse": unit.coarse,
        "composition": None if unit.composition is None else composition_document(unit.composition),
        "observed": list(unit.observed),
        "internal": list(unit.internal),
        "foreign": list(unit.foreign),
        "search": None if unit.explored is None else _search(unit),
        "map": [
            {
                "action": each.action,
                "to": list(each.to),
                "invisible": each.invisible,
                "given": each.given,
                "steps": each.taken,
            }
            for each in unit.action_map
        ],
        "unused": list(unit.unused),
        "failures": [_failure(each) for each in unit.failures],
        "violated": {name: result_document(result) for name, result in unit.violated.items()},
    }


def _search(unit: UnitResult) -> dict[str, Any]:
    assert unit.explored is not None
    result = unit.explored
    return {
        "verdict": "ok" if result.verdict == "property" and unit.failures else result.verdict,
        "message": result.message,
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "seconds": round(result.search_seconds, 3),
        "engine": result.engine,
    }


def _failure(step: FailingStep) -> dict[str, Any]:
    return {
        "action": step.action,
        "parameters": dict(step.parameters),
        "changes": [_change(each) for each in step.changes],
        "candidates": [_candidate(each) for each in step.candidates],
        **trace_document(step.trace),
    }


def _change(change: Change) -> dict[str, Any]:
    found: dict[str, Any] = {"variable": change.variable, "before": change.before, "fine": change.fine}
    return found if change.coarse is None else {**found, "coarse": change.coarse}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "action": candidate.action,
        "blocked": [
            {"guard": each.guard.text, "parameters": dict(each.parameters), "cases": each.count}
            for each in candidate.blocked
        ],
        "differences": [_change(each) for each in candidate.differences],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    diagnostic = finding.diagnostic
    return {
        "condition": finding.condition,
        "severity": finding.severity,
        "unit": finding.unit,
        "id": diagnostic.id,
        "message": diagnostic.message,
        "place": place(diagnostic.span),
        "also": [{"place": place(each.span), "text": each.text} for each in diagnostic.labels],
        "help": diagnostic.help,
    }
