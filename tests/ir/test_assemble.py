"""From specifications and configurations to models: what stands for what. Counts are TLC's."""

from pathlib import Path

import pytest

import gristmill


def run(module: str, config: str, **options: object) -> gristmill.Result:
    text = f"---- MODULE M ----\n{module}\n====\n"
    return gristmill.check(text, config=f"{config}\n" if config else None, output=lambda line: None, **options)  # type: ignore[arg-type]


COUNTER = """
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
"""


@pytest.mark.parametrize(
    "specification",
    [
        "S == Init /\\ [][Next]_x",
        "S == /\\ (Init)\n     /\\ ([][Next]_x)\n     /\\ WF_x(Next)",
        "S == LET I == Init IN I /\\ [][Next]_x",
        "Id(F) == F\nS == Id(Init /\\ [][Next]_x)",
        "S == LET Id(F) == F IN Id(Spec)",
        "Both == Init /\\ [][Next]_x\nS == Both",
        "Id(F) == F\nGive(Op(_)) == Op(Spec)\nS == Give(Id)",
    ],
)
def test_a_specification_is_taken_apart(specification: str) -> None:
    result = run(COUNTER + specification, "SPECIFICATION S\nCHECK_DEADLOCK FALSE")
    assert (result.verdict, result.distinct, result.generated, result.depth) == ("ok", 4, 4, 4)


PARAMETRISED = """
EXTENDS Naturals
---- MODULE Ring ----
EXTENDS Naturals
CONSTANT size
VARIABLE at
Init == at = 0
Next == at' = (at + 1) % size
Spec == Init /\\ [][Next]_at
====
VARIABLE at
R(size) == INSTANCE Ring
S == R(5)!Spec
Small == at < 5
"""


def test_a_specification_through_a_parametrised_instance() -> None:
    result = run(PARAMETRISED, "SPECIFICATION S\nINVARIANT Small")
    assert (result.verdict, result.distinct, result.depth) == ("ok", 5, 5)


def test_a_property_through_a_parametrised_instance() -> None:
    ring = PARAMETRISED + "\nOther == R(4)!Spec"
    result = run(ring, "SPECIFICATION S\nPROPERTY Other")
    assert (result.verdict, result.property) == ("property", "Other")


def test_unchanged_looks_through_what_an_instance_substitutes() -> None:
    module = """
    EXTENDS Naturals
    ---- MODULE Stutter ----
    VARIABLE vars
    Skip == UNCHANGED vars
    ====
    VARIABLES x, y
    vars == <<x, y>>
    T == INSTANCE Stutter
    Init == x = 0 /\\ y = 0
    Next == T!Skip \\/ (x' = 1 - x /\\ y' = y)
    """
    result = run(module, "INIT Init\nNEXT Next")
    assert (result.verdict, result.distinct, result.generated) == ("ok", 2, 5)


def test_an_operator_that_primes_its_parameter() -> None:
    module = COUNTER + "Up(v, n) == v' = v + n\nStep == x < 3 /\\ Up(x, 1)"
    result = run(module, "INIT Init\nNEXT Step\nCHECK_DEADLOCK FALSE")
    assert (result.verdict, result.distinct) == ("ok", 4)


def test_a_replacement_may_speak_of_what_it_replaces() -> None:
    module = COUNTER + "More == x < 5 /\\ x' = x + 1"
    result = run(module, "SPECIFICATION Spec\nCONSTANT Next <- More\nCHECK_DEADLOCK FALSE")
    assert result.distinct == 6


BASE = """
EXTENDS Naturals
---- MODULE Base ----
EXTENDS Naturals
VARIABLE x
Limit == 3
Next == x < Limit /\\ x' = x + 1
====
VARIABLE x
B == INSTANCE Base
Limit == 3
Lower == 1
Init == x = 0
Next == B!Next
"""


