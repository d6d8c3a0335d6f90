"""Representatives under symmetry, found by sorting: one for every orbit, and another one for another orbit.

The twin is as dumb as can be: it applies every permutation to a state and takes the set of what comes out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_uint32
from random import Random
from typing import Any

import pytest

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.native.emit.generate import generate
from gristmill.native.plan.layout import layouts
from gristmill.native.run.compiled import compile_text
from gristmill.native.run.engine import Engine
from gristmill.native.run.symmetry import can_be_permuted, permuted_sets
from gristmill.reference.model import SpecificationModel
from gristmill.reference.permutations import Permuter
from gristmill.search.model import State
from gristmill.search.symmetry import generated_group
from gristmill.values import ModelValue, current, make_function

NODES = [ModelValue(f"n{number}") for number in range(4)]
VALUES = [ModelValue(f"v{number}") for number in range(3)]
MODEL = build(
    r"""---- MODULE Any ----
EXTENDS TLC
CONSTANTS Node, Value, Other
VARIABLES a, b, c, d
Init == a = 1 /\ b = 1 /\ c = 1 /\ d = 1
Next == UNCHANGED <<a, b, c, d>>
====""",
    config="INIT Init NEXT Next CONSTANTS Node = {n0, n1, n2, n3} Value = {v0, v1, v2} Other = other",
).model


@pytest.fixture(autouse=True)
def names() -> None:
    """In an order that does not depend on what was run before."""
    current().register_all([value.name for value in (*NODES, *VALUES, ModelValue("other"))])


def all_permutations(*sets: Sequence[ModelValue]) -> list[dict[Any, Any]]:
    return generated_group(dict(zip(each, p, strict=True)) for each in sets for p in itertools.permutations(each))


Draw = Callable[[Random], Any]


def scalar(rng: Random) -> Any:
    return rng.choice([0, 1, "text", ModelValue("other"), rng.choice(NODES), rng.choice(VALUES)])


def anything(rng: Random, depth: int = 2) -> Any:
    if depth == 0 or rng.random() < 0.3:
        return scalar(rng)
    inside = [anything(rng, depth - 1) for _ in range(rng.randrange(4))]
    match rng.randrange(3):
        case 0:
            return frozenset((rng.choice(NODES), rng.choice(VALUES)) for _ in range(rng.randrange(4)))
        case 1:
            return tuple(inside)
    keys = rng.sample(NODES, min(len(inside), len(NODES)))
    return make_function(zip(keys, inside, strict=False))


def on(keys: Sequence[Any], value: Draw) -> Draw:
    return lambda rng: make_function((key, value(rng)) for key in keys)


def subset(keys: Sequence[Any]) -> Draw:
    return lambda rng: frozenset(key for key in keys if rng.random() < 0.5)


# States of different shapes: functions on elements that become slots, relations, sets of records, sequences.
SHAPES: dict[str, tuple[Draw, Draw, Draw, Draw]] = {
    "flat": (on(NODES, lambda rng: rng.randrange(2)), on(VALUES, lambda rng: rng.randrange(3)), scalar, scalar),
    "pointers": (on(NODES, lambda rng: rng.choice(NODES)), scalar, subset(NODES), subset(VALUES)),
    "relations": (on(NODES, subset(NODES)), on(NODES, on(VALUES, lambda rng: rng.randrange(2))), scalar, scalar),
    "matrix": (on(NODES, on(NODES, lambda rng: rng.randrange(2))), scalar, scalar, scalar),
    "with another": (on([*NODES, ModelValue("other")], lambda rng: rng.choice(VALUES)), scalar, scalar, scalar),
    "queues": (lambda rng: tuple(rng.sample(NODES, rng.randrange(5))), subset(VALUES), anything, scalar),
    "anything": (anything, anything, anything, anything),
}


class Keys:
    """What C takes for the representative of states with such a layout."""

    def __init__(self, samples: Sequence[State], group: Sequence[dict[Any, Any]], by_sorting: bool) -> None:
        evaluator = Evaluator(MODEL.variables, Context(MODEL.variables))
        found = layouts(samples, len(MODEL.variables))
        assert can_be_permuted(found, group)
        generated = generate(
            MODEL, found, (4,) * sum(each.size for each in found), lambda code: evaluator.value(code)()
        )
        library = compile_text(generated.text, generated.cost)
        self.engine = Engine(generated, library, SpecificationModel(MODEL, evaluator))
        self.engine.set_symmetry(group, by_sorting)
        self.model = self.engine.model()
        self.worker = self.model.worker_new(self.model.context, 0)

    def __call__(self, state: State) -> State:
        out = (c_uint32 * self.engine.words)()
        assert self.model.key(self.worker, self.engine.encoded(state), out) == 0
        return self.engine.state(tuple(out))

    def close(self) -> None:
        self.model.worker_free(self.worker)
        self.engine.close()


def orbit(state: State, group: Sequence[dict[Any, Any]]) -> frozenset[State]:
    permuters = [Permuter(each, 1000) for each in ({}, *group)]
    return frozenset(tuple(each.value(value) for value in state) for each in permuters)


def some_states(shape: str, count: int) -> Iterator[State]:
    rng = Random(shape)
    for _ in range(count):
        yield tuple(draw(rng) for draw in SHAPES[shape])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sets", [(NODES,), (NODES, VALUES)])
def test_one_representative_for_each_orbit(shape: str, sets: tuple[Sequence[ModelValue], ...]) -> None:
    group = all_permutations(*sets)
    assert permuted_sets(group) == [list(each) for each in sets]
    states = list(some_states(shape, 60))
    rng = Random(1)
    keys = Keys(states, group, by_sorting=True)
    found: dict[State, frozenset[State]] = {}
    try:
        for state in states:
            whole = orbit(state, group)
            key = keys(state)
            assert key in whole  # so two orbits have no representative in common
            assert found.setdefault(key, whole) == whole
            for other in rng.sample(sorted(whole, key=repr), min(12, len(whole))):
                assert keys(other) == key
    finally:
        keys.close()


def test_what_is_not_all_permutations_of_some_sets_is_left_to_trying() -> None:
    turn = dict(zip(NODES, [*NODES[1:], NODES[0]], strict=True))
    group = generated_group([turn])
    assert len(group) == 3
    assert permuted_sets(group) is None
    states = list(some_states("pointers", 30))
    keys = Keys(states, group, by_sorting=True)
    try:
        for state in states:
            whole = orbit(state, group)
            assert keys(state) in whole
            assert len({keys(other) for other in whole}) == 1
    finally:
        keys.close()


def test_all_permutations_of_two_sets_that_move_together_are_another_group() -> None:
    together = [
        {NODES[0]: NODES[1], NODES[1]: NODES[0], VALUES[0]: VALUES[1], VALUES[1]: VALUES[0]},
    ]
    assert permuted_sets(generated_group(together)) is None
    assert permuted_sets(all_permutations(NODES[:2], VALUES[:2])) == [NODES[:2], VALUES[:2]]


# Five that pass a token and remember whom they have it from: 120 permutations, and states with and without ties.
RING = r"""---- MODULE Pass ----
EXTENDS TLC, Naturals, FiniteSets
CONSTANTS Node, None
VARIABLES has, from, done
Init == has \in {{}} \cup {{n} : n \in Node} /\ from = [n \in Node |-> None] /\ done = {}
Start(n) == has = {} /\ done = {} /\ has' = {n} /\ UNCHANGED <<from, done>>
Pass(n, m) == /\ n \in has /\ m \notin has \cup done /\ from[m] = None
              /\ has' = (has \ {n}) \cup {m} /\ from' = [from EXCEPT ![m] = n] /\ done' = done
