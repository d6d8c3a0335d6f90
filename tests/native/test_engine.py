"""The native engine from outside: when it is used, what it makes of odd models, and that both engines say the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gristmill

EXAMPLES = Path(__file__).parents[2] / "examples"


def module(body: str, extends: str = "Integers, Sequences, FiniteSets, TLC") -> str:
    return f"---- MODULE Test ----\nEXTENDS {extends}\n{body}\n===="


def both(body: str, **options: object) -> tuple[gristmill.Result, gristmill.Result]:
    """The results of the two engines on the same text."""
    found = [
        gristmill.check(module(body), config="INIT Init NEXT Next", engine=engine, output=lambda text: None, **options)  # type: ignore[arg-type]
        for engine in ("python", "native")
    ]
    return found[0], found[1]


def agree(python: gristmill.Result, native: gristmill.Result) -> None:
    for name in ("verdict", "property", "message", "distinct", "generated", "depth", "queue"):
        assert getattr(python, name) == getattr(native, name), name
    assert [step.state for step in python.trace or ()] == [step.state for step in native.trace or ()]


@pytest.mark.parametrize("name", ["DieHard", "TwoPhase", "Clock"])
@pytest.mark.parametrize("workers", [1, 2])
def test_examples(name: str, workers: int) -> None:
    python = gristmill.check(EXAMPLES / f"{name}.tla", engine="python")
    native = gristmill.check(EXAMPLES / f"{name}.tla", engine="native", workers=workers)
    assert native.engine == "native"
    agree(python, native)


def test_small_models_are_finished_before_anything_is_compiled() -> None:
    assert gristmill.check(EXAMPLES / "DieHard.tla").engine == "python"


def test_strings_of_a_specification_are_no_c(tmp_path: Path) -> None:
    hostile = r'"*/ } \" \\ \n %s ; #include <x> ??/ \t"'
    python, native = both(
        f'VARIABLE s\nInit == s = {hostile}\nNext == s\' = IF s = {hostile} THEN "/* {{ " ELSE {hostile}'
    )
    assert native.engine == "native"
    agree(python, native)


def test_generated_c_can_be_read(tmp_path: Path) -> None:
    from gristmill.building import build
    from gristmill.checking.engines import check
    from gristmill.checking.options import Options

    built = build(EXAMPLES / "TwoPhase.tla")
    assert check(built.model, Options(engine="native", emit_c=tmp_path)).verdict == "ok"
    assert "gm_generated" in (tmp_path / "TwoPhase.c").read_text()


def test_without_a_compiler_the_reference_evaluator_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setitem(__import__("sys").modules, "ziglang", None)
    result = gristmill.check(EXAMPLES / "TwoPhase.tla", engine="native")
    assert (result.verdict, result.engine, result.distinct) == ("ok", "python", 288)
    assert any(each.id == "native-engine" for each in result.diagnostics)


# --- states that do not look as the first ones did -------------------------------------------------------------------


def test_a_sequence_that_changes_its_length() -> None:
    """It looks like a function on 1..2 for as long as anybody samples."""
    agree(
        *both(
            "VARIABLES n, s\nInit == n = 0 /\\ s = <<0, 0>>\n"
            "Next == n < 60000 /\\ n' = n + 1 /\\ s' = IF n < 59990 THEN <<n % 7, 0>> ELSE Append(s, n % 3)",
            deadlock=False,
        )
    )


def test_more_values_than_a_byte_or_two_can_tell() -> None:
    python, native = both("VARIABLE n\nInit == n = 0\nNext == n < 70000 /\\ n' = n + 1", deadlock=False)
    assert native.engine == "native"
    agree(python, native)


def test_integers_do_not_wrap() -> None:
    """Beyond 61 bits the reference evaluator takes over."""
    python, native = both("VARIABLE n\nInit == n = 1\nNext == n < 2^70 /\\ n' = 4 * n", deadlock=False)
    agree(python, native)
    assert python.distinct == 36


# --- errors are the reference evaluator's ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        "n' = <<1, 2>>[n]",
        "n' = IF n = 3 THEN Head(<<>>) ELSE n + 1",
        "n' = CHOOSE x \\in {1, 2} : x = n + 1",
        'n < 3 /\\ n\' = n + 1 /\\ Assert(n < 2, "too large")',
        'n\' = IF n = "a" THEN 1 ELSE 2',
        "n' = n + 1 /\\ n < 5 /\\ n' < {}",
        "(n < 3 /\\ n' = n + 1) \\/ (n = 2 /\\ TRUE)",
        "n' = CASE n = 0 -> 1 [] n = 1 -> 2",
    ],
)
def test_errors_say_the_same(step: str) -> None:
    python, native = both(f"VARIABLE n\nInit == n = 0\nNext == {step}")
    assert python.verdict in ("error", "assert")
    agree(python, native)
    assert [each.message for each in python.diagnostics] == [
        each.message for each in native.diagnostics if each.id != "native-engine"
    ]


def test_an_error_that_is_never_evaluated_is_none() -> None:
    python, native = both(
        "VARIABLE n\nF(x, y) == IF x < 3 THEN x ELSE y\nInit == n = 0\n"
        "Next == n < 3 /\\ n' = LET unused == Head(<<>>) IN F(n, 1 \\div 0) + 1",
        deadlock=False,
    )
    assert python.verdict == "ok"
    agree(python, native)


# --- counts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        "\\E i \\in 1..2 : TRUE /\\ n < 4 /\\ n' = n + 1",  # a witness that changes nothing counts
        "n < 4 /\\ (\\A i \\in 1..2 : TRUE \\/ i = 1) /\\ n' = n + 1",  # so does each way to satisfy a disjunction
        "n < 4 /\\ n' = n + 1 /\\ (TRUE \\/ n = 0)",  # but not behind the last assignment
        "n' \\in {0, 1} \\cup (0..n) /\\ n < 4",
        "n < 4 /\\ LET f[i \\in 0..4] == IF i = 0 THEN TRUE \\/ n = 0 ELSE f[i - 1] IN f[n] /\\ n' = n + 1",
        "UNCHANGED n \\/ (n < 4 /\\ n' = n + 1)",
    ],
)
def test_every_witness_counts(step: str) -> None:
    python, native = both(f"VARIABLE n\nInit == n \\in 0..1\nNext == {step}", deadlock=False)
    assert native.engine == "native"
    agree(python, native)


def test_temporal_properties() -> None:
    body = (
        "VARIABLES n, up\nvars == <<n, up>>\nInit == n = 0 /\\ up = TRUE\n"
        "Up == up /\\ n < 5 /\\ n' = n + 1 /\\ UNCHANGED up\nTurn == up' = ~up /\\ UNCHANGED n\n"
        "Down == ~up /\\ n > 0 /\\ n' = n - 1 /\\ UNCHANGED up\nNext == Up \\/ Turn \\/ Down\n"
        "Weak == Init /\\ [][Next]_vars /\\ WF_vars(Up)\n"
        "Strong == Init /\\ [][Next]_vars /\\ SF_vars(Up) /\\ SF_vars(Down)\n"
        "Top == <>(n = 5)\nAgain == []<>(up)\nMoves == n = 5 ~> n = 4"
    )
    for specification in ("Weak", "Strong"):
        for name in ("Top", "Again", "Moves"):
            config = f"SPECIFICATION {specification} PROPERTY {name}"
            python, native = (
                gristmill.check(module(body), config=config + "\n", engine=engine, deadlock=False)  # type: ignore[arg-type]
                for engine in ("python", "native")
            )
            assert native.engine == "native"
            assert (python.verdict, python.property, python.distinct) == (
                native.verdict,
                native.property,
                native.distinct,
            )


def test_what_has_effects_is_evaluated_once() -> None:
    """Both engines explore the first states; a register or an output must not notice."""
    body = (
        "VARIABLE n\nInit == n = 0 /\\ TLCSet(1, 0)\nNext == n < 50 /\\ n' = n + 1 /\\ TLCSet(1, TLCGet(1) + 1)\n"
        "Post == TLCGet(1) = 50"
    )
    for engine in ("auto", "native"):
        result = gristmill.check(
            module(body),
            config="INIT Init NEXT Next POSTCONDITION Post",
            engine=engine,  # type: ignore[arg-type]
            deadlock=False,
        )
        assert (result.verdict, result.engine) == ("ok", "python" if engine == "auto" else "native")


def test_states_between_composed_actions_are_counted_once() -> None:
    python, native = both(
        r"""VARIABLES x, y
