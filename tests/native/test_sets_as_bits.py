"""Sets in states that are held as bits: the same answers as from sets that are listed, and as from the reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import gristmill
from gristmill.native.plan.layout import LEAF, Bits, Parts, layouts, widened, widths
from gristmill.native.plan.universes import sharing, universes, with_bits
from gristmill.values import Fn, ModelValue, Value

HEAD = r"""---- MODULE Sets ----
EXTENDS Integers, Sequences, FiniteSets, TLC
Nodes == {"a", "b", "c"}
Message == [from : Nodes, body : 0..1] \cup [to : Nodes]
VARIABLES msgs, acks, held, n
vars == <<msgs, acks, held, n>>
Init == /\ msgs = {[from |-> "a", body |-> 0]} /\ acks = [x \in Nodes |-> {}]
        /\ held = [of |-> {"a"}, or |-> {}] /\ n = 0
TypeOK == /\ msgs \subseteq Message /\ acks \in [Nodes -> SUBSET Nodes]
          /\ held \in [of : SUBSET Nodes, or : SUBSET (0..3)]
"""


def compared(text: str, config: str, workers: tuple[int, ...] = (1, 2)) -> gristmill.Result:
    """What the reference evaluator says, after native code has said the same."""
    expected = gristmill.check(text, config=config, deadlock=False, engine="python")
    for count in workers:
        found = gristmill.check(text, config=config, deadlock=False, engine="native", workers=count)
        mine = (found.verdict, found.property, found.distinct, found.generated, found.depth)
        if expected.verdict == "ok":
            assert mine == ("ok", None, expected.distinct, expected.generated, expected.depth), text
        else:
            assert mine[0] == expected.verdict, text
    return expected


# --- random specifications -------------------------------------------------------------------------------------------


class RandomSets:
    """Expressions of three sorts: sets of nodes, sets of messages, tests."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"sets {seed}")

    def nodes(self, depth: int) -> str:
        choice = self.rng.randrange(11 if depth else 6)
        if choice < 6:
            simple = ("acks[x]", 'acks["b"]', "held.of", '{x, "c"}', "Nodes", "{}")
            return simple[choice]
        a, b = self.nodes(depth - 1), self.nodes(depth - 1)
        operator = self.rng.choice(("\\cup", "\\cap", "\\"))
        return {
            6: f"({a} {operator} {b})",
            7: f"({a} {operator} {b})",
            8: f"{{y \\in {a} : {self.test(depth - 1)}}}",
            9: f"(IF {self.test(depth - 1)} THEN {a} ELSE {b})",
            10: f'{{m.to : m \\in {{m \\in {self.messages(depth - 1)} : DOMAIN m = {{"to"}}}}}}',
        }[choice]

    def messages(self, depth: int) -> str:
        choice = self.rng.randrange(7 if depth else 3)
        if choice < 3:
            return ("msgs", "{[from |-> x, body |-> n % 2]}", "{[to |-> x]}")[choice]
        a, b = self.messages(depth - 1), self.messages(depth - 1)
        operator = self.rng.choice(("\\cup", "\\cap", "\\"))
        return {
            3: f"({a} {operator} {b})",
            4: f'{{m \\in {a} : "to" \\in DOMAIN m /\\ m.to \\in {self.nodes(depth - 1)}}}',
            5: f'{{m \\in {a} : "from" \\in DOMAIN m => {self.test(depth - 1)}}}',
            6: f"(LET got == {a} IN IF got = {{}} THEN {b} ELSE got)",
        }[choice]

    def test(self, depth: int) -> str:
        choice = self.rng.randrange(9)
        return {
            0: lambda: f"x \\in {self.nodes(depth)}",
            1: lambda: f"{self.nodes(depth)} = {self.nodes(depth)}",
            2: lambda: f"{self.nodes(depth)} \\subseteq {self.nodes(depth)}",
            3: lambda: f"Cardinality({self.messages(depth)}) < {self.rng.randrange(1, 4)}",
            4: lambda: f'\\E m \\in {self.messages(depth)} : DOMAIN m = {{"to"}} /\\ m.to = x',
            5: lambda: f"\\A z \\in {self.nodes(depth)} : z # x \\/ n > 1",
            6: lambda: f"[to |-> x] \\in {self.messages(depth)}",
            7: lambda: f"{self.messages(depth)} # {{}}",
            8: lambda: f"(CHOOSE z \\in {self.nodes(depth)} \\cup {{x}} : TRUE) = x",
        }[choice]()

    def action(self) -> str:
        message = f"\\E m \\in {self.messages(1)} : {self.test(0)} /\\ msgs' = msgs \\ {{m}}"
        changed = self.rng.choice((f"msgs' = {self.messages(2)}", message, "msgs' = msgs \\cup {[to |-> x]}"))
        acks = self.rng.choice(
            (
                f"acks' = [acks EXCEPT ![x] = @ \\cup {self.nodes(1)}]",
                f"acks' = [acks EXCEPT ![x] = {self.nodes(2)}, !.a = @ \\ {{x}}]",
                f"acks' = [acks EXCEPT ![x] = @ \\ {{y \\in Nodes : {self.test(0)}}}, !.c = {{x}} \\cup @]",
                f"acks' = [acks EXCEPT ![x] = (@ \\cup {{z : z \\in {self.nodes(0)}}}) \\cap @]",
                f"acks' = [y \\in Nodes |-> {self.nodes(1)}]",
                "UNCHANGED acks",
            )
        )
        held = self.rng.choice(
            (
                f"held' = [held EXCEPT !.of = {self.nodes(1)}]",
                f"held' = [of |-> {self.nodes(1)}, or |-> {{n}}]",
                "held' = [held EXCEPT !.or = @ \\cup {n}]",
            )
        )
        return f"  \\/ /\\ {self.test(1)}\n     /\\ {changed}\n     /\\ {acks}\n     /\\ {held}"

    def text(self) -> str:
        actions = "\n".join(self.action() for _ in range(3))
        invariant = f"Odd == \\A x \\in Nodes : ({self.test(1)}) => ({self.test(1)} \\/ n < 4)"
        step = f"Next == \\E x \\in Nodes : n < 3 /\\ n' = n + 1 /\\ (\n{actions})"
        return f"{HEAD}{step}\n{invariant}\n===="


