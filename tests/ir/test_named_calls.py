"""Actions are found behind INSTANCE, operators that are given as arguments, LET, CASE, and beside UNCHANGED."""

from pathlib import Path

import pytest

import gristmill
from gristmill.building import build
from gristmill.ir.model import Action
from gristmill.ir.printer import print_node

CELL = """---- MODULE Cell ----
EXTENDS Naturals
CONSTANT Max
VARIABLE v
Set(n) == v < n /\\ v' = n
Reset == v = Max /\\ v' = 0
Next == (\\E n \\in 1..Max : Set(n)) \\/ Reset
====
"""
HEAD = """---- MODULE M ----
EXTENDS Naturals
CONSTANTS S, None
VARIABLES x, y, z
vars == <<x, y, z>>
One == INSTANCE Cell WITH v <- x, Max <- 2
Up(Max) == INSTANCE Cell WITH v <- y
A(n) == x < n /\\ x' = n
B(n) == x = n /\\ x' = 0
Tick == z' = (z + 1) % 3
Init == x = 0 /\\ y = 0 /\\ z = 0
"""
CONFIG = "INIT Init\nNEXT Next\nCONSTANTS S = {1, 2}\nNone = None\nCHECK_DEADLOCK FALSE\n"


def told(action: Action) -> str:
    given = [
        name if domain is None else f"{name} \\in {print_node(domain)}"
        for (name, _), domain in zip(action.parameters, action.domains, strict=True)
    ]
    return f"{action.module}: {action.name}({', '.join(given)})"


