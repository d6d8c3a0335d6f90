"""The graph of the steps that a system and an automaton take together, and its fair components.

This is what `core/liveness/components.h` does in C for large graphs, in Python: for small ones, for machines without a
compiler, and to compare with.

A fair component is a set of nodes, strongly connected by allowed steps, in which a behaviour can stay for ever and meet
every condition there is on what happens infinitely often.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from gristmill.search.liveness.automaton import Automaton
from gristmill.search.liveness.graph import StepGraph
from gristmill.search.liveness.truth import Valuation

Poll: TypeAlias = Callable[[], None]

_NODES_BETWEEN_POLLS = 1 << 14


@dataclass(frozen=True, slots=True)
class Product:
    """Nodes are numbered by their distance from the initial ones, which have themselves as parents.

    Edge e leads to `targets[e]`, by step `steps[e]` of the graph, and puts off `promises[e]`.
    """

    states: array[int]
    parents: array[int]
    first: array[int]
    targets: array[int]
    steps: Sequence[int]
    promises: Sequence[int]

    def path(self, node: int) -> list[int]:
        """The nodes from an initial one to this."""
        found = [node]
        while self.parents[node] != node:
            node = self.parents[node]
            found.append(node)
        return found[::-1]


def product_of(graph: StepGraph, valuation: Valuation, automaton: Automaton, poll: Poll) -> Product:
    size = len(automaton.states)
    transitions = [
        [(valuation.unpacked(each.condition), each.target, each.promises) for each in state]
        for state in automaton.states
    ]
    number = {state * size: state for state in range(graph.initial)}
    keys = list(number)
    parents = array("q", range(graph.initial))
    first, targets, steps, promises = array("q", [0]), array("q"), array("q"), []
    for node, key in enumerate(keys):  # grows on the way
        if node % _NODES_BETWEEN_POLLS == 0:
            poll()
        state, place = divmod(key, size)
        for step in graph.from_state(state):
            following = graph.target(step) * size
            for holds, target, promised in transitions[place]:
                if holds[step]:
                    found = number.setdefault(following + target, len(keys))
                    if found == len(keys):
                        keys.append(following + target)
                        parents.append(node)
                    targets.append(found)
                    steps.append(step)
                    promises.append(promised)
        first.append(len(targets))
    return Product(array("q", (key // size for key in keys)), parents, first, targets, steps, promises)


# ---------------------------------------------------------------------------------------------- fair components


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition on the edges of a cycle: some edge is in `some`, or all are in one of `all`. By edge, 1 or 0."""

    some: bytes
    all: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Component:
    """`edges` connect the `nodes`; a fair cycle takes, for each of `witnesses`, one that is in it."""

    nodes: list[int]
    edges: list[int]
    witnesses: list[bytes]

    def outgoing(self, product: Product) -> dict[int, list[int]]:
        """The edges from each node."""
        allowed = set(self.edges)
        first = product.first
        return {node: [e for e in range(first[node], first[node + 1]) if e in allowed] for node in self.nodes}


def fair_components(product: Product, clauses: Sequence[Clause], poll: Poll) -> Iterator[Component]:
    """Every fair cycle lies in a component whose largest fair parts these are. Not all parts, if one is enough.

    A cycle that takes no edge in `some` of a clause must stay within one of its `all`: so we look for components
    among those edges alone, without that clause. (For one `all` a clause, that is the algorithm for Streett's
    condition by Emerson and Lei.)
    """
    search = _Components(product)
    count = len(product.targets)
    waiting = [(range(len(product.states)), b"\1" * count, list(clauses))]
    while waiting:
        poll()
        nodes, allowed, conditions = waiting.pop()
        for component, edges in search.components(nodes, allowed):
            unmet = next((each for each in conditions if not any(map(each.some.__getitem__, edges))), None)
            if unmet is None:
                yield Component(component, edges, [each.some for each in conditions])
                continue
            rest = [each for each in conditions if each is not unmet]
            for within in unmet.all:
                waiting.append((component, _both(allowed, within), rest))  # type: ignore[arg-type]


def _both(one: bytes, other: bytes) -> bytes:
    return (int.from_bytes(one) & int.from_bytes(other)).to_bytes(len(one))


