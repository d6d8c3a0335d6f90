"""A step as a more abstract specification sees it: its variables before and after, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.explanation import shortened
from gristmill.report.style import Style
from gristmill.trace import Mapped


def render_mapped(mapped: Sequence[Mapped], style: Style, width: int) -> Iterator[str]:
    """A table; what changes is marked. Values too long for it stand one below the other."""
    names = max(len(each.name) for each in mapped)
    column = max((len(each.before or "") for each in mapped), default=0)
    fits = names + column + max(len(each.after) for each in mapped) + 12 <= width
    for each in mapped:
        mark = "*" if each.before is not None and each.before != each.after else " "
        for line in _lines(each, mark, names, column, fits, width):
            yield style.paint("changed", line) if mark == "*" else line


def _lines(each: Mapped, mark: str, names: int, column: int, fits: bool, width: int) -> Iterator[str]:
    prefix = f"   {mark} {each.name:<{names}} = "
    if each.before is None:
        yield prefix + shortened(each.after, width - len(prefix))
    elif fits:
        yield f"{prefix}{each.before:<{column}}  ->  {each.after}"
    else:
        yield prefix + shortened(each.before, width - len(prefix))
        yield " " * (len(prefix) - 3) + "-> " + shortened(each.after, width - len(prefix))
