"""Model values that have a type: what the reference evaluator refuses to compare, native code must not answer."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from differential import Difference
from native_expressions import Expressions

import gristmill
from gristmill.native.plan.layout import LEAF, layouts
from gristmill.search import State
from gristmill.values import ModelValue, make_function, make_record

MODULE = """---- MODULE Typed ----
EXTENDS Integers, Sequences, FiniteSets, TLC, FiniteSetsExt, SequencesExt, Functions
CONSTANTS As, Bs, Us, a, b, u
VARIABLES x, y, z, f, r, s
Init == x = a /\\ y = b /\\ z = u /\\ f = [i \\in As |-> y] /\\ r = [k |-> a, m |-> 0] /\\ s = {{a}}
Next == UNCHANGED <<x, y, z, f, r, s>>
{definitions}
====
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS As = {A_1, A_2}\nBs = {B_1, B_2}\nUs = {u1, u2}\na = A_1\nb = B_1\nu = u1\n"
ATOMS = ["x", "y", "z", "a", "b", "u", "f[a]", "f[x]", "r.k", "1", '"A_1"', "TRUE"]
SHAPES = ["{0}", "{{{0}}}", "{{a, {0}}}", "<<{0}>>", "<<1, {0}>>", "[k |-> {0}, m |-> 0]", "[i \\in As |-> {0}]"]
SHAPES += [
    "({0} :> 1)",
    "{{<<{0}>>}}",
    "SUBSET {{{0}}}",
    "[As -> {{{0}}}]",
    "({{{0}}} \\X {{{0}}})",
    "f",
    "r",
    "s",
    "As",
    "Bs",
    "Us",
]
OPERATORS = [
    *("{0} = {1}", "{0} # {1}", "{0} \\in {{{1}}}", "{0} \\in {{{1}, {1}}}", "{0} \\notin {{a, {1}}}"),
    *("{{{0}, {1}}}", "{{{0}}} \\subseteq {{{1}}}", "{{{0}}} \\cup {{{1}}}", "{{{0}}} \\cap {{{1}}}"),
    *(
        "{0} \\in {1}",
        "{0} \\subseteq {1}",
        "{0} \\cup {1}",
        "{0} \\ {1}",
        "UNION {{{{{0}}}, {{{1}}}}}",
        "{{{0}}} \\ {{{1}}}",
    ),
    *("CHOOSE e \\in {{{0}}} : e # {1}", "\\E e \\in As : e = {0} \\/ e = {1}", "\\A e \\in {{{0}}} : e # {1}"),
    *("{0} \\in Bs", "{0} \\in As", "{0} \\in Us", "{0} \\in SUBSET Bs", "{0} \\in [As -> Bs]", "{0} \\in [As -> As]"),
    *("{0} \\in Seq(Bs)", "{0} \\in [k : Bs, m : {{0}}]", "{0} \\in As \\cup Bs", "({0} :> 1) @@ ({1} :> 2)"),
    *("[f EXCEPT ![{0}] = {1}]", "f[{0}] = {1}", "{{e \\in As : e # {0}}}", "Cardinality({{<<{0}>>, <<{1}>>}})"),
    *("CASE {0} = {1} -> 1 [] OTHER -> 2", "IF {0} = {1} THEN 1 ELSE 2"),
    "{{<<e, {0}>> : e \\in As}} = {{<<e, {1}>> : e \\in As}}",
    *("Contains(<<{0}>>, {1})", "IsInjective(<<{0}, {1}>>)", "SelectSeq(<<{0}>>, LAMBDA e : e = {1})"),
    "Len(<<{0}>>) = {1}",
]


def states() -> list[State]:
    a, b = (tuple(ModelValue(f"{letter}_{n}") for n in (1, 2)) for letter in "AB")
    u = tuple(ModelValue(f"u{n}") for n in (1, 2))

    def state(n: int, m: int) -> State:
        on_a = make_function(zip(a, (b[n], b[m]), strict=True))
        return (a[n], b[m], u[n], on_a, make_record({"k": a[m], "m": 0}), frozenset(a[: n + 1]))

    return [state(n, m) for n, m in product((0, 1), (0, 1))]


def _random_texts(rng: Random, count: int) -> list[str]:
    def operand() -> str:
        return rng.choice(SHAPES if rng.random() < 0.5 else SHAPES[:1]).format(rng.choice(ATOMS))

    return [rng.choice(OPERATORS).format(operand(), operand()) for _ in range(count)]


