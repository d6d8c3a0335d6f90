"""Traces in the Informal Trace Format, the JSON that Apalache and the tools around it exchange (its ADR 15)."""

from __future__ import annotations

from typing import Any

from gristmill.trace.trace import Step, Trace
from gristmill.values import EvaluationError, show
from gristmill.values.json import to_itf


def itf_document(trace: Trace, *, source: str | None = None, result: str = "violation") -> dict[str, Any]:
    """The whole trace. A lasso has `loop`, the index of the state that follows the last one."""
    with trace.world.active():
        states = [_itf_state(number, step) for number, step in enumerate(trace.steps)]
    document: dict[str, Any] = {
        "#meta": {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"},
        "vars": list(trace.variables),
        "states": states,
    }
    if source is not None:
        document["#meta"] |= {"source": source, "status": result}
    loop = len(trace) - 1 if trace.stuttering else trace.loop_start
    if loop is not None:
        document["loop"] = loop
    return document


def _itf_state(number: int, step: Step) -> dict[str, Any]:
    meta: dict[str, Any] = {"index": number}
    if step.action is not None:
        meta["action"] = step.action
    if step.parameters:
        meta["parameters"] = {name: itf_value(value) for name, value in step.parameters}
    return {"#meta": meta} | {name: itf_value(value) for name, value in step.state.items()}


def itf_value(value: Any) -> Any:
    """Never fails: what ITF has no form for, an infinite set or a foreign object, is text under `#unserializable`."""
    try:
        return to_itf(value)
    except (EvaluationError, KeyError):
        return {"#unserializable": show(value)}
