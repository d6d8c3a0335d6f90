"""States and traces as TLC prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.cli.tlc import codes
from gristmill.cli.tlc.messages import Messages
from gristmill.cli.tlc.places import Definitions, place
from gristmill.trace import Step, Trace
from gristmill.values import show
from gristmill.values.pretty import pretty

_INITIAL = "<Initial predicate>"


def state_text(state: Mapping[str, Any], names: frozenset[str] | None = None) -> str:
    """A conjunct a variable, or a bare equation if there is but one. `names`: of those to print, if not of all."""
    bullet = "" if len(state) == 1 else "/\\ "
    return "".join(
        f"{bullet}{name} = {pretty(value)}\n" for name, value in state.items() if names is None or name in names
    )


def action_name(step: Step, definitions: Definitions) -> str:
    """`Send(a,b)`: an action with the arguments of its definition."""
    assert step.action is not None
    values = dict(step.parameters)
    taken = None if step.location is None else definitions.takes(step.location)
    names = [name for name in taken if name in values] if taken is not None else []
    return f"{step.action}({','.join(show(values[name]) for name in names)})" if names else step.action


def action_text(step: Step, definitions: Definitions) -> str:
    """`<Send(a,b) line 7, col 9 to line 7, col 20 of module M>`."""
    if step.action is None:
        return _INITIAL
    if step.location is None:
        return f"<{action_name(step, definitions)}>"
    return f"<{action_name(step, definitions)} {place(definitions.body(step.location))}>"


def print_trace(
    messages: Messages, trace: Trace, definitions: Definitions, differences: bool, closing: Step | None
) -> None:
    """State by state; then what a lasso goes back to, by the step `closing`, or that nothing happens any more."""
    with trace.world.active():
        for text in _state_texts(trace, definitions, differences):
            messages.state(codes.STATE, text)
        _print_end(messages, trace, definitions, closing)


def _state_texts(trace: Trace, definitions: Definitions, differences: bool) -> Iterator[str]:
    last = len(trace) - 1
    for number, step in enumerate(trace):
        shown = trace.changed(number) if differences and 0 < number < last else None
        yield f"{number + 1}: {action_text(step, definitions)}\n{state_text(step.shown, shown)}"


def _print_end(messages: Messages, trace: Trace, definitions: Definitions, closing: Step | None) -> None:
    if trace.stuttering:
        messages.state(codes.STUTTERING, f"{len(trace) + 1}: Stuttering")
    elif trace.loop_start is not None:
        number, action = trace.loop_start + 1, action_text(closing or trace.steps[trace.loop_start], definitions)
        if messages.tool:
            messages.state(codes.BACK_TO_STATE, f"{number}: Back to state: {action}\n")
        else:
            messages.say(codes.BACK_TO_STATE, f"Back to state {number}: {action}\n")
