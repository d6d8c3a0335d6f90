"""What actions read and write: as a person would say it, and against brute force."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from random_actions import BOTH, HEAD, HELPERS, Generator, Predicates

from gristmill.building import build
from gristmill.evaluate import Context, Evaluator
from gristmill.ir.model import Model
from gristmill.ir.passes.dependencies import Dependencies, Places, dependencies, reads
from gristmill.ir.places import Constant, Place
from gristmill.reference.model import SpecificationModel
from gristmill.values import EvaluationError, Fn


def model(body: str, next: str) -> Model:
    return build(f"{HEAD}{body}\nNext == {next}\n====", config="INIT Init\nNEXT Next").model


def told(model: Model) -> list[str]:
    with model.world.active():
        return [_told(action.name, dependencies(model, action), model.variables) for action in model.actions]


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
        'F(n) == IF f["a"] > n THEN n ELSE 0\nA == x\' = F(F(y)) /\\ UNCHANGED <<y, f, g, msgs>>',
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
        told = dependencies(found, action)
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


# ------------------------------------------------------------------------------------------------------- predicates


@pytest.mark.parametrize("seed", range(40))
def test_a_predicate_has_the_same_value_if_nothing_changes_that_it_reads(seed: int) -> None:
    rng = random.Random(f"predicates {seed}")
    generator = Predicates(rng)
    names = [f"P{number}" for number in range(12)]
    body = BOTH + HELPERS + "\n".join(f"{name} == {generator.predicate(rng.randrange(3))}" for name in names)
    text = f"{HEAD}{body}\nNext == ({generator.action()}) \\/ ({generator.action()})\n===="
    found = build(text, config=f"INIT Init\nNEXT Next\nINVARIANTS {' '.join(names)}").model
    with found.world.active():
        searchable = SpecificationModel(found, Evaluator(found.variables, Context(found.variables)))
        states = _some_states(searchable, rng)
        for formula, predicate in zip(found.invariants, searchable.invariants, strict=True):
            places = reads(formula.code.body, len(found.variables))
            for state in rng.sample(states, min(12, len(states))):
                _compare_predicate(predicate.holds, places, state, rng.choice(states))


def _compare_predicate(holds: Callable[[Any], bool], places: Places, state: Any, other: Any) -> None:
    before = _outcome(holds, state)
    for place in slots(state):
        if not any(read.may_touch(place) for read in places):
            assert _outcome(holds, changed(state, place, content(other, place))) == before, place


def _outcome(holds: Callable[[Any], bool], state: Any) -> bool | None:
    try:
        return holds(state)
    except EvaluationError:
        return None


PREDICATES = [
    ('g["a"].term < x', "g.a.term x"),
    ("\\A n \\in Node : g[n].term < f[n]", "f[*] g[*].term"),
    ("\\A n \\in Node : \\A m \\in Node : g[n].log = g[m].log", "g[*].log"),
    ('[one |-> x, two |-> y].one = Len(g["b"].log)', "g.b.log x y"),  # y has no part in the value, but may have none
    ('[n \\in Node |-> f[n]]["a"] = 0', "f[*]"),
    ("DOMAIN g = Node", "g"),
    ("ENABLED (x' = 1 /\\ UNCHANGED <<y, f, g, msgs>>)", "f g msgs x y"),
    ('LET F(n) == f[n] IN F("a") = F("b")', "f.a f.b"),
]


@pytest.mark.parametrize(("formula", "expected"), PREDICATES)
def test_the_reads_of_a_predicate(formula: str, expected: str) -> None:
    text = f"{HEAD}Right == {formula}\nNext == UNCHANGED vars\n===="
    found = build(text, config="INIT Init\nNEXT Next\nINVARIANT Right").model
    with found.world.active():
        places = reads(found.invariants[0].code.body, len(found.variables))
        assert " ".join(sorted(each.text(found.variables) for each in places)) == expected
