"""A behaviour that repeats itself, for a person: why it is fair all the same, and what else could have happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.behaviour import call_text
from gristmill.report.explanation import shortened
from gristmill.report.page.elide import elided_action
from gristmill.report.places import place_text
from gristmill.report.style import Style, printable
from gristmill.search.result import Violation
from gristmill.trace import Fairness, Remedy

_MOST_STATES = 8  # that are listed
_COLUMN = 48  # characters of a condition before what is said of it


def render_fairness(violation: Violation, style: Style, width: int) -> Iterator[str]:
    if violation.fairness:
        yield ""
        yield style.paint("heading", "Why this behaviour is fair")
        yield from _conditions(violation.fairness, width)
    if violation.alternatives:
        yield ""
        demanded = "" if violation.fairness else ": the specification demands no fairness"
        yield style.paint("heading", f"What could have happened instead{demanded}")
        yield from _alternatives(violation, style, width)
    if violation.remedies:
        yield ""
        yield style.paint("heading", "Which fairness would exclude this behaviour")
        yield from _remedies(violation, width)


def _alternatives(violation: Violation, style: Style, width: int) -> Iterator[str]:
    for each in violation.alternatives:
        place = f"  {place_text(each.location)}" if each.location is not None else ""
        head = f"  in state {each.state}  "
        action = elided_action(printable(call_text(each.action, each.parameters)), max(20, width - len(head + place)))
        yield f"{head}{action}{style.paint('dim', place)}"


def _remedies(violation: Violation, width: int) -> Iterator[str]:
    texts = [shortened(_text(each), _COLUMN) for each in violation.remedies]
    column = max(map(len, texts))
    for text, each in zip(texts, violation.remedies, strict=True):
        yield f"  {text:<{column}}  {shortened(when_possible(each), max(width - column - 4, 40))}"
    if _is_of_an_algorithm(violation):
        yield "  In the algorithm that is `fair` before `process` or `algorithm`, or `fair+` for strong fairness (SF)."


def _is_of_an_algorithm(violation: Violation) -> bool:
    """By the text: a behaviour that stops at once has no step whose place in the algorithm is known."""
    files = {each.location.file for each in violation.alternatives if each.location is not None}
    return any(mark in file.text for file in files for mark in ("--algorithm", "--fair"))


def when_possible(remedy: Remedy) -> str:
    always = "always possible" if remedy.text.startswith("WF_") else f"possible in {_states(remedy.possible)}"
    return f"{always}, and never taken"


def _conditions(conditions: Sequence[Fairness], width: int) -> Iterator[str]:
    texts = [shortened(_text(each), _COLUMN) for each in conditions]
    column = max(map(len, texts))
    for text, each in zip(texts, conditions, strict=True):
        yield f"  {text:<{column}}  {shortened(met(each), max(width - column - 4, 40))}"


def _text(condition: Fairness | Remedy) -> str:
    bindings = ", ".join(f"{name} = {value}" for name, value in condition.bindings)
    return condition.text + (f"  ({bindings})" if bindings else "")


def met(condition: Fairness) -> str:
    """How the loop meets it, in words."""
    if condition.taken:
        return f"taken in {_states(condition.taken)}"
    return f"not possible in {_states(condition.disabled)}"


def _states(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"state {numbers[0]}"
    if len(numbers) > _MOST_STATES:
        return f"states {', '.join(map(str, numbers[:_MOST_STATES]))} and {len(numbers) - _MOST_STATES:,} more"
    return f"states {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