Init == x = 0 /\ y = 0
A == x < 30 /\ x' = x + 1 /\ y' = y
B == y < 30 /\ y' = y + 1 /\ x' = x
Next == A \cdot B \/ A \/ B""",
        deadlock=False,
    )
    agree(python, native)


@pytest.mark.parametrize(
    ("names", "is_native"),
    [
        ("more == k + 1 twice == 2 * more", True),
        ("more == IF k = 1 THEN k + 1 ELSE 3 twice == Twice(more)", True),
        ("more == x + k twice == 2 * more", False),
        ("more == k + 1 twice == more + Cardinality({x, y})", False),
        ("more == k + 1 twice == Twice(x) + more", False),
        ("more == k + 1 twice == IF x' = x THEN 4 ELSE 5", False),
    ],
)
def test_names_around_composed_actions(names: str, is_native: bool) -> None:
    """A name of LET that is the same in every state may stand around \\cdot; of another one each state has its own."""
    python, native = both(
        rf"""VARIABLES x, y
Init == x = 0 /\ y = 0
Twice(n) == n + n
A(n) == x + n < 30 /\ x' = x + n /\ y' = y
B(n) == y + n < 40 /\ y' = y + n /\ x' = x
Both(i) == \E k \in {{1, i}} :
    LET {names} IN \/ A(more) \cdot B(twice)
                   \/ A(k) \cdot (B(k) \cdot A(twice))
                   \/ A(more)
