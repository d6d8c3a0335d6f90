"""What is said of a behaviour that violates a temporal property: on the terminal, in JSON, in ITF."""

import pytest
from test_json_report import SCHEMA, violations_of_schema

import gristmill
from gristmill.report.json import result_document
from gristmill.trace.itf import itf_document

LIFT = r"""
---- MODULE Lift ----
EXTENDS Integers
VARIABLE floor
Init == floor = 1
Up == floor < 3 /\ floor' = floor + 1
Down == floor > 1 /\ floor' = floor - 1
Next == Up \/ Down
Spec == Init /\ [][Next]_floor
Fair == Spec /\ WF_floor(Next) /\ \A f \in 1..2 : WF_floor(Up /\ floor = f)
Everywhere == \A f \in 1..3 : []<>(floor = f)
Beyond == floor = 2 ~> floor = 4
Settles == <>[](floor = 1)
Both == []<>(floor = 2) /\ []<>(floor = 3)
StrongDown == SF_floor(Down /\ floor = 3)
====
"""


def lift(specification: str, name: str) -> gristmill.Result:
    return gristmill.check(LIFT, specification=specification, properties=[name])


def said(result: gristmill.Result, heading: str) -> list[str]:
    """The lines below a heading."""
    lines = iter(str(result).splitlines())
    found = []
    for line in lines:
        if line.startswith(heading):
            found = [line]
        elif found and not line:
            break
        elif found:
            found.append(line)
    return found[1:]


def test_who_may_stop_is_told_what_could_have_happened() -> None:
    result = lift("Spec", "Everywhere")
    assert said(result, "Why Everywhere is false of this behaviour") == [
        r"  FALSE  \A f \in 1..3 : []<>(floor = f)",
        "    for f = 2",
        "    FALSE  []<>(floor = f)",
        "      FALSE  floor = f   (not any more)",
    ]
    assert said(result, "What could have happened instead: the specification demands no fairness") == [
        "  in state 1  Up  <text>:6"
    ]


def test_a_loop_tells_how_it_is_fair() -> None:
    result = lift("Fair", "Everywhere")
    assert said(result, "Why this behaviour is fair") == [
        "  WF_floor(Next)                      taken in states 1 and 2",
        r"  WF_floor(Up /\ floor = f)  (f = 1)  taken in state 1",
        r"  WF_floor(Up /\ floor = f)  (f = 2)  not possible in state 1",
    ]
    assert said(result, "What could have happened instead") == ["  in state 2  Up  <text>:6"]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "Beyond",
            [
                "  FALSE  floor = 2 ~> floor = 4",
                "    TRUE   floor = 2   (in state 2)",
                "    FALSE  floor = 4   (never in the loop)",
            ],
        ),
        ("Settles", ["  FALSE  <>[](floor = 1)", "    FALSE  floor = 1   (in state 2)"]),
        ("Both", ["  FALSE  []<>(floor = 3)", "    FALSE  floor = 3   (never in the loop)"]),
    ],
)
def test_the_conjunct_and_the_states_that_decide(name: str, lines: list[str]) -> None:
    assert said(lift("Fair", name), f"Why {name} is false") == lines


def test_fairness_that_is_not_met() -> None:
    text = LIFT.replace("StrongDown ==", "Unfair == SF_floor(Up /\\ floor = 2)\nStrongDown ==")
    result = gristmill.check(text, specification="Fair", properties=["Unfair"])
    assert said(result, "Why Unfair") == [
        r"  FALSE  SF_floor(Up /\ floor = 2)   (enabled in state 2, and never taken there)"
    ]


def test_json() -> None:
    result = lift("Fair", "Everywhere")
    document = result_document(result)
    assert list(violations_of_schema(document, SCHEMA)) == []
    assert (document["loop_start"], document["stuttering"]) == (1, False)
    assert [(each["kind"], each["taken"], each["disabled"]) for each in document["fairness"]] == [
        ("WF", [1, 2], []),
        ("WF", [1], [2]),
        ("WF", [], [1]),
    ]
    assert document["fairness"][2]["bindings"] == {"f": "2"}
    assert [(each["state"], each["action"]) for each in document["alternatives"]] == [(2, "Up")]
    assert document["violations"][0]["fairness"] == document["fairness"]


def test_itf_marks_the_loop() -> None:
    loops = lift("Fair", "Everywhere").trace
    stops = lift("Spec", "Everywhere").trace
    assert loops is not None
    assert stops is not None
    assert itf_document(loops)["loop"] == 0
    assert itf_document(stops)["loop"] == 0
    assert len(itf_document(stops)["states"]) == 1


# --- refinement ---------------------------------------------------------------------------------------------------

REFINEMENT = r"""
---- MODULE Impl ----
EXTENDS Integers
---- MODULE Abstract ----
VARIABLES x, seen
Step == x' = x + 1 /\ seen' = seen
Spec == x = 0 /\ [][Step]_x /\ WF_x(Step)
Starts == x = 1
====
VARIABLES n, big
Init == n = 0 /\ big = {}
Inc == n < 5 /\ n' = n + 1 /\ big' = big \cup {n}
Spec == Init /\ [][Inc]_<<n, big>>
A == INSTANCE Abstract WITH x <- n \div 2, seen <- {i * 100 : i \in big}
B(k) == INSTANCE Abstract WITH x <- n * k, seen <- big
Same == A!Spec
====
"""


def refined(**options: object) -> gristmill.Result:
    return gristmill.check(REFINEMENT, specification="Spec", deadlock=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"refines": ["A"]}, {"refines": ["A!Spec"]}, {"properties": ["Same"]}])
def test_a_step_that_is_none_of_the_abstraction(options: dict[str, object]) -> None:
    result = refined(**options)
    assert (result.verdict, result.exit_code) == ("property", 13)
    name = result.property
    assert said(result, f"The step as {name} sees it") == ["   * x    = 0    ->  1", "   * seen = {0}  ->  {0, 100}"]
    document = result_document(result)
    assert list(violations_of_schema(document, SCHEMA)) == []
    assert document["mapped"][1] == {"variable": "seen", "before": "{0}", "after": "{0, 100}"}


def test_an_initial_state_that_is_none_of_the_abstraction() -> None:
    result = refined(refines=["A!Starts"])
    assert said(result, "The state as A!Starts sees it") == ["     x    = 0", "     seen = {}"]


def test_what_cannot_be_refined_is_told() -> None:
    for name in ("B", "C", "Impl"):
        result = refined(refines=[name])
        assert (result.verdict, len(result.diagnostics)) == ("error", 1)


def test_of_an_algorithm_fairness_is_asked_for_in_the_algorithm() -> None:
    algorithm = "--algorithm A variables x = 0; process P = 1 begin a: x := 1; b: x := 2; end process; end algorithm;"
    module = f"---- MODULE A ----\nEXTENDS Integers\n(* {algorithm} *)\nEnds == <>(x = 2)\n====\n"
    result = gristmill.check(module, specification="Spec", properties=["Ends"], output=lambda line: None)
    assert "`fair` before `process`" in said(result, "Which fairness would exclude")[-1]
    assert "fair`" not in str(lift("Spec", "Everywhere"))
