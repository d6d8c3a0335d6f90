"""What actions read and write: as a person would say it, and against brute force."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from gristmill.building import build
from gristmill.evaluate import Context, Evaluator
from gristmill.ir.model import Model
from gristmill.ir.passes.dependencies import Dependencies, dependencies
from gristmill.ir.places import Constant, Place
from gristmill.reference.model import SpecificationModel
from gristmill.values import EvaluationError, Fn

HEAD = """---- MODULE Test ----
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES x, y, f, g, msgs
vars == <<x, y, f, g, msgs>>
Node == {"a", "b", "c"}
Init == x = 0 /\\ y = 1 /\\ f = [n \\in Node |-> 0] /\\ g = [n \\in Node |-> [term |-> 0, log |-> <<>>]] /\\ msgs = {}
"""


def model(body: str, next: str) -> Model:
    return build(f"{HEAD}{body}\nNext == {next}\n====", config="INIT Init\nNEXT Next").model


def told(model: Model) -> list[str]:
    with model.world.active():
        return [_told(action.name, dependencies(action), model.variables) for action in model.actions]


def _told(name: str, found: Dependencies, variables: tuple[str, ...]) -> str:
    def places(of: Any) -> str:
        return " ".join(sorted(place.text(variables) for place in of)) or "-"

    writes = "; ".join(
        f"{write.place.text(variables)}{'' if write.certain else '?'} from {places(write.reads)}"
        + (f" if {places(write.control)}" if write.control else "")
        for write in sorted(found.writes, key=lambda write: write.place.text(variables))
    )
    return f"{name}: {places(found.guard)} => {writes or 'nothing'}"


REST = "UNCHANGED <<{}>>".format

CASES = [
    ("A == x < y /\\ x' = x + 1 /\\ UNCHANGED <<y, f, g, msgs>>", "A", ["A: x y => x from x"]),
    (
        "A(n) == f[n] = 0 /\\ f' = [f EXCEPT ![n] = @ + y] /\\ UNCHANGED <<x, y, g, msgs>>",
        "\\E i \\in Node : A(i)",
        ["A: f[i] => f[i] from f[i] y"],
    ),
    (
        "A(n, m) == g[n].term < g[m].term /\\ g' = [g EXCEPT ![n].term = g[m].term] /\\ UNCHANGED <<x, y, f, msgs>>",
        "\\E i, j \\in Node : A(i, j)",
        ["A: g[i].term g[j].term => g[i].term from g[j].term"],
    ),
    (
        "A(n) == g' = [g EXCEPT ![n] = [@ EXCEPT !.log = Append(@, x)]] /\\ UNCHANGED <<x, y, f, msgs>>",
        '\\/ A("a")\n \\/ A("b")',
        ["A: - => g.a.log from g.a.log x", "A: - => g.b.log from g.b.log x"],
    ),
    (
        'A == x\' = (IF y > 0 THEN f["a"] ELSE x) /\\ UNCHANGED <<y, f, g, msgs>>',
        "A",
        ["A: - => x? from f.a if y"],
    ),
    (
        "A == IF y > 0 THEN x' = 1 /\\ f' = f ELSE x' = 2 /\\ f' = [n \\in Node |-> x]\n"
        "B == A /\\ UNCHANGED <<y, g, msgs>>",
        "B",
        ["B: - => f? from x if y; x from - if y"],
    ),
    (
        "A == IF y > 0 THEN x > 0 /\\ x' = 1 ELSE x' = 2\nB == A /\\ UNCHANGED <<y, f, g, msgs>>",
        "B",
        ["B: x y => x from - if y"],
    ),
    (
        "A == x > 0 /\\ (IF y > 0 THEN x > 5 /\\ x' = 1 ELSE x' = 2)\nB == A /\\ UNCHANGED <<y, f, g, msgs>>",
        "B",
        ["B: x y => x from - if y"],  # y decides, although the branch tests nothing that was not tested before
    ),
    (
        "A == x > 0 /\\ (IF y > 0 THEN FALSE ELSE x' = 2)\nB == A /\\ UNCHANGED <<y, f, g, msgs>>",
        "B",
        ["B: x y => x? from - if y"],
    ),
    (
        "A == \\E m \\in msgs : m.term > g[m.to].term /\\ g' = [g EXCEPT ![m.to].term = m.term]\n"
        "B == A /\\ msgs' = msgs \\cup {y} /\\ UNCHANGED <<x, y, f>>",
        "B",
        ["B: g[m.to].term msgs => g[m.to].term from msgs if msgs; msgs from msgs y"],
    ),
    (
        "Sum[s \\in SUBSET Node] == IF s = {} THEN 0 ELSE LET n == CHOOSE n \\in s : TRUE IN f[n] + Sum[s \\ {n}]\n"
        "A == Sum[Node] > 3 /\\ x' = 0 /\\ UNCHANGED <<y, f, g, msgs>>",
        "A",
        ["A: f[*] => x from -"],
    ),
    (
        "A == x' \\in {y, y + 1} /\\ y' = x' + 1 /\\ UNCHANGED <<f, g, msgs>>",
        "A",
        ["A: y => x from y; y from y"],
    ),
    (
        "A == x' = 1 /\\ x' > y /\\ UNCHANGED <<y, f, g, msgs>>",
        "A",
        ["A: y => x from -"],
    ),
    (
        "A(Op(_), n) == Op(n) /\\ x' = f[n] /\\ UNCHANGED <<y, f, g, msgs>>",
        "\\E i \\in Node : A(LAMBDA k : g[k].term > 0, i)",
        ["A: g[i].term => x from f[i]"],
    ),
    (
        "F(n) == IF f[\"a\"] > n THEN n ELSE 0\nA == x' = F(F(y)) /\\ UNCHANGED <<y, f, g, msgs>>",
        "A",
        ["A: - => x from y if f.a y"],
    ),
    (
        "A == \\A n \\in Node : f[n] > y /\\ x' = 1 /\\ UNCHANGED <<y, f, g, msgs>>",
        "A",
        ["A: f g msgs y => x? from -"],
    ),
]


@pytest.mark.parametrize(("body", "next", "expected"), CASES, ids=[case[0].splitlines()[-1][:60] for case in CASES])
def test_as_a_person_would_say_it(body: str, next: str, expected: list[str]) -> None:
    assert told(model(body, next)) == expected


# --------------------------------------------------------------------------------------------------------- brute force


class Generator:
    """Random actions over numbers, a function and records, with arguments that are constants: places are then known."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = 0

    def number(self, depth: int = 2) -> str:
        return f"({self.plain_number(depth)})"

    def plain_number(self, depth: int) -> str:
        pick = self.rng.choice
        n = self.name()
        leaves = ["x", "y", f"f[{self.key()}]", f"g[{self.key()}].term", f"Len(g[{self.key()}].log)", "1", "2"]
        if depth == 0:
            return pick(leaves)
        return pick(
            [
                *leaves,
                f"({self.number(depth - 1)} + {self.number(depth - 1)}) % 4",
                f"(IF {self.test(depth - 1)} THEN {self.number(depth - 1)} ELSE {self.number(depth - 1)})",
                f"Cardinality({{{n} \\in Node : f[{n}] > {self.number(0)}}})",
                f"(LET {n} == {self.number(depth - 1)} IN ({n} + {n}) % 4)",
                f"[{n} \\in Node |-> (f[{n}] + {self.number(0)}) % 4][{self.key()}]",
                f"Both({self.number(depth - 1)}, {self.number(0)})",
                f"[a |-> {self.number(0)}, b |-> {self.number(0)}].a",
                f"Len([g EXCEPT ![{self.key()}].log = <<1>>][{self.key()}].log)",
            ]
        )

    def name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def key(self) -> str:
        key = self.rng.choice(['"a"', '"b"', '"c"'])
        return key if self.rng.random() < 0.85 else f'(IF x > y THEN "a" ELSE {key})'

    def test(self, depth: int = 1) -> str:
        pick = self.rng.choice
        plain = f"{self.number(depth)} {pick(['<', '=', '>', '#'])} {self.number(depth)}"
        n = self.name()
        some = f"(\\E {n} \\in Node : f[{n}] = {self.number(0)})"
        return pick([plain, plain, some, f"~({plain})", f"{self.number(0)} \\in msgs"])

    def update(self, variable: str) -> str:
        pick = self.rng.choice
        if variable == "msgs":
            fewer = f"{{m \\in msgs : m < {self.number(0)}}}"
            return "msgs' = " + pick(["msgs", f"msgs \\cup {{{self.number(1)}}}", fewer])
        if variable == "f":
            change = f"[f EXCEPT ![{self.key()}] = {pick(['@', self.number(1), f'(@ + {self.number(0)}) % 4'])}]"
            perhaps = f"(IF {self.test()} THEN {change} ELSE f)"
            return "f' = " + pick(["f", change, perhaps, f"[n \\in Node |-> {self.number(1)}]"])
        if variable == "g":
            term = f"[g EXCEPT ![{self.key()}].term = {self.number(1)}]"
            log = f"[g EXCEPT ![{self.key()}].log = IF Len(@) < 2 THEN Append(@, {self.number(0)}) ELSE <<>>]"
            both = f"[g EXCEPT ![{self.key()}].term = {self.number(0)}, ![{self.key()}].log = <<>>]"
            return "g' = " + pick(["g", term, log, both, f"(IF {self.test()} THEN {term} ELSE {log})"])
        some = f"\\in {{{self.number(1)}, {self.number(0)}}}"
        return f"{variable}' " + pick(["= " + self.number(), some, f"= {variable}"])

    def action(self) -> str:
        items = [self.test() for _ in range(self.rng.randrange(3))]
        updates = [self.update(each) for each in ("x", "y", "f", "g", "msgs")]
        if self.rng.random() < 0.3:
            updates[0] = f"(IF {self.test()} THEN {self.update('x')} ELSE {self.test()} /\\ {self.update('x')})"
        if self.rng.random() < 0.3:
            updates[1] = f"(({self.update('y')}) \\/ ({self.test()} /\\ {self.update('y')}))"
        if self.rng.random() < 0.2:
            updates.append(f"x' # {self.number(0)}")
        if self.rng.random() < 0.2:
            updates[2] = f"f' = [f EXCEPT ![{self.key()}] = x']"
        return " /\\ ".join(f"({each})" for each in (*items, *updates))