Next == \E i \in {{1, 2}} : Both(i)""",
        deadlock=False,
        profile=True,
    )
    agree(python, native)
    assert native.profile is not None
    assert all(part.native for part in native.profile.parts if part.kind == "action") == is_native


def test_what_is_asked_of_the_search_is_no_obstacle() -> None:
    body = r"""VARIABLE x
Steps == TLCGet("config").mode
ASSUME TLCGet("config").mode = "bfs"
Init == x = 0
Next == x' = (x + 1) % 50"""
    python, native = both(body)
    assert native.engine == "native"
    agree(python, native)
    for more in ('Here == TLCGet("level") < 100', 'Here == Steps = "bfs"'):
        python, native = both(f"{body}\n{more}", invariants=["Here"])
        assert native.engine == "native"
        agree(python, native)


def test_definitions_of_a_let_that_are_part_of_an_action() -> None:
    """They are solved where they stand: each way to satisfy one is a step of its own. The numbers are TLC's."""
    body = r"""VARIABLES x, y, z
Init == x = 1 /\ y = 1 /\ z = 0
Count == LET one == x = 1 \/ y = 1 IN one /\ z < 5 /\ z' = z + 1 /\ UNCHANGED <<x, y>>
Flip == LET one == x = 1 \/ y = 1
            flip == x' = 1 - x
            may == flip \/ UNCHANGED x
            some == \E k \in {1, 2} : k > 0
        IN z < 5 /\ (IF one THEN may ELSE UNCHANGED x) /\ some /\ (IF some THEN y' = y ELSE FALSE) /\ z' = z
Next == Count \/ Flip"""
    python, native = both(body, deadlock=False)
    assert (python.distinct, python.generated) == (12, 56)
    assert native.engine == "native"
    agree(python, native)


