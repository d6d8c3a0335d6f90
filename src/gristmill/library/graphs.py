"""The modules Graphs, UndirectedGraphs, GraphViz and VectorClocks."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

from gristmill.library.arguments import integer, listed, sequence, wrong
from gristmill.library.declaration import ALIKE, CALLBACK, DOUBTFUL, Operator, WithNames
from gristmill.library.effects import NONE, Effect
from gristmill.values import Fn, Value, apply, contains, current, domain, enumerate_set, equal, evaluated, ordered, show
from gristmill.values.operations.sets import explicit

Arcs = dict[Value, list[Value]]
Unary = Callable[[Value], Value]
_FIELDS = ("node", "edge")


def _in_c(function: str) -> WithNames:
    return WithNames(function, _FIELDS)


def _parts(graph: Value, operator: str) -> tuple[frozenset[Value], frozenset[Value]]:
    """Nodes and edges."""
    if type(graph) is not Fn or any(name not in graph for name in _FIELDS):
        wrong(operator, "a record with the fields node and edge", graph)
    nodes, edges = (listed(graph[name], operator) for name in _FIELDS)
    return nodes, edges


def _directed(edge: Value) -> tuple[Value, Value] | None:
    return edge if type(edge) is tuple and len(edge) == 2 else None


def _undirected(edge: Value) -> tuple[Value, Value] | None:
    if type(edge) is not frozenset or not 0 < len(edge) <= 2:
        return None
    ends = ordered(edge)
    return ends[0], ends[-1]


def _arcs(nodes: frozenset[Value], edges: frozenset[Value], both: bool, back: bool = False) -> Arcs:
    """Edges between nodes; what is no edge is left out."""
    found: Arcs = {}
    for edge in ordered(edges):
        ends = (_undirected if both else _directed)(edge)
        if ends is None or not contains(nodes, ends[0]) or not contains(nodes, ends[1]):
            continue
        start, end = reversed(ends) if back else ends
        found.setdefault(start, []).append(end)
        if both and start != end:
            found.setdefault(end, []).append(start)
    return found


def _reachable(start: Value, arcs: Arcs) -> set[Value]:
    found, waiting = {start}, [start]
    while waiting:
        for node in arcs.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def _simple_paths(path: tuple[Value, ...], arcs: Arcs) -> Iterator[tuple[Value, ...]]:
    yield path
    for node in arcs.get(path[-1], ()):
        if node not in path:
            yield from _simple_paths((*path, node), arcs)


def _all_simple_paths(graph: Value, both: bool) -> Value:
    nodes, edges = _parts(graph, "SimplePath")
    arcs = _arcs(nodes, edges, both)
    return frozenset(path for node in nodes for path in _simple_paths((node,), arcs))


def _are_connected(start: Value, end: Value, graph: Value, both: bool) -> bool:
    nodes, edges = _parts(graph, "AreConnectedIn")
    if not contains(nodes, start) or not contains(nodes, end):
        return False
    return equal(start, end) or end in _reachable(start, _arcs(nodes, edges, both))


@Operator("Graphs", "SimplePath", effects=NONE, equivariance=ALIKE, c=_in_c("gm_directed_paths"))
def simple_path(graph: Value) -> Value:
    return _all_simple_paths(graph, both=False)


@Operator("UndirectedGraphs", "SimplePath", effects=NONE, equivariance=ALIKE, c=_in_c("gm_undirected_paths"))
def undirected_simple_path(graph: Value) -> Value:
    return _all_simple_paths(graph, both=True)


@Operator("Graphs", "AreConnectedIn", effects=NONE, equivariance=ALIKE, c=_in_c("gm_are_connected"), boolean=True)
def are_connected(start: Value, end: Value, graph: Value) -> bool:
    return _are_connected(start, end, graph, both=False)


@Operator(
    "UndirectedGraphs", "AreConnectedIn", effects=NONE, equivariance=ALIKE, c=_in_c("gm_are_joined"), boolean=True
)
def undirected_are_connected(start: Value, end: Value, graph: Value) -> bool:
    return _are_connected(start, end, graph, both=True)


@Operator(
    "Graphs", "IsStronglyConnected", effects=NONE, equivariance=ALIKE, c=_in_c("gm_is_strongly_connected"), boolean=True
)
def is_strongly_connected(graph: Value) -> bool:
    nodes, edges = _parts(graph, "IsStronglyConnected")
    if not nodes:
        return True
    root = ordered(nodes)[0]
    return all(len(_reachable(root, _arcs(nodes, edges, False, back))) == len(nodes) for back in (False, True))


@Operator(
    "UndirectedGraphs", "ConnectedComponents", effects=NONE, equivariance=ALIKE, c=_in_c("gm_connected_components")
)
def connected_components(graph: Value) -> Value:
    nodes, edges = _parts(graph, "ConnectedComponents")
    arcs = _arcs(nodes, edges, both=True)
    return frozenset(frozenset(_reachable(node, arcs)) for node in nodes)


@Operator("GraphViz", "DotDiGraph", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK)
def dot_digraph(graph: Value, node_label: Unary, edge_label: Unary) -> Value:
    nodes, edges = _parts(graph, "DotDiGraph")
    lines = [f"{_id(node)}[label={show(evaluated(node_label(node)))}];" for node in ordered(nodes)]
    for edge in ordered(edges):
        ends = sequence(edge, "DotDiGraph")
        lines.append(f"{_id(ends[0])}->{_id(ends[1])}[label={show(evaluated(edge_label(edge)))}];")
    text = "digraph MyGraph {" + "".join(lines) + "}"
    current().register(text)
    return text


def _id(node: Value) -> int:
    return zlib.crc32(show(node).encode())


# --- VectorClocks ----------------------------------------------------------------------------------------------------


@Operator("VectorClocks", "CausalOrder", effects=NONE, equivariance=DOUBTFUL, c="gm_causal_order")
def causal_order(log: Value, clock: Unary, node: Unary, hosts: Unary) -> Value:
    """Entries in an order in which none precedes one that it depends on.

    Each node's entries are sorted by its own clock; an entry waits for those of other nodes that its clock counts.
    """
    entries = sequence(log, "CausalOrder")
    logs: dict[Value, list[tuple[int, Value, Value]]] = {}
    for position, entry in enumerate(entries):
        logs.setdefault(node(entry), []).append((position, entry, clock(entry)))
    for owner, own in logs.items():
        own.sort(key=lambda item: _ticks(item[2], owner))
    done = dict.fromkeys(logs, 0)
    result: list[Value] = []
    while len(result) < len(entries):
        before = len(result)
        for owner, own in logs.items():
            if done[owner] < len(own) and _is_ready(own[done[owner]][2], owner, done, hosts):
                result.append(own[done[owner]][1])
                done[owner] += 1
        if len(result) == before:
            wrong("CausalOrder", "a log whose clocks can be ordered", log)
    return tuple(result)


def _ticks(clock: Value, host: Value) -> int:
    return integer(apply(clock, host), "CausalOrder")


def _is_ready(clock: Value, owner: Value, done: dict[Value, int], hosts: Unary) -> bool:
    known = explicit(domain(clock))
    return all(
        host == owner or host not in known or host not in done or _ticks(clock, host) <= done[host]
        for host in enumerate_set(hosts(clock))
    )
