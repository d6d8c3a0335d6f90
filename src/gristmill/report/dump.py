"""The whole state graph, for other programs: DOT (Graphviz) and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from gristmill.search.model import Action, State
from gristmill.search.result import Graph
from gristmill.trace.itf import itf_value
from gristmill.values import show


def write_dot(graph: Graph, stream: TextIO) -> None:
    """A node a state, filled if it is initial; an edge a step, once however often it was generated."""
    with graph.world.active():
        _write_dot(graph, stream)


def _write_dot(graph: Graph, stream: TextIO) -> None:
    stream.write("strict digraph states {\n  node [shape=box, fontname=monospace];\n")
    for number, state in enumerate(graph.states):
        filled = ", style=filled" if number < graph.initial else ""
        stream.write(f"  {number} [label={_quoted(_label(graph, state))}{filled}];\n")
    for source, action, target in _steps(graph):
        stream.write(f"  {source} -> {target} [label={_quoted(_action_label(graph.actions[action]))}];\n")
    stream.write("}\n")


def write_json(graph: Graph, stream: TextIO) -> None:
    """`variables`, `actions`, `states` (in the ITF form of values), `initial` and `edges`: [source, action, target].

    Written piece by piece: the text of a large graph need not fit into memory a second time.
    """
    with graph.world.active():
        _write_json(graph, stream)


def _write_json(graph: Graph, stream: TextIO) -> None:
    stream.write('{\n"variables": ' + json.dumps(list(graph.variables)))
    stream.write(',\n"actions": ' + json.dumps([_action_label(each) for each in graph.actions], ensure_ascii=False))
    stream.write(',\n"initial": ' + json.dumps(list(range(graph.initial))))
    stream.write(',\n"states": [')
    _write_items(stream, (json.dumps(_state(graph, state), ensure_ascii=False) for state in graph.states))
    stream.write('],\n"edges": [')
    _write_items(stream, (json.dumps(edge) for edge in _steps(graph)))
    stream.write("]\n}\n")


def _write_items(stream: TextIO, items: Iterator[str]) -> None:
    for number, item in enumerate(items):
        stream.write((",\n" if number else "\n") + item)


def _steps(graph: Graph) -> Iterator[tuple[int, int, int]]:
    """Steps from one state stand together, so few need to be remembered to leave out repetitions."""
    seen: set[tuple[int, int, int]] = set()
    last = -1
    for step in zip(graph.sources, graph.edge_actions, graph.targets, strict=True):
        if step[0] != last:
            last = step[0]
            seen.clear()
        if step not in seen:
            seen.add(step)
            yield step


def _state(graph: Graph, state: State) -> dict[str, object]:
    return {name: itf_value(value) for name, value in zip(graph.variables, state, strict=True)}


def _label(graph: Graph, state: State) -> str:
    return "".join(f"{name} = {show(value)}\n" for name, value in zip(graph.variables, state, strict=True))


def _action_label(action: Action) -> str:
    parameters = ", ".join(show(value) for _, value in action.parameters)
    return f"{action.name}({parameters})" if parameters else action.name


def _quoted(text: str) -> str:
    """`\\l` ends a line and aligns it left."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l") + '"'
