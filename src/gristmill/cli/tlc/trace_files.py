"""A counterexample in the forms of `-dumpTrace`, and behaviours of a simulation in files of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.cli.tlc.places import Definitions, corners, module_of
from gristmill.cli.tlc.states import action_name, action_text, state_text
from gristmill.source import Span
from gristmill.trace import Step, Trace
from gristmill.values import show
from gristmill.values.json import to_json

NOT_WRITTEN = {
    "tlc": "it is a binary format of TLC's own; json and tla hold the same",
    "tlcTESpec": "it is a binary format of TLC's own; -generateSpecTE writes the specification of a trace",
}


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A trace to be written. `root`: the name of the specification; `closing`: the step that closes a lasso."""

    trace: Trace
    root: str
    definitions: Definitions
    closing: Step | None = None

    def edges(self) -> Iterator[tuple[int, Step, int]]:
        """Each step with the numbers (from 0) of the states before and after it."""
        steps, last = self.trace.steps, len(self.trace) - 1
        for number, step in enumerate(steps[1:], 1):
            yield number - 1, step, number
        if self.trace.loop_start is not None:
            yield last, self.closing or steps[self.trace.loop_start], self.trace.loop_start
        elif self.trace.stuttering and steps[last].action is not None:
            yield last, steps[last], last


def written(form: str, found: Counterexample, name: str) -> str:
    """The text of a file of that name."""
    with found.trace.world.active():
        return _WRITERS[form](found, Path(name).stem)


def _json(found: Counterexample, name: str) -> str:
    states = [_numbered(found.trace, number, to_json) for number in range(len(found.trace))]
    actions = [
        [states[before], _action(step, found.definitions, to_json), states[after]]
        for before, step, after in found.edges()
    ]
    document = {"counterexample": {"action": actions, "state": states}, "vars": list(found.trace.names)}
    return json.dumps(document, ensure_ascii=False)


def _tla(found: Counterexample, name: str) -> str:
    states = [_pair(found.trace, number) for number in range(len(found.trace))]
    actions = ", ".join(
        f"<<{states[before]}, {_record(_action(step, found.definitions, show))}, {states[after]}>>"
        for before, step, after in found.edges()
    )
    return _module(name, f"CounterExample == \n\t[action |-> {{{actions}}}, state |-> {{{', '.join(states)}}}]")


def _plain(found: Counterexample, name: str) -> str:
    states = ", ".join(_state(found.trace, number) for number in range(len(found.trace)))
    return _module(name, f"Trace == \n\t<<{states}>>")


def _actions(found: Counterexample, name: str) -> str:
    steps = [action_name(step, found.definitions) for _, step, _ in found.edges()]
    branches = "\n".join(f"\\/ {number} = _idx /\\ {each}" for number, each in enumerate(steps, 1))
    level = 'LET T == INSTANCE TLC IN T!TLCGet("level")'
    text = f"_length == {len(steps)}\n\n_next(_idx) ==\n{branches}\n\n_actionConstraint ==\n_next({level})"
    return f"---- MODULE {name} ----\nEXTENDS {found.root}\n\n{text}\n\n====\n"


def _dot(found: Counterexample, name: str) -> str:
    lines = [f"{number + 1}[label={json.dumps(state_text(step.shown))}];" for number, step in enumerate(found.trace)]
    lines += [
        f"{before + 1}->{after + 1}[label={json.dumps(action_name(step, found.definitions))}];"
        for before, step, after in found.edges()
    ]
    return "digraph MyGraph {\n" + "\n".join(lines) + "\n}\n"


_WRITERS: dict[str, Callable[[Counterexample, str], str]] = {
    "json": _json,
    "tla": _tla,
    "tlcplain": _plain,
    "tlcaction": _actions,
    "dot": _dot,
}


def simulated(trace: Trace, name: str, definitions: Definitions) -> str:
    """A behaviour of a simulation: a definition a state."""
    with trace.world.active():
        parts = (
            f"\\* {action_text(step, definitions)}\nSTATE_{number} == \n{state_text(step.shown)}\n"
            for number, step in enumerate(trace, 1)
        )
        return f"---------------- MODULE {name} -----------------\n" + "\n".join(parts) + f"{'=' * 49}\n"


# ----------------------------------------------------------------------------------------------------------- parts


def _numbered(trace: Trace, number: int, form: Callable[[Any], Any]) -> list[Any]:
    return [number + 1, {name: form(value) for name, value in trace.steps[number].shown.items()}]


def _action(step: Step, definitions: Definitions, form: Callable[[Any], Any]) -> dict[str, Any]:
    action: dict[str, Any] = {"name": step.action}
    if step.location is not None:
        action["location"] = _location(definitions.body(step.location))
    if step.parameters:
        action["context"] = {name: form(value) for name, value in step.parameters}
        action["parameters"] = [name for name, _ in step.parameters]
    return action


def _location(span: Span) -> dict[str, Any]:
    line, column, last, end = corners(span)
    return {
        "beginLine": line,
        "beginColumn": column,
        "endLine": last,
        "endColumn": end,
        "module": module_of(span.file),
    }


def _record(action: dict[str, Any]) -> str:
    fields = [f'name |-> "{action["name"]}"']
    if "location" in action:
        where = (f"{key} |-> {json.dumps(value)}" for key, value in action["location"].items())
        fields.append(f"location |-> [{', '.join(where)}]")
    if "context" in action:
        fields.append(f"context |-> [{', '.join(f'{name} |-> {text}' for name, text in action['context'].items())}]")
        fields.append(f"parameters |-> <<{', '.join(json.dumps(name) for name in action['parameters'])}>>")
    return f"[{', '.join(fields)}]"


def _state(trace: Trace, number: int) -> str:
    return f"[{', '.join(f'{name} |-> {show(value)}' for name, value in trace.steps[number].shown.items())}]"


def _pair(trace: Trace, number: int) -> str:
    return f"<<{number + 1}, {_state(trace, number)}>>"


def _module(name: str, text: str) -> str:
    return f"---- MODULE {name} ----\nLOCAL INSTANCE TLC\n\n{text}\n\n====\n"
