"""Random explicit graphs, as a model for the reference search and as one for the search core in C."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Sequence
from ctypes import POINTER, Structure, c_bool, c_uint32, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from gristmill.cc import build, load
from gristmill.search import Action, ActionPredicate, Model, ModelError, State, StatePredicate
from gristmill.search.core.interface import Said
from gristmill.search.core.search import CORE_SOURCES, GmModel, Mark, declare

FOLDER = Path(__file__).parent
ACTIONS = 3
OK, STOP, MISFIT, FAIL = 0, 1, 3, 4


@dataclass
class RandomGraph:
    """Edges of a node are (action, target, marks), in order. Other fields by node: what the callbacks return."""

    initial: list[int]
    edges: list[list[tuple[int, int, int]]]
    expand: list[int]
    check: list[int]
    cut: set[int] = field(default_factory=set)
    keys: list[int] | None = None
    check_deadlock: bool = False
    again: list[int] = field(default_factory=list)
    words: int = 1

    @property
    def nodes(self) -> int:
        return len(self.edges)


def random_graph(
    random: Random, nodes: int, *, degree: int = 3, trouble: float = 0.0, again: bool = False
) -> RandomGraph:
    """`trouble`: how likely a node is to have something wrong with it or its edges."""
    cut = {node for node in range(nodes) if random.random() < trouble}
    kinds = random.sample([Mark.BAD_STEP, Mark.UNKNOWN_STEP, Mark.CUT, Mark.UNKNOWN], 2)

    def marks(target: int) -> int:
        mark = random.choice(kinds) if random.random() < trouble / 3 else 0
        return mark if target not in cut else Mark.CUT | (mark & ~Mark.UNKNOWN)  # action constraints come later

    def edges(node: int) -> list[tuple[int, int, int]]:
        targets = [random.randrange(nodes) for _ in range(random.randint(0, 2 * degree))]
        actions = sorted(random.randrange(ACTIONS) for _ in targets)
        return [(action, target, marks(target)) for action, target in zip(actions, targets, strict=True)]

    def rarely(*statuses: int) -> list[int]:
        return [random.choice(statuses) if random.random() < trouble / 2 else OK for _ in range(nodes)]

    return RandomGraph(
        initial=[random.randrange(nodes) for _ in range(random.randint(0, 4))],
        edges=[edges(node) for node in range(nodes)],
        expand=rarely(STOP, OK),
        check=rarely(STOP, STOP, FAIL),
        cut=cut,
        keys=[random.randrange(nodes) for _ in range(nodes)] if random.random() < 0.2 else None,
        check_deadlock=random.random() < 0.3,
        again=[random.randrange(3) if again else 0 for _ in range(nodes)],
        words=random.randint(1, 5),
    )


class GraphModel(Model):
    """For `breadth_first`. A state is a node. Each action is a branch, which says something before its successors."""

    variables = ("node",)
    actions = tuple(Action(f"A{number}") for number in range(ACTIONS))

    def __init__(self, graph: RandomGraph) -> None:
        self._graph = graph
        self.check_deadlock = graph.check_deadlock
        self.said: list[tuple[int, ...]] = []
        self._marks = 0
        self.invariants = [StatePredicate("Right", self._check)]
        self.constraints = [StatePredicate("Inside", lambda state: state[0] not in graph.cut)]
        self.action_constraints = [ActionPredicate("Allowed", self._allowed)]
        self.implied_actions = [ActionPredicate("RightStep", self._right_step)]
        if graph.keys is not None:
            keys = graph.keys
            self.view = lambda state: keys[state[0]]

    def initial_states(self) -> Iterable[State]:
        return [(node,) for node in self._graph.initial]

    def successors(self, state: State) -> Iterable[tuple[int, Sequence[State]]]:
        for branch in range(ACTIONS):
            self.said += [(state[0], branch, number) for number in range((state[0] + branch) % 3)]
            for action, target, marks in self._graph.edges[state[0]]:
                if action == branch:
                    self._marks = marks
                    yield action, [(target,)]
        if self._graph.expand[state[0]] == STOP:
            raise ModelError("expand")

    def _check(self, state: State) -> bool:
        status = self._graph.check[state[0]]
        if status == FAIL:
            raise ModelError("check")
        return status == OK

    def _allowed(self, before: State, state: State) -> bool:
        if self._marks & Mark.UNKNOWN:
            raise ModelError("constraint")
        return not self._marks & Mark.CUT

    def _right_step(self, before: State, state: State) -> bool:
        if self._marks & Mark.UNKNOWN_STEP:
            raise ModelError("step")
        return not self._marks & Mark.BAD_STEP


class _Graph(Structure):
    _fields_ = (
        ("nodes", c_uint32),
        ("words", c_uint32),
        *((name, POINTER(c_uint32)) for name in ("first", "targets", "actions", "marks")),
        *((name, POINTER(c_uint32)) for name in ("expand_status", "check_status", "keys", "again")),
        *((name, c_uint32) for name in ("running", "pauses", "mistakes")),
    )


class NativeGraph:
    """For the core. `FLAGS`: rounds are shared among workers also when they are tiny."""

    FLAGS = ("-O1", "-Wall", "-Wextra", "-Werror", "-DGM_FEW=0", "-DGM_CHUNK=1")

    def __init__(self, library: ctypes.CDLL, graph: RandomGraph, *, keep_edges: bool = False) -> None:
        flat = [edge for edges in graph.edges for edge in edges]
        first = [0]
        for edges in graph.edges:
            first.append(first[-1] + len(edges))
        self._graph = graph
        self.data = _Graph(
            graph.nodes,
            graph.words,
            _vector(first),
            _vector([target for _, target, _ in flat]),
            _vector([action for action, _, _ in flat]),
            _vector([marks for _, _, marks in flat]),
            _vector(graph.expand),
            _vector(graph.check),
            _vector(graph.keys) if graph.keys is not None else None,
            _vector(graph.again),
        )
        self.model = GmModel()
        library.graph_model(
            ctypes.byref(self.data), ACTIONS, graph.check_deadlock, keep_edges, ctypes.byref(self.model)
        )
        self.said: list[tuple[int, ...]] = []
        self.model.said = Said(self._hear)

    def _hear(self, context: int, data: int, size: int) -> None:
        sayings, at = ctypes.string_at(data, size), 0
        while at < size:
            _, _, length = struct.unpack_from("=QII", sayings, at)
            at += 16 + length
            self.said.append(struct.unpack("=3I", sayings[at - length : at]))

    def state(self, node: int) -> list[int]:
        return [node, *((node * 2654435761 & 0xFFFFFFFF) ^ number for number in range(1, self._graph.words))]


def graph_library(flags: Sequence[str] = NativeGraph.FLAGS) -> ctypes.CDLL:
    library = declare(load(build({}, [*CORE_SOURCES, FOLDER / "graph_model.c"], flags=flags)))
    library.graph_model.argtypes = (c_void_p, c_uint32, c_bool, c_bool, c_void_p)
    library.graph_model.restype = None
    return library


def _vector(values: Sequence[int]) -> Any:
    return (c_uint32 * max(1, len(values)))(*values)