def test_a_replacement_in_the_root_leaves_instances_alone() -> None:
    result = run(BASE, "INIT Init\nNEXT Next\nCONSTANT Limit <- Lower\nCHECK_DEADLOCK FALSE")
    assert result.distinct == 4


def test_substitution_goes_before_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "A.tla").write_text("---- MODULE A ----\nCONSTANT c\nValue == c\n====\n")
    root = tmp_path / "M.tla"
    root.write_text(
        "---- MODULE M ----\nEXTENDS A\nI == INSTANCE A WITH c <- 42\n"
        "ASSUME I!Value = 42 /\\ c = 1 /\\ Value = 1\n====\n"
    )
    assert gristmill.check(root, constants={"c": 1}).verdict == "ok"


@pytest.mark.parametrize(
    ("module", "config", "id"),
    [
        ("CONSTANT N", "", "constant-without-value"),
        ("CONSTANT Op(_)", "", "constant-without-value"),
        ("CONSTANT C\nVARIABLE x\nFoo == x", "CONSTANT C <- Foo", "replacement-not-constant"),
        ("VARIABLE x", "", "nothing-to-check"),
        (COUNTER, "INIT Init", "nothing-to-check"),
        (COUNTER, "SPECIFICATION Init", "incomplete-specification"),
        (COUNTER + "S == Spec /\\ [](x < 9)", "SPECIFICATION S", "not-a-specification"),
        (COUNTER, "SPECIFICATION Spec\nINVARIANT Next", "wrong-level"),
        (COUNTER, "SPECIFICATION Spec\nINVARIANT Typo", "unknown-operator"),
        (COUNTER, "SPECIFICATION Spec\nCONSTANT Next <- Typo", "unknown-constant"),
    ],
)
def test_what_does_not_fit_together_is_refused(module: str, config: str, id: str) -> None:
    result = run(module, config)
    assert result.verdict == "error"
    assert id in [diagnostic.id for diagnostic in result.diagnostics]


def test_a_trivially_false_specification_is_an_error() -> None:
    result = run(COUNTER + "S == Spec /\\ 1 > 2", "SPECIFICATION S")
    assert (result.verdict, result.diagnostics[0].id) == ("error", "trivially-false")


def test_axioms_are_for_provers() -> None:
    assert run("AXIOM \\A f : f[0] = 1\nASSUME TRUE", "").verdict == "ok"
    assert run("ASSUME FALSE", "").verdict == "assumption"


def test_what_must_be_possible() -> None:
    module = COUNTER + "Two == x = 2\nJump == x' > x + 1"
    config = "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n_POSSIBLE "
    assert run(module, config + "Two").verdict == "ok"
    assert run(module, config + "Jump").verdict == "postcondition"


def test_a_constant_of_plus_cal_needs_no_value() -> None:
    module = "CONSTANT defaultInitValue\nVARIABLE x\nInit == x = defaultInitValue\nNext == x' = x"
    assert run(module, "INIT Init\nNEXT Next").distinct == 1


def test_paths_into_the_middle_of_definitions() -> None:
    module = """
    EXTENDS Naturals
    Op(Arg(_), p) == LET a ++ b == Arg(a) + b IN {lab(z) :: z + (p ++ 1) : z \\in {1}}
    Twice(n) == 2 * n
    ASSUME Op(Twice, 3)!lab(10) = 17
    Sum(S) == \\A i \\in S : i > 0
    ASSUME Sum({1})!(5)!<< = 5
    """
    result = run(module, "")
    assert result.verdict == "ok", result


def test_actions_are_named_after_their_definitions() -> None:
    module = COUNTER + "Up == x' = x + 1\nDown == x' = x - 1\nWalk == (x < 2 /\\ Up) \\/ (x > 0 /\\ Down)"
    result = run(module + "\nMove == Walk", "INIT Init\nNEXT Move")
    assert {row.name for row in result.coverage if not row.initial} == {"Up", "Down"}