# What follows HEAD; the actions; distinct states, generated states, and depth, as TLC counts them.
CASES = {
    "beside UNCHANGED": (
        "Next == \\E s \\in S : A(s) /\\ UNCHANGED <<y, z>>",
        ["M: A(n \\in {1, 2})"],
        (3, 4, 2),
    ),
    "beside a guard and UNCHANGED": (
        "Next == \\E s, t \\in S : (s # t /\\ B(s) /\\ UNCHANGED <<y, z>>) \\/ (A(t) /\\ y' = y /\\ z' = z)",
        ["M: B(n \\in {1, 2})", "M: A(n \\in {1, 2})"],
        (3, 9, 2),
    ),
    "beside a smaller change": (
        "Both(n) == A(n) /\\ y' = n\nNext == \\E s \\in S : Both(s) /\\ Tick",
        ["M: Both(n \\in {1, 2})"],
        (4, 4, 3),
    ),
    "in a LET": (
        "Next == \\E s \\in S : LET t == 3 - s IN t > 0 /\\ A(t) /\\ UNCHANGED <<y, z>>",
        ["M: A(n)"],
        (3, 4, 2),
    ),
    "of a LET": (
        "Next == LET Step(n) == A(n) /\\ y' = n\n            Again == x > 0 /\\ x' = 0 /\\ y' = 0\n"
        "        IN /\\ (\\E s \\in S : Step(s)) \\/ Again\n           /\\ UNCHANGED z",
        ["M: Step(n \\in {1, 2})", "M: Again()"],
        (3, 6, 2),
    ),
    "through an INSTANCE": (
        "Next == One!Next /\\ UNCHANGED <<y, z>>",
        ["Cell: One!Set(n \\in 1 .. 2)", "Cell: One!Reset()"],
        (3, 5, 2),
    ),
    "through an INSTANCE with parameters": (
        "Next == /\\ \\/ \\E m \\in S : Up(m)!Set(1) \\/ Up(m)!Reset\n"
        "           \\/ Up(3)!Next\n"
        "        /\\ UNCHANGED <<x, z>>",
        [
            "Cell: Up!Set(Max \\in {1, 2}, n)",
            "Cell: Up!Reset(Max \\in {1, 2})",
            "Cell: Up!Set(Max, n \\in 1 .. 3)",
            "Cell: Up!Reset(Max)",
        ],
        (4, 12, 2),
    ),
    "an operator as an argument": (
        "Framed(Act(_), n) == Act(n) /\\ UNCHANGED <<y, z>>\nNext == \\E s \\in S : Framed(A, s) \\/ Framed(B, s)",
        ["M: A(n \\in {1, 2})", "M: B(n \\in {1, 2})"],
        (3, 6, 2),
    ),
    "an operator of an INSTANCE as an argument": (
        "Framed(Act(_), n) == Act(n) /\\ UNCHANGED <<y, z>>\nNext == \\E s \\in S : Framed(One!Set, s)",
        ["Cell: One!Set(n \\in {1, 2})"],
        (3, 4, 2),
    ),
    "a LAMBDA as an argument": (
        "Some(Act(_)) == (\\E s \\in S : Act(s)) /\\ UNCHANGED <<y, z>>\nNext == Some(LAMBDA n : A(n) \\/ B(n))",
        ["M: A(n \\in {1, 2})", "M: B(n \\in {1, 2})"],
        (3, 6, 2),
    ),
    "a CASE without OTHER": (
        "Do(n) == CASE x < n -> A(n) [] x >= n -> B(n)\nNext == (\\E s \\in S : Do(s)) /\\ UNCHANGED <<y, z>>",
        ["M: A(n \\in {1, 2})", "M: B(n \\in {1, 2})"],
        (3, 6, 2),
    ),
    "parts of an action are none": (
        "Do(n) == \\/ x > 0 /\\ B(n) /\\ UNCHANGED y\n         \\/ x = 0 /\\ A(n) /\\ y' = 1\n"
        "Next == \\E s \\in S : Do(s) /\\ UNCHANGED z",
        ["M: Do(n \\in {1, 2})", "M: Do(n \\in {1, 2})"],
        (4, 7, 3),
    ),
    "a relation of its own": (
        "XNext == \\E s \\in S : A(s)\nZNext == Tick\n"
        "Next == (XNext /\\ UNCHANGED <<y, z>>) \\/ (ZNext /\\ UNCHANGED <<x, y>>)",
        ["M: A(n \\in {1, 2})", "M: Tick()"],
        (9, 19, 4),
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Cell.tla").write_text(CELL)
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "M.tla"
    path.write_text(f"{HEAD}{text}\n====\n")
    return path


@pytest.mark.parametrize("case", CASES)
def test_names_parameters_and_counts(folder: Path, case: str) -> None:
    text, expected, counts = CASES[case]
    path = written(folder, text)
    model = build(path, config=CONFIG).model
    with model.world.active():
        assert [told(action) for action in model.actions] == expected
    for engine in ("python", "native"):
        result = gristmill.check(path, config=CONFIG, engine=engine)  # type: ignore[arg-type]
        assert (result.verdict, result.distinct, result.generated, result.depth) == ("ok", *counts), engine
        assert {row.name for row in result.coverage if not row.initial} == {action.name for action in model.actions}


def test_a_configured_replacement_has_its_own_name(folder: Path) -> None:
    text = "Larger(n) == A(n) /\\ y' = 1 /\\ UNCHANGED z\nOld(n) == A(n)\nNext == \\E s \\in S : Old(s)"
    model = build(written(folder, text), config=CONFIG + "CONSTANT Old <- Larger").model
    with model.world.active():
        assert [told(action) for action in model.actions] == ["M: Larger(n \\in {1, 2})"]


def test_fairness_of_an_action_behind_an_instance(folder: Path) -> None:
    """It is found among the actions by its definition, so each step is known to be one."""
    text = (
        "Next == One!Next /\\ UNCHANGED <<y, z>>\n"
        "Spec == Init /\\ [][Next]_vars /\\ WF_x(One!Next)\n"
        "Live == []<>(x = 0)"
    )
    config = "SPECIFICATION Spec\nCONSTANTS S = {1, 2}\nNone = None\nPROPERTY Live\n"
    result = gristmill.check(written(folder, text), config=config, engine="python")
    assert (result.verdict, result.distinct) == ("ok", 3)
