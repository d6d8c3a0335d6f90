"""The module SVG."""

from __future__ import annotations

from math import ceil, cos, pi, sin, sqrt

from gristmill.library.arguments import integer, listed, pairs, string, wrong
from gristmill.library.declaration import CALLBACK, DOUBTFUL, Operator
from gristmill.library.effects import NONE, Effect
from gristmill.values import Fn, Value, current, make_function, make_record, ordered


@Operator("SVG", "SVGElemToString", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK)
def svg_text(element: Value) -> Value:
    text = _svg(element)
    current().register(text)
    return text


def _svg(element: Value) -> str:
    if type(element) is not Fn or not {"name", "attrs", "children", "innerText"} <= element.keys():
        wrong("SVGElemToString", "a record with the fields name, attrs, children and innerText", element)
    name = string(element["name"], "SVGElemToString")
    attributes = "".join(
        f" {string(key, 'SVGElemToString').replace('_', '-')}='{string(value, 'SVGElemToString')}'"
        for key, value in pairs(element["attrs"], "SVGElemToString")
    )
    text = string(element["innerText"], "SVGElemToString").replace("<<", "&lt;&lt;").replace(">>", "&gt;&gt;")
    children = "".join(_svg(child) for _, child in pairs(element["children"], "SVGElemToString"))
    return f"<{name}{attributes}>{text}{children}</{name}>"


def _point(x: float, y: float) -> Value:
    return make_record({"x": int(x), "y": int(y)})


@Operator("SVG", "NodeOfRingNetwork", effects=NONE, equivariance=DOUBTFUL, c=CALLBACK)
def ring_node(cx: Value, cy: Value, radius: Value, index: Value, count: Value) -> Value:
    x, y, r, n, m = (integer(value, "NodeOfRingNetwork") for value in (cx, cy, radius, index, count))
    if m == 0:
        wrong("NodeOfRingNetwork", "a number of nodes other than 0", count)
    angle = 2 * pi / m * n
    return _point(x + r * cos(angle), y + r * sin(angle))


@Operator("SVG", "PointOnLine", effects=NONE, equivariance=DOUBTFUL, c=CALLBACK)
def point_on_line(start: Value, end: Value, segment: Value) -> Value:
    parts = integer(segment, "PointOnLine")
    if parts == 0:
        wrong("PointOnLine", "a number of segments other than 0", segment)
    (x, y), (to_x, to_y) = _coordinates(start), _coordinates(end)
    return _point(x + (to_x - x) / parts, y + (to_y - y) / parts)


def _coordinates(point: Value) -> tuple[int, int]:
    if type(point) is not Fn or not {"x", "y"} <= point.keys():
        wrong("PointOnLine", "a record with the fields x and y", point)
    return integer(point["x"], "PointOnLine"), integer(point["y"], "PointOnLine")


@Operator("SVG", "NodesOfDirectedMultiGraph", effects=NONE, equivariance=DOUBTFUL, c=CALLBACK)
def graph_layout(nodes: Value, edges: Value, options: Value) -> Value:
    """A grid in canonical order; TLC's layouts are those of a graph-drawing library."""
    found = ordered(listed(nodes, "NodesOfDirectedMultiGraph"))
    view = dict(pairs(options, "NodesOfDirectedMultiGraph"))
    columns = max(1, ceil(sqrt(len(found))))
    width, height = (
        integer(view.get(name, 100), "NodesOfDirectedMultiGraph") for name in ("view_width", "view_height")
    )
    places = ((index % columns, index // columns) for index in range(len(found)))
    return make_function(
        (node, _point(width * (column + 0.5) / columns, height * (row + 0.5) / columns))
        for node, (column, row) in zip(found, places, strict=True)
    )
