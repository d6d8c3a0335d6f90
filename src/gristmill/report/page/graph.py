"""The state graph of a small model on a page: to pan, zoom and click, with the trace marked in it."""

from __future__ import annotations

from typing import Any

from gristmill.report.graph.edges import labels_of
from gristmill.report.graph.layout import laid_out
from gristmill.report.graph.nodes import short_lines
from gristmill.report.graph.svg import inside_svg
from gristmill.report.page.whole import Static
from gristmill.search.result import Graph
from gristmill.trace import Trace
from gristmill.values import show

MOST_STATES = 200
MOST_EDGES = 1_500  # pairs of states

STYLES: tuple[Static, ...] = ((__package__, "graph.css"),)
SCRIPTS: tuple[Static, ...] = ((__package__, "graph.js"),)

_CONTROLS = (
    '<div class="graph-controls"><button type="button" data-zoom="1.25" title="Larger (+)">+</button>'
    '<button type="button" data-zoom="0.8" title="Smaller (-)">−</button>'
    '<button type="button" data-zoom="0" title="All of it (0)">fit</button>'
    '<label><input type="checkbox" id="edge-labels"> names on all edges</label></div>'
)


def is_small(graph: Graph | None) -> bool:
    return graph is not None and 0 < len(graph.states) <= MOST_STATES and len(graph.sources) <= 20 * MOST_EDGES


def graph_section(graph: Graph) -> str:
    """Nothing, if there are too many edges to see anything."""
    with graph.world.active():
        labels = labels_of(graph)
        if len(labels) > MOST_EDGES:
            return ""
        boxes = [short_lines(graph, number) for number in range(len(graph.states))]
        drawing = laid_out(boxes, graph.initial, labels)
    return (
        f'<section id="graph"><h2>State graph <span class="soft">{len(graph.states):,} states, {len(labels):,} edges'
        f"</span></h2>{_CONTROLS}"
        f'<div class="graph"><svg tabindex="0" role="img" aria-label="State graph" data-width="{drawing.width:.0f}" '
        f'data-height="{drawing.height:.0f}">{inside_svg(drawing)}</svg><div id="state"></div></div>'
        '<p class="soft legend">Drag to move, wheel with Ctrl or the buttons to zoom, click a state or an edge. '
        "Initial states are blue; the trace is drawn in bold.</p></section>"
    )


def graph_document(graph: Graph, traces: list[Trace]) -> dict[str, Any]:
    """For the script: the values of each state, and of each trace the states it goes through, None where it leaves."""
    with graph.world.active():
        numbers = {tuple(state): number for number, state in enumerate(graph.states)}
        paths = [[numbers.get(tuple(step.state.values())) for step in trace.steps] for trace in traces]
        return {
            "variables": list(graph.variables),
            "states": [[show(value) for value in state] for state in graph.states],
            "paths": paths,
            "loops": [None if trace.stuttering else trace.loop_start for trace in traces],
        }
