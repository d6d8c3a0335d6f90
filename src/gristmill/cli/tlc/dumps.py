"""The state graph in TLC's forms: a list of states, or a graph for Graphviz."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TextIO

from gristmill.cli.tlc.states import state_text
from gristmill.search.model import State
from gristmill.search.result import Graph

_COLORS = 12  # of Graphviz's scheme `paired12`
_HEADER = (
    "strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\n"
    'subgraph cluster_graph {\ncolor="white";\n'
)


def write_states(graph: Graph, stream: TextIO) -> None:
    with graph.world.active():
        for number, state in enumerate(graph.states, 1):
            stream.write(f"State {number}:\n{_text(graph, state)}\n")


def write_dot(graph: Graph, stream: TextIO, asked: Collection[str]) -> None:
    """`asked`: colorize, actionlabels, stuttering, as after `-dump dot,`."""
    colored, labelled = "colorize" in asked, "actionlabels" in asked
    header = _HEADER.replace("nodesep", 'edge [colorscheme="paired12"]\nnodesep') if colored else _HEADER
    with graph.world.active():
        stream.write(header)
        for number, state in enumerate(graph.states):
            style = ",style = filled" if number < graph.initial else ""
            stream.write(f"{number + 1} [label={_quoted(_text(graph, state).rstrip())}{style}];\n")
        for source, action, target in sorted(set(_steps(graph, "stuttering" in asked))):
            look = ",".join(_look(graph, action, colored, labelled))
            stream.write(f"{source + 1} -> {target + 1} [{look}];\n")
        stream.write("}\n}\n")


def _steps(graph: Graph, stuttering: bool) -> Iterator[tuple[int, int, int]]:
    for source, action, target in zip(graph.sources, graph.edge_actions, graph.targets, strict=True):
        if stuttering or source != target:
            yield source, action, target


def _look(graph: Graph, action: int, colored: bool, labelled: bool) -> Iterator[str]:
    yield f"label={_quoted(graph.actions[action].name)}" if labelled else 'label=""'
    names = list(dict.fromkeys(each.name for each in graph.actions))
    color = names.index(graph.actions[action].name) % _COLORS + 1
    yield f'color="{color if colored else "black"}"'
    yield f'fontcolor="{color if colored else "black"}"'


def _text(graph: Graph, state: State) -> str:
    return state_text(dict(zip(graph.variables, state, strict=True)))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
