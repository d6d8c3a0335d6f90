"""How far a model follows a trace, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.report.explanation import render_blocked, shortened
from gristmill.report.style import Style
from gristmill.report.terminal import PLAIN, Options, render_trace
from gristmill.search.follow import Candidate, Departure, Elsewhere, Followed
from gristmill.search.observation import Observation
from gristmill.values import show

_VALUE = 100  # characters of a value


def render_followed(followed: Followed, options: Options = PLAIN) -> str:
    """The verdict, the behaviour as far as it goes, and why it goes no further."""
    style = Style(options.color)
    with followed.trace.world.active():
        lines = [*_headline(followed, style)]
        if len(followed.trace):
            lines += render_trace(followed.trace, options)
        if followed.departure is not None:
            lines += _departure(followed.departure, options, style)
        if followed.cuts:
            lines += ["", style.paint("heading", "What was left out"), *(f"  - {each}" for each in followed.cuts)]
    return "\n".join(lines) + "\n"


def _headline(followed: Followed, style: Style) -> Iterator[str]:
    fit = f"{followed.matched:,} {'item' if followed.matched == 1 else 'items'}"
    match followed.verdict:
        case "matched":
            yield style.paint("good", f"The trace is that of a behaviour: {fit}")
        case "left":
            yield style.paint("bad", f"Error: no behaviour fits the trace beyond {fit}")
        case "unknown":
            yield style.paint("warning", f"Not decided: no behaviour was found beyond {fit}, but not all were tried")
        case "error":
            message = followed.failure.message if followed.failure is not None else ""
            yield style.paint("bad", f"Error: {message}")
            yield f"It was found beyond {fit} of the trace."


def _departure(departure: Departure, options: Options, style: Style) -> Iterator[str]:
    yield ""
    yield style.paint("heading", f"Item {departure.number + 1} of the trace, which nothing fits")
    yield f"  {_observation(departure.observation, options.width)}"
    for number, candidate in enumerate(departure.candidates, 1):
        if departure.count > 1:
            yield ""
            yield style.paint("heading", f"State {number} of {departure.count:,} that fit what came before")
            assert candidate.state is not None
            yield f"  {shortened(_values(candidate.state.state), options.width - 2)}"
        yield from _candidate(candidate, options, style)


def _candidate(candidate: Candidate, options: Options, style: Style) -> Iterator[str]:
    if candidate.blocked:
        yield ""
        yield style.paint("heading", "What is not possible here, and why")
        yield from render_blocked(candidate.blocked, style, options.width)
    if candidate.elsewhere:
        yield ""
        what = "initially" if candidate.state is None else "here"
        yield style.paint("heading", f"What is possible {what} instead")
        yield from (shortened(f"  {_elsewhere(each)}", options.width) for each in candidate.elsewhere)


def _observation(observation: Observation, width: int) -> str:
    action = observation.action or "a step"
    parameters = f"({_values(observation.parameters)})" if observation.parameters else ""
    state = f", then {_values(observation.state)}" if observation.state else ""
    return shortened(f"{action}{parameters}{state}", width - 2)


def _elsewhere(found: Elsewhere) -> str:
    parameters = f"({_values(dict(found.parameters))})" if found.parameters else ""
    differences = ", ".join(f"{name} is {_value(own)}, not {_value(seen)}" for name, seen, own in found.differences)
    return f"{found.action or 'a state'}{parameters}: {differences}"


def _values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    return shortened(show(value), _VALUE)
