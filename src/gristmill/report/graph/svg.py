"""A state graph as SVG: as a file of its own, or as a part of a page, whose colours it then has."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gristmill.report.graph.layout import LABEL_LETTER, LETTER, LINE, LONGEST_LABEL, LOOP, Box, Drawing, Pair
from gristmill.report.page.elide import elided_action
from gristmill.report.page.markup import text

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]

_LABEL_LINE = 11  # pixels
_TRIED = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85)  # places of a label on its curve
_MOST_LABELS = 3  # on one edge
_STYLE = """
svg { background: #fff } text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328 }
.state rect { fill: #f6f8fa; stroke: #59636e } .initial rect { fill: #dce9fb }
.edge path { fill: none; stroke: #59636e } .edge polygon { fill: #59636e } .edge text { font-size: 10px;
  text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round }
.edge .aside { text-anchor: start }
"""


def render_svg(drawing: Drawing) -> str:
    """A file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width:.0f}" height="{drawing.height:.0f}" '
        f'viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}"><style>{_STYLE}</style>{inside_svg(drawing)}</svg>\n'
    )


def inside_svg(drawing: Drawing) -> str:
    """Edges below boxes. Elements have the numbers of states, for scripts: `data-state`, `data-from`, `data-to`."""
    boxes = {box.number: box for box in drawing.boxes}
    taken = Occupied()
    for box in drawing.boxes:
        taken.add(box.x + box.beside / 2, box.y, box.width + box.beside, box.height + 8)
    edges = [
        _edge(boxes, pair, texts, (pair[1], pair[0]) in drawing.edges, taken) for pair, texts in drawing.edges.items()
    ]
    return "".join([*edges, *map(_box, drawing.boxes)])


class Occupied:
    """Where something is drawn that should not be drawn over, in cells of a few pixels."""

    _WIDTH, _HEIGHT = 12, 10

    def __init__(self) -> None:
        self._cells: set[tuple[int, int]] = set()

    def _of(self, x: float, y: float, width: float, height: float) -> set[tuple[int, int]]:
        columns = range(int((x - width / 2) // self._WIDTH), int((x + width / 2) // self._WIDTH) + 1)
        rows = range(int((y - height / 2) // self._HEIGHT), int((y + height / 2) // self._HEIGHT) + 1)
        return {(column, row) for column in columns for row in rows}

    def add(self, x: float, y: float, width: float, height: float) -> None:
        self._cells |= self._of(x, y, width, height)

    def is_free(self, x: float, y: float, width: float, height: float) -> bool:
        return self._cells.isdisjoint(self._of(x, y, width, height))


def _box(box: Box) -> str:
    """The title is the number, as it is in traces: from 1."""
    left, style = box.x - box.width / 2, "state initial" if box.initial else "state"
    first = box.y - (len(box.lines) - 1) * LINE / 2 + 4
    alone = len(box.lines) == 1
    x = box.x - len(box.lines[0]) * LETTER / 2 if alone else left + 8
    lines = "".join(
        f'<text x="{x:.1f}" y="{first + at * LINE:.1f}">{text(each)}</text>' for at, each in enumerate(box.lines)
    )
    return (
        f'<g class="{style}" data-state="{box.number}" tabindex="-1"><title>state {box.number + 1}</title>'
        f'<rect x="{left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="5"/>{lines}</g>'
    )


def _edge(boxes: dict[int, Box], pair: Pair, texts: Sequence[str], both_ways: bool, taken: Occupied) -> str:
    source, target = boxes[pair[0]], boxes[pair[1]]
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = curve = (
        _loop(source) if source is target else _curve(source, target, both_ways)
    )
    shown = [elided_action(each, LONGEST_LABEL) for each in texts[:_MOST_LABELS]]
    if len(texts) > _MOST_LABELS:
        shown.append(f"… {len(texts) - _MOST_LABELS} more")
    labels = _loop_labels(source, shown) if source is target else _labels(curve, shown, taken)
    return (
        f'<g class="edge" data-from="{pair[0]}" data-to="{pair[1]}"><title>{text(chr(10).join(texts))}</title>'
        f'<path d="M{x0:.1f},{y0:.1f} C{x1:.1f},{y1:.1f} {x2:.1f},{y2:.1f} {x3:.1f},{y3:.1f}"/>'
        f"{_head((x2, y2), (x3, y3))}{labels}</g>"
    )


def _labels(curve: Curve, shown: Sequence[str], taken: Occupied) -> str:
    """On the curve, where there is room; else in its middle."""
    width, height = max(map(len, shown)) * LABEL_LETTER, len(shown) * _LABEL_LINE
    places = [_at(curve, t) for t in _TRIED]
    x, y = next((place for place in places if taken.is_free(*place, width, height)), places[0])
    taken.add(x, y, width, height)
    top = y - height / 2 + 8
    return "".join(
        f'<text x="{x:.1f}" y="{top + at * _LABEL_LINE:.1f}">{text(each)}</text>' for at, each in enumerate(shown)
    )


def _loop_labels(box: Box, shown: Sequence[str]) -> str:
    x, top = box.x + box.width / 2 + LOOP, box.y - len(shown) * _LABEL_LINE / 2 + 8
    return "".join(
        f'<text class="aside" x="{x:.1f}" y="{top + at * _LABEL_LINE:.1f}">{text(each)}</text>'
        for at, each in enumerate(shown)
    )


def _curve(source: Box, target: Box, both_ways: bool) -> Curve:
    """Down from the lower edge to the upper one; to the same layer and back up, around the sides."""
    aside = 10.0 if both_ways else 0.0
    if target.layer > source.layer:
        bend = (target.top - source.bottom) / 2.2
        return (
            (source.x - aside, source.bottom),
            (source.x - aside, source.bottom + bend),
            (target.x - aside, target.top - bend),
            (target.x - aside, target.top),
        )
    if target.layer == source.layer:
        side = 1 if target.x > source.x else -1
        start, end = source.x + side * source.width / 2, target.x - side * target.width / 2
        dip = 14.0 * side
        return (
            (start, source.y + dip / 2),
            (start + 12 * side, source.y + dip),
            (end - 12 * side, target.y + dip),
            (end, target.y + dip / 2),
        )
    bend = (source.top - target.bottom) / 2.2
    return (
        (source.x + max(aside, 10), source.top),
        (source.x + max(aside, 10) + 14, source.top - bend),
        (target.x + max(aside, 10) + 14, target.bottom + bend),
        (target.x + max(aside, 10), target.bottom),
    )


def _loop(box: Box) -> Curve:
    x = box.x + box.width / 2
    return (x, box.y - 6), (x + LOOP, box.y - 20), (x + LOOP, box.y + 20), (x, box.y + 6)


def _at(curve: Curve, t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return (
        sum(weight * x for weight, (x, _) in zip(weights, curve, strict=True)),
        sum(weight * y for weight, (_, y) in zip(weights, curve, strict=True)),
    )


def _head(before: Point, tip: Point) -> str:
    """An arrow's head: in its own elements, as markers have one colour for all."""
    dx, dy = tip[0] - before[0], tip[1] - before[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    back = (tip[0] - 8 * dx, tip[1] - 8 * dy)
    corners = (tip, (back[0] - 3.5 * dy, back[1] + 3.5 * dx), (back[0] + 3.5 * dy, back[1] - 3.5 * dx))
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}"/>'
