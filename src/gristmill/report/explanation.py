"""Why a formula is false, for a person: one line a formula, indented as the formulas contain each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.style import Style, printable
from gristmill.trace import Blocked, Explanation, Shown

_TRUTH = {True: "TRUE ", False: "FALSE", None: "?    "}
_VALUE = 100  # characters of a value


def render_explanation(explanation: Explanation, style: Style, width: int, indent: int = 2) -> Iterator[str]:
    if explanation.bindings:
        yield " " * indent + style.paint("changed", f"for {_pairs(explanation.bindings)}")
    margin = " " * indent
    room = width - indent - 7
    text = shortened(explanation.text, room)
    remark = _remark(explanation)
    truth = style.paint("bad" if not explanation.truth else "dim", _TRUTH[explanation.truth])
    if remark and len(text) + len(remark) + 3 <= room:
        yield f"{margin}{truth}  {text}   {style.paint('changed', remark)}"
    else:
        yield f"{margin}{truth}  {text}"
        yield from (f"{margin}         {style.paint('changed', line)}" for line in _remark_lines(explanation))
    for part in explanation.parts:
        yield from render_explanation(part, style, width, indent + 2)


def _remark(explanation: Explanation) -> str:
    return f"({', '.join(_remark_lines(explanation))})" if explanation.values or explanation.note else ""


def _remark_lines(explanation: Explanation) -> list[str]:
    lines = [f"{name} = {_value(value)}" for name, value in explanation.values]
    return [*lines, printable(explanation.note)] if explanation.note else lines


def _pairs(shown: Shown) -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in shown)


def _value(text: str) -> str:
    return shortened(text, _VALUE)


def shortened(text: str, room: int) -> str:
    text = printable(text)
    return text if len(text) <= room else text[: max(room - 1, 20)] + "…"


def render_blocked(blocked: Sequence[Blocked], style: Style, width: int) -> Iterator[str]:
    """A table: the action, what is false, and the values that make it so."""
    titles = [_title(each) for each in blocked]
    column = min(max(map(len, titles)), 40)
    room = max(width - column - 4, 40)
    for title, each in zip(titles, blocked, strict=True):
        first, *rest = [part for line in _guard(each.guard) for part in _in(room, line)]
        yield f"  {printable(title):<{column}}  {shortened(first, room)}"
        yield from (f"  {'':<{column}}    {shortened(line, room - 2)}" for line in rest)


def blocked_words(blocked: Blocked) -> tuple[str, list[tuple[str, str]]]:
    """The action, and what is false: each formula, and the remark about it. For those who break lines themselves."""
    return printable(_title(blocked)), [(printable(text), printable(remark)) for text, remark in _guard(blocked.guard)]


def _in(room: int, line: tuple[str, str]) -> Iterator[str]:
    """A formula and the remark about it, on one line if they have room there."""
    text, remark = line
    together = f"{text}   {remark}" if remark else text
    if len(together) <= room - 2:
        yield together
    else:
        yield text
        yield from [remark] if remark else []


def _title(blocked: Blocked) -> str:
    cases = f" ({blocked.count:,} cases)" if blocked.count > 1 else ""
    parameters = f"({_pairs(blocked.parameters)})" if blocked.parameters else ""
    return f"{blocked.action}{parameters}{cases}"


def _guard(guard: Explanation) -> Iterator[tuple[str, str]]:
    """Down to the formulas that decide it, each with the remark about it."""
    yield guard.text, "" if guard.parts else _remark(guard)
    for leaf in _leaves(guard) if guard.parts else ():
        bindings = f"for {_pairs(leaf.bindings)}: " if leaf.bindings else ""
        yield f"{bindings}{leaf.text}", _remark(leaf)


def _leaves(explanation: Explanation) -> Iterator[Explanation]:
    if not explanation.parts:
        yield explanation
    for part in explanation.parts:
        yield from _leaves(part)
