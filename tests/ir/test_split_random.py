"""Random next-state relations: splitting them changes neither the steps, nor their order, nor whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from lowered import model_of

import gristmill
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Model
from gristmill.reference.model import SpecificationModel
from gristmill.values import World

DEFINITIONS = r"""
EXTENDS Naturals
VARIABLES x, y
---- MODULE Inner ----
CONSTANT Least
VARIABLES v, w
Raise(n) == n > Least /\ v' = n % 3
Next == (Raise(2) /\ w' = v) \/ (v > Least /\ v' = Least % 3 /\ UNCHANGED w)
====
A(n) == x' = (x + n) % 3 /\ y' = n % 3
B(n) == x > 0 /\ x' = n % 2 /\ UNCHANGED y
C == x' = y /\ y' = x
D(n) == \/ x < n /\ C
        \/ LET m == n + y IN A(m) \/ B(m)
E(n) == y # n /\ (A(n) \/ C)
F(n) == x' = n % 3
G(Act(_), n) == Act(n) /\ UNCHANGED y
I(Least) == INSTANCE Inner WITH v <- x, w <- y
J == INSTANCE Inner WITH v <- x, w <- y, Least <- 1
Init == x \in 0..2 /\ y \in 0..2
"""
CALLS = ["A({})", "B({})", "C", "D({})", "E({})", "(x' = {} % 3 /\\ y' = 1)", "(F({}) /\\ UNCHANGED y)", "G(F, {})"]
CALLS += ["G(LAMBDA i : i > 0 /\\ F(i), {})", "(\\E p \\in 0..1 : I(p)!Next)", "(I(0)!Raise({}) /\\ UNCHANGED y)"]
CALLS += ["G(J!Raise, {})", "J!Next"]
TESTS = ["x < {}", "y = {}", "(x = 0 \\/ y = 0)", "(\\E k \\in 0..x : k = {})", "TRUE"]
SETS = ["1..2", "{{0, 2}}", "0..x", "{{y}}", "1..2 \\ {{{}}}", "{{}}"]


class Formulas:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = 0

    def action(self, depth: int, name: str) -> str:
        """A formula that speaks of a step; `name` is bound, or a number."""
        if depth == 0:
            return self.random.choice(CALLS).format(name)
        inner = lambda bound=name: self.action(depth - 1, bound)  # noqa: E731
        match self.random.randrange(8):
            case 0:
                return f"({inner()} \\/ {inner()})"
            case 1:
                bound = self.fresh()
                return f"(\\E {bound} \\in {self.random.choice(SETS).format(name)} : {inner(bound)})"
            case 2:
                return f"({self.test(name)} /\\ {inner()})"
            case 3:
                bound = self.fresh()
                return f"(LET {bound} == {name} + x IN {inner(bound)} \\/ {inner()})"
            case 4:
                return f"(IF {self.test(name)} THEN {inner()} ELSE {inner()})"
            case 5:
                return f"(CASE {self.test(name)} -> {inner()} [] OTHER -> {inner()})"
            case 6:
                test = self.test(name)
                return f"(CASE {test} -> {inner()} [] ~({test}) -> {inner()})"
            case _:
                step, bound = self.fresh().upper(), self.fresh()
                return f"(LET {step}({bound}) == {self.action(0, bound)} IN {step}({name}) \\/ {inner()})"

    def test(self, name: str) -> str:
        return self.random.choice(TESTS).format(name)

    def fresh(self) -> str:
        self.names += 1
        return f"n{self.names}"


def steps(model: Model) -> Iterator[tuple[object, list[tuple[str, object]], list[tuple[str, object]]]]:
    """Of each state: the steps in order, and those that the actions find one by one."""
    searchable = SpecificationModel(model, Evaluator(model.variables))
    names = [action.name for action in searchable.actions]
    for state in product(range(3), range(3)):
        found = [(names[action], each) for action, states in searchable.successors(state) for each in states]
        taken = [(name, each) for number, name in enumerate(names) for each in searchable.taking(state, number)]
        yield state, found, taken


@pytest.mark.parametrize("seed", range(150))
def test_steps_and_their_order_stay(seed: int) -> None:
    models: list[Model] = []
    module = f"{DEFINITIONS}Next == {Formulas(seed).action(3, '1')}\n"
    with World().active():
        model_of(module, "INIT Init\nNEXT Next", lambda name, model: models.append(model))
        for (state, whole, _), (_, split, by_action) in zip(steps(models[0]), steps(models[-1]), strict=True):
            assert split == whole, (module, state)
            assert sorted(map(str, by_action)) == sorted(map(str, whole)), (module, state)


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_name_the_same_steps(seed: int) -> None:
    text = f"---- MODULE M ----\n{DEFINITIONS}Next == {Formulas(seed).action(4, '1')}\n====\n"
    found = [
        gristmill.check(text, config="INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n", engine=engine)
        for engine in ("python", "native")
    ]
    python, native = [
        (each.verdict, each.distinct, each.depth, [(row.name, row.distinct, row.generated) for row in each.coverage])
        for each in found
    ]
    assert native == python
