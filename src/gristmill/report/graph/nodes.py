"""What stands in the box of a state: its values, if they fit."""

from __future__ import annotations

from gristmill.report.page.elide import elided
from gristmill.report.style import printable
from gristmill.search.result import Graph
from gristmill.values import show

_WIDEST = 36  # characters of a line
_MOST_LINES = 12


def state_lines(graph: Graph, number: int) -> list[str]:
    """A line a variable; of many variables, the first, and how many there are besides."""
    state = graph.states[number]
    lines = [
        elided(printable(f"{name} = {show(value)}"), _WIDEST)
        for name, value in zip(graph.variables, state, strict=True)
    ]
    if len(lines) <= _MOST_LINES:
        return lines
    return [*lines[: _MOST_LINES - 1], f"… {len(lines) - _MOST_LINES + 1} more"]


def short_lines(graph: Graph, number: int) -> list[str]:
    """The values if there is little of them, else the number alone: for a drawing beside which the values stand."""
    lines = state_lines(graph, number)
    return lines if len(lines) <= 4 and max(map(len, lines), default=0) <= 24 else [str(number + 1)]