BOTH = "Both(a, b) == IF a > b /\\ f[\"b\"] > 0 THEN a ELSE b\n"


def slots(state: tuple[Any, ...]) -> Iterator[Place]:
    """All places of a state that have no parts with a place of their own."""
    x, y, f, g, _ = range(5)
    yield from (Place(x), Place(y), Place(4))
    for key in state[f]:
        yield Place(f, (Constant(key),))
    for key in state[g]:
        yield from (Place(g, (Constant(key), Constant(name))) for name in ("term", "log"))


def content(state: tuple[Any, ...], place: Place) -> Any:
    value = state[place.variable]
    for key in place.path:
        value = value[key.value]  # type: ignore[union-attr]
    return value


def changed(state: tuple[Any, ...], place: Place, new: Any) -> tuple[Any, ...]:
    def put(value: Any, path: tuple[Any, ...]) -> Any:
        return Fn({**value, path[0].value: put(value[path[0].value], path[1:])}) if path else new

    return tuple(put(value, place.path) if index == place.variable else value for index, value in enumerate(state))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_not_read_does_not_matter(seed: int) -> None:
    rng = random.Random(f"dependencies {seed}")
    generator = Generator(rng)
    names = ["A", "B", "C"]
    found = model(BOTH + "\n".join(f"{name} == {generator.action()}" for name in names), "A \\/ B \\/ C")
    with found.world.active():
        _compare(found, rng)


