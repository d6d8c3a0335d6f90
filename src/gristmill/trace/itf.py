"""Traces in the Informal Trace Format, the JSON that Apalache and the tools around it exchange (its ADR 15).

What we write, we read back as it was: values, actions with their parameters, lassos, and what an ALIAS shows. All that
ITF has no place for stands under `#meta`, where other tools do not look:

- of the trace: `model-values`, names that are no strings, and `stuttering`;
- of a state: `action`, `parameters`, `alias`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from gristmill.source import Diagnostic, SourceError
from gristmill.trace.trace import Step, Trace
from gristmill.values import EvaluationError, ModelValue, current_or_new, show
from gristmill.values.json import from_itf, to_itf
from gristmill.values.operations.sets import normalize

_FORMAT = {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"}
_MODEL_VALUES = "model-values"


# --- writing ---------------------------------------------------------------------------------------------------------


def itf_document(trace: Trace, *, source: str | None = None, result: str = "violation") -> dict[str, Any]:
    """The whole trace. A lasso has `loop`, the index of the state that follows the last one."""
    with trace.world.active():
        return _document(trace, source, result)


def _document(trace: Trace, source: str | None, result: str) -> dict[str, Any]:
    model_values, strings = _names_in(trace)
    marked = model_values & strings  # as strings, they would be taken for the others
    meta: dict[str, Any] = dict(_FORMAT)
    if source is not None:
        meta |= {"source": source, "status": result}
    if model_values - marked:
        meta[_MODEL_VALUES] = sorted(model_values - marked)
    if trace.stuttering:
        meta["stuttering"] = True
    document: dict[str, Any] = {
        "#meta": meta,
        "vars": list(trace.variables),
        "states": [_itf_state(number, step, marked) for number, step in enumerate(trace.steps)],
    }
    loop = len(trace) - 1 if trace.stuttering else trace.loop_start
    if loop is not None:
        document["loop"] = loop
    return document


def _itf_state(number: int, step: Step, marked: Collection[str]) -> dict[str, Any]:
    meta: dict[str, Any] = {"index": number}
    if step.action is not None:
        meta["action"] = step.action
    if step.parameters:
        meta["parameters"] = _itf_values(dict(step.parameters), marked)
    if step.alias is not None:
        meta["alias"] = _itf_values(step.alias, marked)
    return {"#meta": meta} | _itf_values(step.state, marked)


def _itf_values(values: Mapping[str, Any], marked: Collection[str]) -> dict[str, Any]:
    return {name: itf_value(value, marked) for name, value in values.items()}


def itf_value(value: Any, marked: Collection[str] = ()) -> Any:
    """Never fails: what ITF has no form for, an infinite set or a foreign object, is text under `#unserializable`."""
    try:
        return to_itf(value, marked)
    except (EvaluationError, KeyError):
        return {"#unserializable": show(value)}


def _names_in(trace: Trace) -> tuple[set[str], set[str]]:
    """The model values and the strings of a trace."""
    model_values: set[str] = set()
    strings: set[str] = set()
    for value in _values_in(trace):
        if isinstance(value, ModelValue):
            model_values.add(value.name)
        elif isinstance(value, str):
            strings.add(value)
    return model_values, strings


def _values_in(trace: Trace) -> Iterator[Any]:
    """All values, and the parts of those that are listed."""
    waiting: list[Any] = []
    for step in trace.steps:
        waiting += [*step.state.values(), *(value for _, value in step.parameters), *(step.alias or {}).values()]
    while waiting:
        value = waiting.pop()
        with suppress(EvaluationError):  # of a set that cannot be listed
            value = normalize(value)
        yield value
        if isinstance(value, frozenset | tuple):
            waiting += value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]


# --- reading ---------------------------------------------------------------------------------------------------------


def load_itf(path: str | Path, model_values: Collection[str] = ()) -> Trace:
    """The trace in a file, in the world that is active or one of its own. Raises `SourceError`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise _unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise _unreadable(f"{path} is not UTF-8") from None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"{path} is not JSON: {error}") from None
    return read_itf(document, model_values)


def read_itf(document: Any, model_values: Collection[str] = ()) -> Trace:
    """A trace of a parsed document, of any tool, in the world that is active or one of its own. Raises `SourceError`.

    `model_values`: names to be read as model values, besides those that the document itself says are.
    """
    with current_or_new().active():
        return _read(document, model_values)


def _read(document: Any, model_values: Collection[str]) -> Trace:
    if not isinstance(document, dict) or not isinstance(document.get("states"), list):
        raise _unreadable("this is no trace in ITF: it has no `states`")
    meta = _meta_of(document)
    names = {*model_values, *_strings(meta.get(_MODEL_VALUES, []), _MODEL_VALUES)}
    steps = tuple(_read_state(number, state, names) for number, state in enumerate(document["states"]))
    said = document.get("vars")
    variables = tuple(dict.fromkeys(name for step in steps for name in step.state)) if said is None else said
    stuttering = meta.get("stuttering") is True
    return Trace(tuple(_strings(variables, "vars")), steps, _loop(document, len(steps), stuttering), stuttering)


def _loop(document: dict[str, Any], count: int, stuttering: bool) -> int | None:
    loop = document.get("loop")
    if loop is None:
        return None
    if type(loop) is not int or not 0 <= loop < count:
        raise _unreadable(f"`loop` is {loop!r}, and no index of one of the {count} states")
    return None if stuttering else loop


def _read_state(number: int, state: Any, names: Collection[str]) -> Step:
    if not isinstance(state, dict):
        raise _unreadable(f"state {number} is no object")
    meta = _meta_of(state)
    where = f"state {number}"
    action = meta.get("action")
    alias = meta.get("alias")
    return Step(
        _read_values({name: value for name, value in state.items() if name != "#meta"}, names, where),
        action if isinstance(action, str) else None,
        tuple(_read_values(meta.get("parameters", {}), names, f"{where}, parameters").items()),
        alias=None if alias is None else _read_values(alias, names, f"{where}, alias"),
    )


def _read_values(values: Any, names: Collection[str], where: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise _unreadable(f"{where}: names with values were expected")
    found = {}
    for name, value in values.items():
        try:
            found[name] = from_itf(value, names)
        except EvaluationError as error:
            raise _unreadable(f"{where}, {name}: {error.message}") from None
        except RecursionError:
            raise _unreadable(f"{where}, {name}: the value is nested too deeply") from None
    return found


def _meta_of(thing: dict[str, Any]) -> dict[str, Any]:
    meta = thing.get("#meta", {})
    return meta if isinstance(meta, dict) else {}


def _strings(things: Any, what: str) -> list[str]:
    if not isinstance(things, list | tuple) or not all(isinstance(each, str) for each in things):
        raise _unreadable(f"`{what}` is no list of names")
    return list(things)


def _unreadable(message: str) -> SourceError:
    help = "ITF is what `gristmill check --itf` and Apalache write"
    return SourceError(Diagnostic("unreadable-trace", message, help=help))