def differences(texts: list[str], cut: bool, seen: Counter[str]) -> list[str]:
    names = [f"E{number}" for number in range(len(texts))]
    definitions = "\n".join(f"{name} == {text}" for name, text in zip(names, texts, strict=True))
    how = (lambda: layouts(states(), 6)) if cut else (LEAF,) * 6
    both = Expressions(MODULE.format(definitions=definitions), CONFIG, names, how)
    found = []
    for (number, text), state in product(enumerate(texts), states()):
        expected, native = both.reference(number, state), both.natively(number, state)
        seen["refused" if expected.value is None else "failed" if native.value is None else "answered"] += 1
        if native.value is not None and native.value != expected.value:
            found.append(str(Difference(text, str(state), expected.reason or repr(expected.value), repr(native.value))))
    both.close()
    return found


@pytest.mark.parametrize("seed", range(4))
def test_never_an_answer_where_the_reference_evaluator_refuses(seed: int) -> None:
    seen: Counter[str] = Counter()
    found = differences(_random_texts(Random(seed), 150), seed % 2 == 0, seen)
    assert not found, "\n".join(found)
    assert min(seen["refused"], seen["answered"]) > 80
    assert seen["failed"] < 0.3 * seen["answered"]  # which is allowed, and slow


SPECIFICATION = """---- MODULE Steps ----
EXTENDS Integers
CONSTANTS As, Bs, As1, Bs1
VARIABLES n, x, y, g
Init == n = 0 /\\ x \\in As /\\ y \\in Bs /\\ g = [i \\in As |-> y]
Step == {step}
Next == n < 30 /\\ n' = n + 1 /\\ Step
Other == {other}
====
"""
STEPS_CONFIG = """INIT Init NEXT Next INVARIANT Other CHECK_DEADLOCK FALSE
CONSTANTS As = {A_1, A_2} Bs = {B_1, B_2} As1 = A_1 Bs1 = B_3
"""
KEEP = "UNCHANGED <<x, y, g>>"
STEPS = {
    "equality with a primed variable": ("y' \\in Bs /\\ x' \\in As /\\ g' = g /\\ (n < 25 \\/ x' # y')", "TRUE"),
    "a primed variable in another set": ("UNCHANGED <<y, g>> /\\ x' = x /\\ (n < 25 \\/ x' \\in Bs)", "TRUE"),
    "an assigned variable": ("UNCHANGED <<y, g>> /\\ x' \\in As /\\ (n < 25 \\/ x' \\in {y})", "TRUE"),
    "of values written out": (KEEP, "n < 25 \\/ \\A i \\in Bs : x # i"),
    "of a value in a function": (KEEP, "n < 25 \\/ \\E i \\in As : g[i] # i"),
    "in a set that is made": (KEEP, "n < 25 \\/ {x, y} # {}"),
    "of the first of a set": (KEEP, "n < 25 \\/ (CHOOSE i \\in As : TRUE) # y"),
    "of elements with sets": (KEEP, "n < 25 \\/ ~({x} \\subseteq Bs)"),
    "of a constant that nothing else has": (KEEP, "n < 25 \\/ x # Bs1"),
}


@pytest.mark.parametrize("name", STEPS)
def test_of_states(name: str) -> None:
    step, other = STEPS[name]
    text = SPECIFICATION.format(step=step, other=other)
    expected = _verdict(text, STEPS_CONFIG, engine="python")
    assert expected[0] == "error"
    assert expected[2] is not None
    assert expected[2] > 20
    for workers in (1, 2):
        assert _verdict(text, STEPS_CONFIG, engine="native", workers=workers) == expected


def _verdict(text: str, config: str, **how: Any) -> tuple[str, str | None, int | None]:
    result = gristmill.check(text, config=config, **how)
    return result.verdict, result.property, None if result.trace is None else len(result.trace)


LATE = """---- MODULE Late ----
EXTENDS Integers, Sequences, TLCExt, TLC
CONSTANTS As
VARIABLES n, x
Init == n = 0 /\\ x \\in As
Next == n < 40 /\\ n' = n + 1 /\\ x' = IF n = 30 THEN TLCModelValue("B_" \\o ToString(n)) ELSE x
Different == n < 35 \\/ \\A i \\in As : x # i
====
"""


def test_a_type_that_appears_in_the_middle_of_a_run() -> None:
    config = "INIT Init\nNEXT Next\nINVARIANT Different\nCONSTANT As = {A_1, A_2}\nCHECK_DEADLOCK FALSE\n"
    expected = _verdict(LATE, config, engine="python")
    assert expected == ("error", "Different", 36)
    for workers in (1, 2):
        assert _verdict(LATE, config, engine="native", workers=workers) == expected
