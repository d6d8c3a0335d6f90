"""A behaviour that repeats itself, for a person: why it is fair all the same, and what else could have happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.explanation import shortened
from gristmill.report.places import place_text
from gristmill.report.style import Style, printable
from gristmill.search.result import Violation
from gristmill.trace import Fairness

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
        for each in violation.alternatives:
            place = f"  {place_text(each.location)}" if each.location is not None else ""
            yield f"  in state {each.state}  {printable(each.action)}{style.paint('dim', place)}"


def _conditions(conditions: Sequence[Fairness], width: int) -> Iterator[str]:
    texts = [shortened(_text(each), _COLUMN) for each in conditions]
    column = max(map(len, texts))
    for text, each in zip(texts, conditions, strict=True):
        yield f"  {text:<{column}}  {shortened(met(each), max(width - column - 4, 40))}"


def _text(condition: Fairness) -> str:
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
    return f"states {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