@pytest.mark.parametrize("seed", range(24))
def test_random_expressions(seed: int) -> None:
    compared(RandomSets(seed).text(), "INIT Init NEXT Next INVARIANTS TypeOK Odd", workers=(1,))


# --- what does not fit -----------------------------------------------------------------------------------------------


def test_a_universe_that_becomes_too_large_is_given_up() -> None:
    text = r"""---- MODULE Many ----
EXTENDS Integers
VARIABLES s, n
Init == s = {0} /\ n = 0
Next == n < 900 /\ n' = n + 1 /\ s' = (s \cup {n * 7}) \ {(n - 3) * 7}
===="""
    result = compared(text, "INIT Init NEXT Next")
    assert (result.verdict, result.distinct) == ("ok", 901)


@pytest.mark.parametrize("late", ["3", '"x"', "<<1>>"])
def test_elements_that_cannot_be_compared_are_an_error_as_ever(late: str) -> None:
    text = f"""---- MODULE Mixed ----
EXTENDS Integers
VARIABLES s, n
Init == s = {{1}} /\\ n = 0
Next == n < 60 /\\ n' = n + 1 /\\ s' = IF n = 50 THEN s \\cup {{{late}}} ELSE s \\cup {{n % 5}}
===="""
    assert compared(text, "INIT Init NEXT Next").verdict == ("ok" if late == "3" else "error")


def test_asking_for_what_cannot_be_compared_is_an_error() -> None:
    text = r"""---- MODULE Asked ----
EXTENDS Integers
VARIABLES s, n
Init == s = {} /\ n = 0
Next == n < 60 /\ n' = n + 1 /\ s' = s \cup {n % 5}
Fine == n = 0 => "x" \notin s
Wrong == n = 50 => "x" \notin s
===="""
    assert compared(text, "INIT Init NEXT Next INVARIANT Fine").verdict == "ok"
    assert compared(text, "INIT Init NEXT Next INVARIANT Wrong").verdict == "error"


def test_a_variable_that_stops_to_be_a_set() -> None:
    text = r"""---- MODULE Other ----
EXTENDS Integers
VARIABLES s, n
Init == s = {1} /\ n = 0
Next == n < 300 /\ n' = n + 1 /\ s' = IF n = 200 THEN <<>> ELSE {n % 7}
===="""
    assert compared(text, "INIT Init NEXT Next").distinct == 301


def test_elements_come_in_their_order(capfd: pytest.CaptureFixture[str]) -> None:
    """They get their numbers in another one."""
    text = r"""---- MODULE Order ----
EXTENDS Integers, TLC
VARIABLES s, n
Init == s = {9} /\ n = 0
Next == n < 6 /\ n' = n + 1 /\ s' = s \cup {8 - n} /\ \E x \in s : x % 2 = n % 2 /\ PrintT(x)
===="""
    printed = []
    for engine in ("python", "native"):
        gristmill.check(text, config="INIT Init NEXT Next", deadlock=False, engine=engine)
        printed.append(capfd.readouterr().out)
    assert printed[0] == printed[1]


# --- layouts ---------------------------------------------------------------------------------------------------------


