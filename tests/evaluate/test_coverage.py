"""What was never evaluated, and what holds only because it speaks of nothing."""

from checking import model_of, run

from gristmill.evaluate import Evaluator
from gristmill.explain.vacuity import Antecedents, vacuous
from gristmill.reference.model import SpecificationModel
from gristmill.report.terminal import render_result
from gristmill.search.caveats import patience
from gristmill.search.statistics import never_evaluated

PROGRAM = r"""
EXTENDS Naturals
VARIABLES x, msgs
Init == x = 0 /\ msgs = {}
Up == /\ x < 3
      /\ x' = x + 1
      /\ IF x > 10 THEN msgs' = {x} ELSE UNCHANGED msgs
Down == /\ x > 7
        /\ x' = x - 1
        /\ msgs' = {}
Reset == x = 3 /\ x' = 0 /\ UNCHANGED msgs
Next == Up \/ Down \/ Reset
High(n) == n > 5
Implication == High(x) => x < 7
Conjunction == /\ x \in Nat
               /\ \A m \in msgs : m > 0
               /\ \A i \in 1..3 : i = x => (x = 5 => i = 7)
Fine == \A i \in 1..3 : x = i => x < 4
Lets == LET y == x + 1 IN y > 9 => FALSE
"""
CONFIG = "INIT Init NEXT Next INVARIANTS "


def caveats(invariant: str) -> list[str]:
    return [each for each in run(PROGRAM, CONFIG + invariant).caveats if "vacuous" in each]


def test_an_antecedent_that_is_never_true() -> None:
    assert caveats("Implication") == ["Implication is vacuous: High(x) was false in all 4 states (Test.tla:15)."]
    assert caveats("Lets") == ["Lets is vacuous: y > 9 was false in all 4 states (Test.tla:20)."]


def test_parts_of_an_invariant() -> None:
    assert caveats("Conjunction") == [
        "A part of Conjunction is vacuous: msgs was empty in all 4 states (Test.tla:17).",
        "A part of Conjunction is vacuous: x = 5 was false in all 4 states (Test.tla:18).",
    ]


def test_what_happens_is_not_vacuous() -> None:
    assert caveats("Fine") == []


def test_it_does_not_take_for_ever() -> None:
    model = model_of(PROGRAM, CONFIG + "Implication")
    evaluator = Evaluator(model.variables)
    states = list(SpecificationModel(model, evaluator).initial_states()) * 10
    assert list(vacuous(Antecedents(evaluator, model.invariants), states, seconds=-1)) == [
        "Whether High(x) in Implication was ever true has not been found out: it would have taken too long."
    ]


def test_never_evaluated() -> None:
    result = run(PROGRAM, CONFIG + "Implication Conjunction", expression_coverage=True)
    assert [row.text for row in never_evaluated(result.expressions)] == [
        "msgs' = {x}",
        "x' = x - 1",
        "x < 7",
        "m > 0",
        "i = 7",
    ]
    counts = {row.text: row.count for row in result.expressions}
    assert counts["x < 3"] == 4
    assert counts["x' = x + 1"] == 3
    assert (
        "Never evaluated\n  Test.tla:8   msgs' = {x}\n  Test.tla:10  x' = x - 1\n  Test.tla:15  x < 7\n"
    ) in render_result(result)


def test_counting_changes_nothing_else() -> None:
    counted, plain = (run(PROGRAM, CONFIG + "Fine", expression_coverage=each) for each in (True, False))
    assert plain.expressions == ()
    assert (counted.distinct, counted.generated, counted.depth) == (plain.distinct, plain.generated, plain.depth)


def test_everything_was_evaluated() -> None:
    program = "VARIABLE x\nInit == x = TRUE\nNext == IF x THEN x' = FALSE ELSE x' = TRUE"
    result = run(program, "INIT Init NEXT Next", expression_coverage=True)
    assert "Every part of the formulas was evaluated." in render_result(result)


STEPS = r"""
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x < 3 /\ x' = x + 1 /\ y' = y
Falls == [][x' < x => y' = 0]_x
Grows == [][x' > x => y' = 0]_x
Other == [][x' > x => y' = 0]_y
Each == [][/\ x' = x + 1
           /\ \A i \in 5..6 : x' = i => FALSE]_<<x, y>>
"""


def step_caveats(name: str) -> list[str]:
    config = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE PROPERTY {name}"
    return [each for each in run(STEPS, config).caveats if "vacuous" in each]


def test_vacuous_properties_of_steps() -> None:
    assert step_caveats("Falls") == [
        "Falls is vacuous: x' < x was false in every step that changes the subscript (Test.tla:7)."
    ]
    assert step_caveats("Grows") == []
    assert step_caveats("Other") == [
        "Other is vacuous: x' > x was false in every step that changes the subscript (Test.tla:9)."
    ]
    assert step_caveats("Each") == [
        "A part of Each is vacuous: x' = i was false in every step that changes the subscript (Test.tla:11)."
    ]


def test_one_that_is_never_true_does_not_take_the_time_of_others() -> None:
    model = model_of(PROGRAM, CONFIG + "Implication Fine")
    evaluator = Evaluator(model.variables)
    states = [(2, frozenset())] * 10
    (told,) = vacuous(Antecedents(evaluator, model.invariants), states, seconds=-1)
    assert told.startswith("Whether High(x) in Implication was ever true")


def test_how_long_to_look() -> None:
    assert 0.5 <= patience(0.01, None) <= 1.5
    assert patience(1.0, None) < patience(10.0, None) < patience(100.0, None) <= 3.0
    assert patience(4.5, 5.0) == 0.5
    assert patience(5.5, 5.0) == 0.2


def remarks(program: str, config: str = "INIT Init NEXT Next") -> list[str]:
    return list(run(program, config).caveats)[-2:]


def test_which_guard_keeps_an_action_from_ever_being_possible() -> None:
    assert remarks(PROGRAM) == [
        "Never possible: Down.",
        "Down: x > 7 was false in all 4 states (Test.tla:9).",
    ]


def test_the_last_guard_that_an_action_came_to() -> None:
    """`x = 2` is true of one state, and there `msgs # {}` is what is missing."""
    program = r"""
EXTENDS Naturals
VARIABLES x, msgs
Init == x = 0 /\ msgs = {}
Up == x < 3 /\ x' = x + 1 /\ UNCHANGED msgs
Take(m) == /\ x = 2
           /\ m \in msgs
           /\ msgs' = msgs \ {m}
           /\ UNCHANGED x
Stay == x = 3 /\ UNCHANGED <<x, msgs>>
Next == Up \/ Stay \/ \E m \in 1..2 : Take(m)
"""
    assert remarks(program) == [
        "Never possible: Take.",
        "Take came furthest in 1 of 4 states, where m \\in msgs was false (Test.tla:8).",
    ]


def test_an_action_that_has_nothing_to_choose_from() -> None:
    program = r"""
EXTENDS Naturals
VARIABLES x, msgs
Init == x = 0 /\ msgs = {}
Up == x' = (x + 1) % 3 /\ UNCHANGED msgs
Take == \E m \in msgs : msgs' = msgs \ {m} /\ UNCHANGED x
Next == Up \/ Take
"""
    assert remarks(program)[-1] == "Take: there was nothing to choose in \\E m \\in msgs in all 3 states (Test.tla:7)."