class _Components:
    """Tarjan's algorithm, without recursion, again and again on parts of one graph.

    `order` numbers visits through all runs, so that it need not be cleared: what is not above the number at which a
    run began has not been visited in it.
    """

    def __init__(self, product: Product) -> None:
        self.product = product
        count = len(product.states)
        self.order = array("q", bytes(8 * count))
        self.low = array("q", bytes(8 * count))
        self.part = array("q", bytes(8 * count))  # which run a node is looked at in
        self.done = bytearray(count)
        self.visits = 0
        self.runs = 0

    def components(self, nodes: Sequence[int], allowed: bytes) -> Iterator[tuple[list[int], list[int]]]:
        """The components with an edge among `nodes` and `allowed` edges, each with its edges."""
        self.runs += 1
        for node in nodes:
            self.part[node] = self.runs
            self.done[node] = 0
        found = list(self._tarjan(nodes, allowed))
        first, targets = self.product.first, self.product.targets
        for component in found:
            inside = set(component)
            edges = [
                edge
                for node in component
                for edge in range(first[node], first[node + 1])
                if allowed[edge] and targets[edge] in inside
            ]
            if edges:
                yield component, edges

    def _tarjan(self, nodes: Sequence[int], allowed: bytes) -> Iterator[list[int]]:
        order, low, part, done, run, base = self.order, self.low, self.part, self.done, self.runs, self.visits
        first, targets = self.product.first, self.product.targets
        stack: list[int] = []
        for root in nodes:
            if order[root] > base:
                continue
            self.visits += 1
            order[root] = low[root] = self.visits
            stack.append(root)
            path = [(root, first[root])]
            while path:
                node, edge = path.pop()
                end = first[node + 1]
                lowest = low[node]
                while edge < end:
                    target = targets[edge]
                    edge += 1
                    if not allowed[edge - 1] or part[target] != run or done[target]:
                        continue
                    if order[target] <= base:
                        low[node] = lowest
                        path.append((node, edge))
                        self.visits += 1
                        order[target] = low[target] = self.visits
                        stack.append(target)
                        path.append((target, first[target]))
                        break
                    lowest = min(lowest, order[target])
                else:
                    low[node] = lowest
                    if lowest == order[node]:
                        yield self._taken(stack, node)
                    if path:
                        parent = path[-1][0]
                        low[parent] = min(low[parent], lowest)

    def _taken(self, stack: list[int], root: int) -> list[int]:
        component = []
        while True:
            node = stack.pop()
            self.done[node] = 1
            component.append(node)
            if node == root:
                return component


# --------------------------------------------------------------------------------------------------- fair cycles


def fair_cycle(product: Product, component: Component, start: int) -> list[int]:
    """Edges from `start` back to it that meet every condition, each time the nearest one not met yet."""
    outgoing = component.outgoing(product)
    unmet = list(component.witnesses)
    cycle: list[int] = []
    node = start
    while unmet:
        path = _nearest(product, outgoing, node, partial(_in_some, unmet))
        cycle += path
        node = product.targets[path[-1]]
        unmet = [each for each in unmet if not any(each[edge] for edge in path)]
    if node != start or not cycle:
        cycle += _nearest(product, outgoing, node, lambda edge: product.targets[edge] == start)
    return cycle


def _in_some(conditions: Sequence[bytes], edge: int) -> bool:
    return any(each[edge] for each in conditions)


def _nearest(product: Product, outgoing: dict[int, list[int]], start: int, wanted: Callable[[int], bool]) -> list[int]:
    """The edges of a shortest path that ends with a wanted one."""
    arrived: dict[int, tuple[int, int] | None] = {start: None}  # by which edge, from which node
    queue = [start]
    for node in queue:  # grows on the way
        for edge in outgoing[node]:
            if wanted(edge):
                return [*_back(arrived, node), edge]
            target = product.targets[edge]
            if target not in arrived:
                arrived[target] = (edge, node)
                queue.append(target)
    raise AssertionError("a component is connected and has what it was found for")


def _back(arrived: dict[int, tuple[int, int] | None], node: int) -> list[int]:
    edges = []
    while (step := arrived[node]) is not None:
        edges.append(step[0])
        node = step[1]
    return edges[::-1]
