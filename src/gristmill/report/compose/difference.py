"""The difference between two mixes, for people and for tools."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gristmill.compose.difference import Change, Difference
from gristmill.report.compose.variables_text import names_text, table, wrapped
from gristmill.report.style import Style
from gristmill.source.render import dumped


def render_difference(found: Difference, *, color: bool = False, width: int = 100) -> str:
    style = Style(color)
    row = (
        f"{found.after} - {found.before}",
        f"+{found.lines_added}, -{found.lines_removed}",
        _figures(found.variables),
        _figures(found.actions),
        _figures(found.invariants),
    )
    lines = list(table(("difference", "lines", "variables", "actions", "invariants"), [row], style, width))
    for name, change in (("variables", found.variables), ("actions", found.actions), ("invariants", found.invariants)):
        for what, names in (("new", change.added), ("gone", change.removed)):
            if names:
                lines += wrapped(f"  {what} {name}: {names_text(names)}", width, 4)
    return "\n".join(lines) + "\n"


def _figures(change: Change) -> str:
    return f"{change.count} ({change.net:+d})"


def difference_document(found: Difference) -> str:
    document: dict[str, Any] = {"format": 1, **asdict(found)}
    return dumped(document)
