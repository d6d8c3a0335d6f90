"""A message sequence chart, a piece of SVG for each step: lifelines that go on from one to the next, and its marks.

Every mark has a line of its own, so that labels may be wider than the room between two lifelines. The colours are those
of the page, by class. Letters are of one width, so that it is known what fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.report.page.elide import shortened
from gristmill.report.page.markup import text

MarkKind: TypeAlias = Literal["message", "sent", "wrong", "bar", "await", "call", "fault", "error", "note"]

_LETTER = 6.1  # pixels, of a font of 10 pixels
_NAME_LETTER = 7.5  # pixels, of the names of nodes
_LINE, _PADDING, _NAMES = 30, 5, 24
_EMPTY = 24  # pixels of a step without marks
_BAR = 18
_SPACING = {1: 300, 2: 164, 3: 120, 4: 92}  # pixels between so many lifelines
_LEAST_SPACING = 84
_LEAST_WIDTH = 320
_CROSSED = ("cut", "drop")  # faults after which nothing goes over a link


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands on lifelines, or between them: `label` is short, `title` has everything. `other`: the node at the
    other end, where a message comes from. `wrong` is a message that should not have been sent."""

    kind: MarkKind
    node: str | None
    label: str
    title: str
    other: str | None = None


@dataclass(frozen=True, slots=True)
class Lifelines:
    """Where the lifeline of each node is, in pixels."""

    columns: dict[str, float]
    spacing: float
    width: float


def lifelines(nodes: Sequence[str]) -> Lifelines:
    spacing = _SPACING.get(len(nodes), _LEAST_SPACING)
    columns = {node: spacing * (place + 0.5) for place, node in enumerate(nodes)}
    return Lifelines(columns, spacing, max(_LEAST_WIDTH, spacing * len(nodes)))


def names_svg(lines: Lifelines) -> str:
    """What stands above the chart."""
    letters = int((lines.spacing - 6) / _NAME_LETTER)
    own = "".join(
        f'<text class="name" x="{x:g}" y="16"><title>{text(node)}</title>{text(shortened(node, letters))}</text>'
        for node, x in lines.columns.items()
    )
    return _svg(lines, _NAMES, own)


def row_svg(lines: Lifelines, marks: Sequence[Mark]) -> str:
    """A step."""
    height = len(marks) * _LINE + 2 * _PADDING if marks else _EMPTY
    parts = [f'<line class="life" x1="{x:g}" y1="0" x2="{x:g}" y2="{height}"/>' for x in lines.columns.values()]
    for place, mark in enumerate(marks):
        middle = _PADDING + place * _LINE + _LINE / 2
        drawn = "".join(_drawn(lines, mark, middle))
        parts.append(f'<g class="{mark.kind}"><title>{text(mark.title)}</title>{drawn}</g>')
    return _svg(lines, height, "".join(parts))


def _svg(lines: Lifelines, height: float, inside: str) -> str:
    """On a narrow screen it may become smaller, but not unreadable: `--least`."""
    width = lines.width
    return (
        f'<svg width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" style="--least:{0.8 * width:g}px" aria-hidden="true">{inside}</svg>'
    )


def _drawn(lines: Lifelines, mark: Mark, y: float) -> Iterator[str]:
    at = None if mark.node is None else lines.columns.get(mark.node)
    start = None if mark.other is None else lines.columns.get(mark.other)
    if at is None:
        yield _label(lines, lines.width / 2, y, mark.label)
    elif start is None:
        yield from _bar(lines, mark, at, y)
    elif mark.kind == "fault":
        yield from _link(lines, mark, start, at, y)
    elif start == at:
        yield from _to_itself(lines, mark, at, y)
    else:
        yield from _arrow(lines, mark, start, at, y)


def _fitting(lines: Lifelines, label: str, x: float, around: float = 4) -> tuple[str, float, float]:
    """A label that is to stand in the middle of `x`, with its width, and where its middle is so that it does not stick
    out."""
    label = shortened(" ".join(label.split()), int((lines.width - around) / _LETTER))
    width = len(label) * _LETTER + around
    return label, width, min(max(x, width / 2), lines.width - width / 2)


def _label(lines: Lifelines, x: float, y: float, label: str) -> str:
    """With the page's colour around it, where lines pass."""
    label, _, middle = _fitting(lines, label, x)
    return f'<text class="label" x="{middle:.1f}" y="{y + 3.5:g}">{text(label)}</text>'


def _bar(lines: Lifelines, mark: Mark, x: float, y: float) -> Iterator[str]:
    """With a knob on the lifeline that it belongs to, as it may reach over others."""
    label, width, middle = _fitting(lines, mark.label, x, 14)
    yield (
        f'<rect x="{middle - width / 2 + 1:.1f}" y="{y - _BAR / 2:g}" width="{width - 2:.1f}" height="{_BAR}" '
        f'rx="{_BAR / 2 if mark.kind == "call" else 3:g}"/>'
    )
    yield f'<circle class="knob" cx="{x:g}" cy="{y - _BAR / 2:g}" r="2.5"/>'
    yield f'<text class="inside" x="{middle:.1f}" y="{y + 3.5:g}">{text(label)}</text>'


def _arrow(lines: Lifelines, mark: Mark, start: float, end: float, y: float) -> Iterator[str]:
    """The label above, in the last gap before the lifeline where the message arrives."""
    direction, line = (1 if end > start else -1), y + 8
    yield f'<circle cx="{start:g}" cy="{line:g}" r="2.5"/>'
    yield f'<line x1="{start:g}" y1="{line:g}" x2="{end - direction * 6:g}" y2="{line:g}"/>'
    yield _head(end, line, direction)
    yield _label(lines, end - direction * lines.spacing / 2, y - 3, mark.label)


def _head(x: float, y: float, direction: int) -> str:
    back = x - direction * 8
    return f'<path d="M{x:g},{y:g} L{back:g},{y - 4:g} L{back:g},{y + 4:g} z"/>'


def _to_itself(lines: Lifelines, mark: Mark, x: float, y: float) -> Iterator[str]:
    """The label beside it, where there is more room."""
    yield f'<path class="loop" d="M{x:g},{y - 5:g} h10 a5,5 0 0 1 0,12 h-4"/>'
    yield _head(x, y + 7, -1)
    right = x < lines.width / 2
    letters = int((lines.width - x - 24 if right else x - 12) / _LETTER)
    label, side = shortened(mark.label, letters), "start" if right else "end"
    yield f'<text class="label {side}" x="{x + 20 if right else x - 8:g}" y="{y + 5:g}">{text(label)}</text>'


def _link(lines: Lifelines, mark: Mark, start: float, end: float, y: float) -> Iterator[str]:
    """A link that something is done to."""
    line, near = y + 8, end + (lines.spacing / 2 if start > end else -lines.spacing / 2)
    yield f'<line class="link" x1="{start:g}" y1="{line:g}" x2="{end:g}" y2="{line:g}"/>'
    if mark.label.partition(" ")[0] in _CROSSED:
        yield f'<path class="cross" d="M{near - 4:g},{line - 4:g} l8,8 m0,-8 l-8,8"/>'
    yield _label(lines, near, y - 4, mark.label)