Split(n, m) == /\ n \in has /\ m \notin has \cup done /\ Cardinality(has) < 3
               /\ has' = has \cup {m} /\ from' = [from EXCEPT ![m] = n] /\ UNCHANGED done
End(n) == n \in has /\ has' = has \ {n} /\ done' = done \cup {n} /\ UNCHANGED from
Next == \E n \in Node : Start(n) \/ End(n) \/ \E m \in Node \ {n} : Pass(n, m) \/ Split(n, m)
Sane == has \cap done = {}
Alike == Permutations(Node)
===="""


@pytest.mark.parametrize("size", [3, 4])
def test_counts_are_those_of_the_reference_evaluator(size: int) -> None:
    nodes = ", ".join(f"p{number}" for number in range(size))
    config = "INIT Init NEXT Next INVARIANT Sane SYMMETRY Alike CHECK_DEADLOCK FALSE CONSTANT None = None"
    config += f" CONSTANT Node = {{{nodes}}}"
    found = [
        check(build(RING, config=config).model, Options(engine=engine, workers=workers))  # type: ignore[arg-type]
        for engine, workers in (("python", 1), ("native", 1), ("native", 2))
    ]
    assert [each.engine for each in found] == ["python", "native", "native"]
    assert len({(each.verdict, each.distinct, each.generated, each.depth) for each in found}) == 1
