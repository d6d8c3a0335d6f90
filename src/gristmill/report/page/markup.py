"""Pieces of HTML. Whatever comes from a specification or a system goes through `text`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from gristmill.report.style import printable

_ARROW = re.compile(r"\|-&gt;|-&gt;")
_UNBROKEN = r'<span class="arrow">\g<0></span>'


def text(plain: str) -> str:
    """Escaped, also for attributes in double quotes, and without control characters."""
    return escape(printable(plain))


def code(plain: str) -> str:
    """A line may end anywhere but inside of an arrow, where a browser would like to end it."""
    return f"<code>{_ARROW.sub(_UNBROKEN, text(plain))}</code>"


def listed(items: Iterable[str]) -> str:
    """Of pieces of HTML."""
    return "<ul>" + "".join(f"<li>{each}</li>" for each in items) + "</ul>"


def chips(names: Iterable[str]) -> str:
    return '<p class="chips">' + " ".join(f'<span class="chip">{text(each)}</span>' for each in names) + "</p>"


def described(pairs: Iterable[tuple[str, str]], style: str = "") -> str:
    """Names with explanations, both pieces of HTML."""
    rows = "".join(f"<div><dt>{name}</dt><dd>{what}</dd></div>" for name, what in pairs)
    return f'<dl class="{style}">{rows}</dl>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """With a line of titles, which are plain text; cells are pieces of HTML. A wide one scrolls by itself."""
    head = "".join(f"<th>{text(each)}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll"><table class="titled"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )
