"""The steps of a state graph as they are shown: each once, with the parameters that its action is taken with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gristmill.search.model import Action, Parameters
from gristmill.search.result import Graph
from gristmill.values import show


@dataclass(frozen=True, slots=True)
class Edge:
    """A step: numbers of states, of the action, and what that is taken with."""

    source: int
    action: int
    target: int
    parameters: Parameters = ()


def edges_of(graph: Graph) -> Iterator[Edge]:
    """By source, each once however often it was generated. In the world of the graph."""
    start, count = 0, len(graph.sources)
    while start < count:  # steps from one state stand together
        source, end = graph.sources[start], start
        while end < count and graph.sources[end] == source:
            end += 1
        yield from _from_one(graph, source, start, end)
        start = end


def _from_one(graph: Graph, source: int, start: int, end: int) -> Iterator[Edge]:
    """What the search has not kept (a constraint forbids the step) is left out, also if it is taken again."""
    kept = dict.fromkeys(zip(graph.edge_actions[start:end], graph.targets[start:end], strict=True))
    told: dict[tuple[int, int], dict[Parameters, None]] = {}
    for action, parameters, target in graph.taken(source) if graph.taken is not None else ():
        told.setdefault((action, target), {})[parameters] = None
    for action, target in kept:
        for parameters in told.get((action, target), {(): None}):
            yield Edge(source, action, target, parameters)


def edge_text(action: Action, parameters: Parameters) -> str:
    """`Send(p = p1, m = "hello")`, as steps are named in traces."""
    shown = ", ".join(f"{name} = {show(value)}" for name, value in parameters or action.parameters)
    return f"{action.name}({shown})" if shown else action.name


def labels_of(graph: Graph) -> dict[tuple[int, int], list[str]]:
    """For each pair of states between which there are steps, what these are. In the world of the graph."""
    found: dict[tuple[int, int], list[str]] = {}
    for edge in edges_of(graph):
        text = edge_text(graph.actions[edge.action], edge.parameters)
        found.setdefault((edge.source, edge.target), []).append(text)
    return found