def test_a_definition_of_a_let_that_is_only_a_value_is_evaluated_once() -> None:
    """However often it is used: each of these uses the one before twice."""
    chain = "\n".join(f"            a{n} == (a{n - 1} \\/ x > {n}) /\\ (x < 99 \\/ ~a{n - 1})" for n in range(1, 24))
    body = f"""VARIABLES x
Init == x = 0
Next == LET a0 == \\E k \\in 1..3 : k > x
{chain}
        IN x < 9 /\\ x' = IF a23 THEN x + 1 ELSE x + 2"""
    python, native = both(body, deadlock=False)
    assert native.engine == "native"
    agree(python, native)


def test_a_let_of_an_action_that_calls_something_recursive() -> None:
    """Looking into it ends, however many calls there are."""
    body = r"""VARIABLE x
RECURSIVE Least(_)
Least(s) == IF Len(s) < 4 THEN Len(s) ELSE IF s[1] = 0 THEN Least(Tail(s))
            ELSE IF s[1] = 1 THEN Least(Tail(s)) ELSE IF s[1] = 2 THEN Least(Tail(s)) ELSE Least(Tail(s))
Init == x = 0
Next == LET least == Least(<<0, 1, 2, 3, x>>) IN x < 3 /\ x' = x + (least - 2)"""
    python, native = both(body, deadlock=False)
    assert python.distinct == 4
    agree(python, native)


WALKERS = r"""CONSTANT P
VARIABLES last, pos, votes, n
vars == <<last, pos, votes, n>>
Init == last \in P /\ pos = [p \in P |-> 0] /\ votes = {} /\ n = 0
Move(p) == pos[p] < 2 /\ pos' = [pos EXCEPT ![p] = @ + 1] /\ last' = p /\ n' = n + 1 /\ UNCHANGED votes
Vote(p, q) == /\ p # q /\ Cardinality(votes) < 3 /\ votes' = votes \cup {<<p, q>>}
              /\ last' = q /\ n' = (n * 2) % 5 /\ UNCHANGED pos
Next == \E p \in P : Move(p) \/ \E q \in P : Vote(p, q)
Spec == Init /\ [][Next]_vars
View1 == <<pos, votes>>
View2 == <<votes, last>>
View3 == [a |-> pos, b |-> n]
Alike == Permutations(P)"""


@pytest.mark.parametrize(
    ("view", "people", "distinct", "generated"),
    [("View1", 3, 347, 1771), ("View2", 3, 122, 726), ("View2", 4, 1063, 6908), ("View3", 4, 116, 1665)],
)
def test_the_view_of_representatives(view: str, people: int, distinct: int, generated: int) -> None:
    """How many there are depends on which state of an orbit is its representative. These are TLC's numbers."""
    given = {"P": {gristmill.ModelValue("pqrs"[number]) for number in range(people)}}
    python, native = both(WALKERS, view=view, symmetry="Alike", constants=given, deadlock=False)
    assert (python.distinct, python.generated) == (distinct, generated)
    assert native.engine == "native"
    agree(python, native)


def test_the_time_limit_told_is_the_one_given() -> None:
    """The engine is given what is left of it when it has been compiled."""
    module = "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\nNext == n' = n + 1\n====\n"
    for engine in ("native", "auto", "python"):
        result = gristmill.check(module, engine=engine, seconds=1.5)  # type: ignore[arg-type]
        assert (result.verdict, result.message) == ("incomplete", "The time limit of 1.5 s was reached")


def test_a_search_closes_no_file_that_it_has_not_opened() -> None:
    """Regions that a search does not need were closed like the others, and with them file 0."""
    model = "---- MODULE M ----\nEXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n===="
    program = f"import os, gristmill\ngristmill.check({model!r}, engine='native')\nprint(os.fstat(0).st_size)"
    done = subprocess.run([sys.executable, "-c", program], input="seven..", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
