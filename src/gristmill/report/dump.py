"""The whole state graph, for other programs: DOT (Graphviz), JSON, and as a drawing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TextIO

from gristmill.report.graph.edges import edges_of, labels_of
from gristmill.report.graph.layout import laid_out
from gristmill.report.graph.nodes import state_lines
from gristmill.report.graph.svg import render_svg
from gristmill.search.model import Action, State
from gristmill.search.result import Graph
from gristmill.trace.itf import itf_value
from gristmill.values import show


def write_dot(graph: Graph, stream: TextIO) -> None:
    """A node a state, filled if it is initial; an edge for all steps between two states, each on a line of its own."""
    with graph.world.active():
        stream.write("strict digraph states {\n  node [shape=box, fontname=monospace];\n")
        for number, state in enumerate(graph.states):
            filled = ", style=filled" if number < graph.initial else ""
            stream.write(f"  {number} [label={_quoted(_label(graph, state))}{filled}];\n")
        for (source, target), texts in labels_of(graph).items():
            stream.write(f"  {source} -> {target} [label={_quoted(_lines(texts))}];\n")
        stream.write("}\n")


def write_svg(graph: Graph, stream: TextIO) -> None:
    """Initial states at the top, each state below the one from which it was first reached."""
    with graph.world.active():
        boxes = [state_lines(graph, number) for number in range(len(graph.states))]
        stream.write(render_svg(laid_out(boxes, graph.initial, labels_of(graph))))


def write_json(graph: Graph, stream: TextIO) -> None:
    """`variables`, `actions`, `states` (in the ITF form of values), `initial`, `edges`: [source, action, target], and
    `parameters`: of each edge, what its action is taken with, by name.

    Written piece by piece: the text of a large graph need not fit into memory a second time.
    """
    with graph.world.active():
        _write_json(graph, stream)


def _write_json(graph: Graph, stream: TextIO) -> None:
    edges = list(edges_of(graph))
    stream.write('{\n"variables": ' + json.dumps(list(graph.variables)))
    stream.write(',\n"actions": ' + json.dumps([_action_label(each) for each in graph.actions], ensure_ascii=False))
    stream.write(',\n"initial": ' + json.dumps(list(range(graph.initial))))
    stream.write(',\n"states": [')
    _write_items(stream, (json.dumps(_state(graph, state), ensure_ascii=False) for state in graph.states))
    stream.write('],\n"edges": [')
    _write_items(stream, (json.dumps([each.source, each.action, each.target]) for each in edges))
    stream.write('],\n"parameters": [')
    given = ({name: itf_value(value) for name, value in each.parameters} for each in edges)
    _write_items(stream, (json.dumps(each, ensure_ascii=False) for each in given))
    stream.write("]\n}\n")


def _write_items(stream: TextIO, items: Iterable[str]) -> None:
    for number, item in enumerate(items):
        stream.write((",\n" if number else "\n") + item)


def _state(graph: Graph, state: State) -> dict[str, object]:
    return {name: itf_value(value) for name, value in zip(graph.variables, state, strict=True)}


def _label(graph: Graph, state: State) -> str:
    return "".join(f"{name} = {show(value)}\n" for name, value in zip(graph.variables, state, strict=True))


def _lines(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "".join(f"{each}\n" for each in texts)


def _action_label(action: Action) -> str:
    parameters = ", ".join(show(value) for _, value in action.parameters)
    return f"{action.name}({parameters})" if parameters else action.name


def _quoted(text: str) -> str:
    """`\\l` ends a line and aligns it left."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l") + '"'