def test_sets_with_common_elements_share_a_universe() -> None:
    states: list[tuple[Value, ...]] = [
        (frozenset({1}), frozenset({1, 2}), frozenset({"m"}), 0),
        (frozenset(), frozenset({3}), frozenset(), 1),
    ]
    found = with_bits(layouts(states, 4), states, frozenset())
    assert found[0] == found[1] != found[2]
    assert found[3] == LEAF
    assert sharing(found, 0) == {0, 1}
    assert sharing(found, 3) == frozenset()
    assert [variable for _, variable in universes(found)] == [0, 2]
    assert with_bits(layouts(states, 4), states, frozenset({0, 1}))[:2] == (LEAF, LEAF)


def test_few_sets_are_dense_numbers_and_many_are_bits() -> None:
    few: list[tuple[Value, ...]] = [(Fn({"a": frozenset({each % 3}), "b": 1}),) for each in range(50)]
    found = with_bits(layouts(few, 1), few, frozenset())
    assert isinstance(found[0], Parts)
    assert isinstance(found[0].children[0], Bits)
    assert widths(few, found) == (2, 1)
    assert widened([60_000, 3], [2, 1], 2, found) == [8, 1]
    many: list[tuple[Value, ...]] = [(frozenset(range(each % 70)),) for each in range(200)]
    (wide,) = with_bits(layouts(many, 1), many, frozenset())
    assert isinstance(wide, Bits)
    assert wide.words > 1
    assert set(widths(many, (wide,))) == {8}


def test_a_set_of_too_many_elements_is_a_value() -> None:
    states: list[tuple[Value, ...]] = [(frozenset({each}),) for each in range(600)]
    assert with_bits(layouts(states, 1), states, frozenset()) == (LEAF,)


def test_a_function_looks_the_same_everywhere_and_a_record_need_not() -> None:
    states: list[tuple[Value, ...]] = [
        (Fn({"a": frozenset({1}), "b": frozenset()}), Fn({"of": frozenset({1}), "or": frozenset({"x"})})),
        (Fn({"a": frozenset({2}), "b": frozenset()}), Fn({"of": frozenset({1}), "or": frozenset()})),
    ]
    function, record = with_bits(layouts(states, 2), states, frozenset())
    assert isinstance(function, Parts)
    assert isinstance(function.child, Bits)
    assert isinstance(record, Parts)
    assert record.children[0] == function.child != record.children[1]


TYPED = """---- MODULE Typed ----
CONSTANTS p_1, q_1, one, two
VARIABLES seen, last
Init == seen = {} /\\ last = p_1
Next == \\E each \\in {one, two} : seen' = seen \\cup {each} /\\ last' = IF each \\in seen THEN q_1 ELSE p_1
====
"""


def test_names_are_bits_also_where_some_have_types() -> None:
    """They fit, so that C is compiled once."""
    config = "INIT Init NEXT Next CONSTANTS p_1 = p_1 q_1 = q_1 one = one two = two"
    found = gristmill.check(TYPED, config=config, engine="native", profile=True)
    assert (found.verdict, found.distinct) == ("ok", gristmill.check(TYPED, config=config, engine="python").distinct)
    assert found.profile is not None
    assert found.profile.layouts == 1
    names: list[tuple[Value, ...]] = [(frozenset({ModelValue("one")}), frozenset({1}))]
    first, second = with_bits(layouts(names, 2), names, frozenset())
    assert isinstance(first, Bits)
    assert isinstance(second, Bits)


SAVED = """---- MODULE Saved ----
EXTENDS Integers
VARIABLES s, n
Init == s = {[of |-> 0]} /\\ n = 0
Next == n < 40 /\\ n' = n + 1
        /\\ \\E x \\in 1..3 : s' = (s \\cup {[of |-> (n % 11) + x]}) \\ {[of |-> (n % 11) + x - 2]}
===="""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_saved_and_taken_up_again(tmp_path: Path, workers: str) -> None:
    """A search that is ended by its limit after it was saved goes on with the bits that it had."""
    (tmp_path / "Saved.tla").write_text(SAVED)
    own = [sys.executable, "-m", "gristmill.cli", "check", "Saved.tla", "--init", "Init", "--next", "Next"]
    own += ["--no-deadlock", "--engine", "native", "--format", "json"]

    def run(*options: str) -> tuple[object, ...]:
        done = subprocess.run([*own, *options], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        found = json.loads(done.stdout)
        return found["verdict"], found["distinct"], found["generated"], found["depth"]

    saving = ("--checkpoint", "saved", "--checkpoint-minutes", "0.00001", "--workers", workers)
    whole = run()
    assert whole[0] == "ok"
    assert run("--depth", "20", *saving)[1] < whole[1]  # type: ignore[operator]
    assert run("--resume", *saving) == whole
