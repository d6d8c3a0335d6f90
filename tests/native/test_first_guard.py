"""Guards inside of definitions that are evaluated before the loops around them: nothing of it can be seen."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gristmill
from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options

PARAMETERS = ("a", "b", "c", "d")


def module(guards: list[str], lets: str = "", around: str = "Act(a, b, c, d)", more: str = "") -> str:
    conjuncts = "\n  ".join(f"/\\ {guard}" for guard in guards)
    return rf"""---- MODULE Guards ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
A == 0..3
B == {{"p", "q", "r"}}
C == {{1, 5}}
D == {{<<1, 2>>, <<2, 1>>, <<3, 3>>}}
Init == x = 0 /\ y = [p |-> 0, q |-> 1, r |-> 2]
Way(n) == \E k \in 0..n : k >= x - 2
Plus(n, m) == n + m
{more}
Act(a, b, c, d) ==
  {lets}
  {conjuncts}
  /\ x' = (x + a + c) % 7
  /\ y' = [y EXCEPT ![b] = (@ + d[1]) % 3]
Next == \E a \in A, b \in B, c \in C, d \in D : {around}
Small == x < 6 \/ y.p < 2
===="""


def agree(text: str, **options: object) -> gristmill.Result:
    found = [
        gristmill.check(text, config="INIT Init NEXT Next", deadlock=False, engine=engine, **options)  # type: ignore[arg-type]
        for engine in ("python", "native")
    ]
    for name in ("verdict", "property", "message", "distinct", "generated", "depth", "queue"):
        assert getattr(found[0], name) == getattr(found[1], name), (name, text)
    traces = [[step.state for step in each.trace or ()] for each in found]
    assert traces[0] == traces[1], text
    return found[1]


@pytest.mark.parametrize(
    ("guards", "lets"),
    [
        (["a < x"], ""),
        (["y[b] = a", "a # 2"], ""),
        (["IF big THEN Way(a) ELSE y[b] = 0", "c = 1"], "LET big == a > x twice == 2 * d[2] IN"),
        (["sum(a) < 5", "Way(2)"], "LET sum(n) == n + x IN"),
        (["f[a] > 1"], "LET f == [n \\in A |-> n + x] IN"),
        (["x < 3"], ""),
        (["x < 3 \\/ y[b] = 1", "\\E k \\in 1..a : k + x < 5"], ""),
        (["TRUE"], ""),
        (["FALSE"], ""),
        (["d[1] < 3 => Way(x)", "a = x % 4"], "LET unused == 1 \\div 0 IN"),
    ],
)
def test_counts_and_traces(guards: list[str], lets: str) -> None:
    assert agree(module(guards, lets), invariants=["Small"]).engine == "native"
    agree(module(guards, lets))


@pytest.mark.parametrize(
    "guards",
    [["10 \\div (x - a) # 3"], ["x < 3", "y[b] \\in {10 \\div (3 - a)}"], ["a + b > 0"], ["a < 2 \\/ b = 1"]],
)
def test_what_fails_fails_in_the_same_place(guards: list[str]) -> None:
    agree(module(guards))


def test_where_the_quantifier_is_not_all_there_is() -> None:
    agree(module(["a = x % 4"], around="(Act(a, b, c, d) \\/ (x > 5 /\\ x' = 0 /\\ y' = y))"))
    agree(module(["n = x % 4"], "LET n == Plus(a, 0) IN", around="x < 5 /\\ Act(a, b, 3 - c, d)"))
    agree(
        module(
            ["a = x % 4", "ENABLED Other"],
            more="Other == \\E a \\in A, c \\in C : Go(a, c)\nGo(a, c) == a > x /\\ x' = c /\\ y' = y",
        )
    )


def test_it_is_done(tmp_path: Path) -> None:
    path = tmp_path / "Guards.tla"
    path.write_text(module(["IF a > x THEN Way(a) ELSE y[b] = 0"], "LET z == c IN"))
    built = build(path, config="INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert check(built.model, Options(engine="native", emit_c=tmp_path)).verdict == "ok"
    assert "memset(f + " in (tmp_path / "Guards.c").read_text()


def a_guard(choose: random.Random) -> str:
    """About some of the parameters, the state, and names of LET."""
    number = choose.choice(["a", "c", "d[1]", "y[b]", "x", "n", "m", "Plus(a, n)", "Len(d)"])
    other = choose.choice(["a", "x", "2", "m", "d[2]", "y[b] + 1", "Cardinality({a, c})"])
    test = f"{number} {choose.choice(['<', '=', '#', '>='])} {other}"
    match choose.randrange(7):
        case 0:
            return f"(IF {test} THEN Way({choose.choice(['a', '2'])}) ELSE x # a)"
        case 1:
            return f'({test} \\/ b = "q")'
        case 2:
            return f"(\\E k \\in {{1, 2}} : k # {other} /\\ {test})"
        case 3:
            return f"(c = 5 => {test})"
        case 4:
            return f"{number} \\div {other} < 2"
    return f"({test})"


@pytest.mark.parametrize("seed", range(24))
def test_random_guards(seed: int) -> None:
    choose = random.Random(seed)
    values = [choose.choice(["a", "x + 1", "a + x", "c", "y[b]", "d[1] + a", "Cardinality({x, a})"]) for _ in range(2)]
    guards = [a_guard(choose) for _ in range(choose.randint(1, 3))]
    agree(module(guards, f"LET n == {values[0]} m == n + {values[1]} IN"), invariants=choose.choice([[], ["Small"]]))