def _compare(found: Model, rng: random.Random) -> None:
    searchable = SpecificationModel(found, Evaluator(found.variables, Context(found.variables)))
    states = _some_states(searchable, rng)
    looked_at = 0
    for number, action in enumerate(found.actions):
        told = dependencies(action)
        for state in rng.sample(states, min(12, len(states))):
            looked_at += _compare_at(searchable, number, told, state, rng.choice(states))
    assert looked_at


def _compare_at(searchable: SpecificationModel, number: int, told: Dependencies, state: Any, other: Any) -> int:
    try:
        before = searchable.taking(state, number)
    except EvaluationError:
        return 1
    for place in slots(state):
        written = [write for write in told.writes if write.place.may_touch(place)]
        for successor in before:
            if not written:
                assert content(successor, place) == content(state, place), (place, "is written")
    for place in slots(state):
        if any(read.may_touch(place) for read in told.guard):
            continue
        moved = changed(state, place, content(other, place))
        try:
            after = searchable.taking(moved, number)
        except EvaluationError:
            continue
        assert bool(after) == bool(before), (place, "decides whether it is possible")
        for target in slots(state):
            writes = [write for write in told.writes if write.place.may_touch(target)]
            sources = frozenset().union(*(write.sources for write in writes))
            if (target == place and not writes) or any(read.may_touch(place) for read in sources):
                continue
            if target == place and not any(w.certain and w.place == target for w in writes):
                continue  # it may be left as it is
            old, new = ({content(each, target) for each in states} for states in (before, after))
            assert old == new, (place, "decides what is written to", target)
    return 1


def _some_states(searchable: SpecificationModel, rng: random.Random) -> list[Any]:
    states = list(searchable.initial_states())
    seen = set(states)
    for state in states:
        if len(states) > 150:
            break
        try:
            for _, successors in searchable.successors(state):
                for each in successors:
                    if each not in seen:
                        seen.add(each)
                        states.append(each)
        except EvaluationError:
            pass
    # states that nobody reaches count as well: parts of several
    return states + [tuple(rng.choice(states)[index] for index in range(5)) for _ in range(100)]
