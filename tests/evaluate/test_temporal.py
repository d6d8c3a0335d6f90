"""Temporal properties of small specifications, from their text to the counterexample."""

from typing import Any

import pytest

import gristmill

COUNTER = r"""
---- MODULE Counter ----
EXTENDS Integers
VARIABLE n
Init == n = 0
Inc == n < 3 /\ n' = n + 1
Reset == n = 3 /\ n' = 0
Next == Inc \/ Reset
Spec == Init /\ [][Next]_n
FairSpec == Spec /\ WF_n(Next)
FairInc == Spec /\ WF_n(Inc)
%s
====
"""


def counter(formula: str, specification: str = "FairSpec", **options: Any) -> gristmill.Result:
    return gristmill.check(
        COUNTER % f"Property == {formula}", specification=specification, properties=["Property"], **options
    )


def values(result: gristmill.Result, name: str) -> list[Any]:
    return [state[name] for state in result]


# --- fairness ----------------------------------------------------------------------------------------------------


def test_without_fairness_a_system_may_stop() -> None:
    result = counter("<>(n = 3)", "Spec")
    assert (result.verdict, result.property, result.exit_code) == ("liveness", "Property", 13)
    assert result.trace is not None
    assert result.trace.stuttering
    assert values(result, "n") == [0]
    assert "Nothing happens any more" in str(result)


def test_with_weak_fairness_it_goes_on() -> None:
    assert counter("<>(n = 3)").ok
    assert counter(r"\A i \in 0..3 : []<>(n = i)").ok


def test_fairness_of_one_action_lets_it_stop_where_that_is_not_enabled() -> None:
    assert counter("<>(n = 3)", "FairInc").ok
    result = counter("[]<>(n = 0)", "FairInc")
    assert result.trace is not None
    assert result.trace.stuttering
    assert values(result, "n") == [0, 1, 2, 3]


def test_a_loop_says_where_it_begins() -> None:
    result = counter("<>[](n > 0)")
    assert result.verdict == "liveness"
    assert result.trace is not None
    assert (result.trace.loop_start, result.trace.stuttering) == (0, False)
    assert values(result, "n") == [0, 1, 2, 3]
    assert [step.action for step in result.trace] == [None, "Inc", "Inc", "Inc"]
    assert "Back to state 1 by Reset  <text>:" in str(result)


ELEVATOR = r"""
---- MODULE Lift ----
EXTENDS Integers
VARIABLE floor
Init == floor = 1
Up == floor < 3 /\ floor' = floor + 1
Down == floor > 1 /\ floor' = floor - 1
Next == Up \/ Down
Spec == Init /\ [][Next]_floor
Weak == Spec /\ WF_floor(Next)
WeakUp == Weak /\ WF_floor(Up)
StrongUp == Weak /\ SF_floor(Up)
EachFloor == Weak /\ \A f \in 1..2 : SF_floor(Up /\ floor = f)
Weakly == Weak /\ \A f \in 1..2 : WF_floor(Up /\ floor = f)
Top == []<>(floor = 3)
====
"""


@pytest.mark.parametrize(
    ("specification", "floors", "loop"),
    [("Spec", [1], None), ("Weak", [1, 2], 0), ("WeakUp", [1, 2], 0), ("StrongUp", [1, 2], 0), ("Weakly", [1, 2], 0)],
)
def test_a_lift_that_need_not_reach_the_top(specification: str, floors: list[int], loop: int | None) -> None:
    result = gristmill.check(ELEVATOR, specification=specification, properties=["Top"])
    assert result.verdict == "liveness"
    assert values(result, "floor") == floors
    assert result.trace is not None
    assert (result.trace.loop_start, result.trace.stuttering) == (loop, loop is None)


def test_a_lift_that_is_strongly_fair_at_each_floor_reaches_the_top() -> None:
    assert gristmill.check(ELEVATOR, specification="EachFloor", properties=["Top"]).ok


CHANNEL = r"""
---- MODULE Channel ----
EXTENDS Integers
VARIABLES sent, received, wire
vars == <<sent, received, wire>>
Init == sent = 0 /\ received = 0 /\ wire = {}
Send == wire' = {sent} /\ UNCHANGED <<sent, received>>
Lose == wire # {} /\ wire' = {} /\ UNCHANGED <<sent, received>>
Receive == \E bit \in wire : received' = 1 - bit /\ sent' = 1 - bit /\ wire' = {}
Next == Send \/ Lose \/ Receive
Spec == Init /\ [][Next]_vars
Weak == Spec /\ WF_vars(Send) /\ WF_vars(Receive)
Strong == Spec /\ WF_vars(Send) /\ SF_vars(Receive)
Delivered == \A bit \in {0, 1} : sent = bit ~> received # bit
Alternates == []<>(sent = 0) /\ []<>(sent = 1)
====
"""


@pytest.mark.parametrize("name", ["Alternates", "Delivered"])
def test_a_message_may_always_be_lost_unless_receiving_is_strongly_fair(name: str) -> None:
    result = gristmill.check(CHANNEL, specification="Weak", properties=[name])
    assert (result.verdict, result.property) == ("liveness", name)
    assert result.trace is not None
    assert result.trace.loop_start is not None
    assert not any(step.action == "Receive" for step in result.trace.steps[result.trace.loop_start + 1 :])
    assert gristmill.check(CHANNEL, specification="Strong", properties=["Alternates"]).ok


# --- formulas ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "formula",
    [
        "[]<><<Inc>>_n",
        "[]<><<Reset>>_n",
        "[](n = 1 => <>(n = 2 /\\ <>(n = 0)))",
        "n = 1 ~> n = 0",
        "<>[](n < 2) => <>[](n = 0)",
        "([]<>(n = 2)) <=> ([]<>(n = 1))",
        "~<>[](n = 2)",
        r"\A i, j \in 0..3 : n = i ~> n = j",
        r"\E i \in 0..3 : <>[](n # i) \/ []<>(n = i)",
        r"\A <<i, j>> \in {<<0, 1>>, <<2, 3>>} : n = i ~> n = j",
        "LET P == n = 2 Q == <>P IN []Q",
        r"LET Comes(i) == []<>(n = i) IN \A i \in 0..3 : Comes(i)",
        "LET Comes(i) == n = i IN Comes(1) ~> Comes(2)",
        "IF 1 = 1 THEN []<>(n = 2) ELSE <>[](n = 2)",
        "IF n = 0 THEN []<>(n = 2) ELSE <>[](n = 2)",
        r"\A S \in {} : []<>(n \in S)",
        "WF_n(Inc) /\\ SF_n(Reset)",
        "<>[][Next]_n",
        "[]<>(ENABLED <<Reset>>_n)",
    ],
)
def test_formulas_that_hold(formula: str) -> None:
    assert counter(formula).verdict == "ok"


@pytest.mark.parametrize(
    "formula",
    [
        "<>[][Inc]_n",
        "[](n = 1 => <>[](n # 1))",
        "n = 1 ~> [](n = 0)",
        "[]<>(n = 2) => <>[](n = 2)",
        r"\A i \in 0..4 : []<>(n = i)",
        r"\E i \in 0..3 : <>[](n = i)",
        r"LET Comes(i) == []<>(n = i) IN \A i \in 0..4 : Comes(i)",
        "IF n = 1 THEN []<>(n = 2) ELSE <>[](n = 2)",
        "<>FALSE",
        "SF_n(n = 1 /\\ n' = 2) => <>[](n = 1)",
    ],
)
def test_formulas_that_do_not(formula: str) -> None:
    assert counter(formula).verdict == "liveness"


OPERATORS = r"""
Ever(F) == []<>F
Both(F, G) == F /\ G
Leads(P(_), i, j) == P(i) ~> P(j)
Is(i) == n = i
Step(A) == []<><<A>>_n
Good == Both(Ever(n = 1), <>[]Ever(n = 2)) /\ Leads(Is, 1, 3) /\ Leads(LAMBDA i : n = i, 2, 0) /\ Step(Inc)
Bad == Both(Ever(n = 1), <>[]Ever(n = 4))
"""


def test_temporal_operators_with_parameters() -> None:
    assert gristmill.check(COUNTER % OPERATORS, specification="FairSpec", properties=["Good"]).ok
    result = gristmill.check(COUNTER % OPERATORS, specification="FairSpec", properties=["Good", "Bad"])
    assert (result.verdict, result.property) == ("liveness", "Bad")


def test_of_several_properties_the_failing_one_is_named() -> None:
    more = "First == []<>(n = 1)\nSecond == []<>(n = 4)"
    result = gristmill.check(COUNTER % more, specification="FairSpec", properties=["First", "Second"])
    assert (result.property, result.message) == ("Second", "Temporal property Second is violated")


REFINEMENT = r"""
---- MODULE Impl ----
EXTENDS Integers
VARIABLES n, extra
Init == n = 0 /\ extra = 0
Work == extra = 0 /\ extra' = 1 /\ UNCHANGED n
Tick == extra = 1 /\ n' = 1 - n /\ extra' = 0
Next == Work \/ Tick
vars == <<n, extra>>
Spec == Init /\ [][Next]_vars
Fair == Spec /\ WF_vars(Next)
---- MODULE Abstract ----
VARIABLE m
Flip == m' = 1 - m
ASpec == m = 0 /\ [][Flip]_m /\ WF_m(Flip)
====
A == INSTANCE Abstract WITH m <- n
Refines == A!ASpec
====
"""


def test_an_implementation_must_be_as_fair_as_what_it_implements() -> None:
    assert gristmill.check(REFINEMENT, specification="Fair", properties=["Refines"]).ok
    assert gristmill.check(REFINEMENT, specification="Spec", properties=["Refines"]).verdict == "liveness"


MAPPED = r"""
---- MODULE Mapped ----
EXTENDS Integers
VARIABLE n
Init == n = 0
Next == n < 4 /\ n' = n + 1
Spec == Init /\ [][Next]_n
Fair == Spec /\ WF_n(Next)
---- MODULE Abstract ----
VARIABLES m, k
Flip == m = FALSE /\ m' = TRUE /\ UNCHANGED k
ASpec == m = FALSE /\ [][Flip]_<<m, k>> /\ WF_<<m, k>>(Flip)
Able == [](m = FALSE => ENABLED Flip)
====
A == INSTANCE Abstract WITH m <- n >= 3, k <- 1
Refines == A!ASpec
Able == A!Able
====
"""


def test_enabled_through_an_instance_that_puts_an_expression_for_a_variable() -> None:
    """Whether Flip is enabled does not depend on how m' could come about from n'."""

    def verdict(specification: str, name: str) -> str:
        return gristmill.check(MAPPED, specification=specification, properties=[name], deadlock=False).verdict

    assert verdict("Fair", "Refines") == "ok"
    assert verdict("Spec", "Refines") == "liveness"
    assert verdict("Spec", "Able") == "ok"


# --- what a verdict rests on --------------------------------------------------------------------------------------


def test_a_deadlock_that_is_allowed_is_stuttering() -> None:
    text = COUNTER % "Stops == Init /\\ [][Inc]_n /\\ WF_n(Inc)\nEnd == <>[](n = 3)\nReturn == n = 3 ~> n = 0"
    assert gristmill.check(text, specification="Stops", properties=["End"], deadlock=False).ok
    result = gristmill.check(text, specification="Stops", properties=["Return"], deadlock=False)
    assert result.trace is not None
    assert result.trace.stuttering
    assert values(result, "n") == [0, 1, 2, 3]


def test_leading_from_what_never_happens_is_mentioned() -> None:
    result = counter("n = 7 ~> n = 2")
    assert result.ok
    assert any("n = 7 is never true" in caveat for caveat in result.caveats)


def test_constraints_are_mentioned() -> None:
    text = COUNTER % "Small == n < 3\nProperty == []<>(n = 0)"
    result = gristmill.check(text, specification="FairSpec", properties=["Property"], constraints=["Small"])
    assert any("within the constraints" in caveat for caveat in result.caveats)


def test_a_view_hides_nothing_from_temporal_properties() -> None:
    text = COUNTER % "View == n \\div 2\nNever == []<>(n = 4)\nOften == []<>(n = 3)"
    result = gristmill.check(text, specification="FairSpec", properties=["Never"], view="View")
    assert (result.verdict, result.property) == ("liveness", "Never")
    result = gristmill.check(text, specification="FairSpec", properties=["Often"], view="View")
    assert (result.verdict, result.distinct) == ("ok", 1)


TURNS = r"""
---- MODULE Turns ----
EXTENDS TLC
CONSTANT Proc
VARIABLE at
Symmetric == Permutations(Proc)
Init == at \in Proc
Next == \E p \in Proc : at' = p
Spec == Init /\ [][Next]_at /\ WF_at(Next)
Everyone == \A p \in Proc : []<>(at = p)
====
"""


def test_symmetry_does_not_hide_who_never_has_a_turn() -> None:
    procs = {gristmill.ModelValue(name) for name in ("a", "b", "c")}
    result = gristmill.check(
        TURNS, specification="Spec", properties=["Everyone"], symmetry="Symmetric", constants={"Proc": procs}
    )
    assert result.verdict != "ok"
    assert result.distinct <= 3


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "formula",
    [
        r"[](\A i \in 0..n : <>(n = i))",
        r"\E i \in {n} : []<>(n = i)",
        r"\EE x : []<>(n = x)",
        "[]<>(n = 1) -+-> <>(n = 2)",
    ],
)
def test_what_cannot_be_checked_is_named_and_never_ok(formula: str) -> None:
    result = counter(formula)
    assert result.verdict in ("incomplete", "error")
    assert result.diagnostics


def test_an_action_is_no_property() -> None:
    result = counter("Next")
    assert (result.verdict, result.diagnostics[0].id) == ("error", "wrong-level")


def test_an_error_in_a_formula_has_its_place() -> None:
    result = counter('[]<>(n = 3 /\\ "a" + n = 3)')
    assert result.verdict == "error"
    assert result.diagnostics[0].span is not None


def test_an_interrupt_leaves_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gristmill.temporal.assumptions.Hunt.behaviour", interrupt)
    result = counter("<>(n = 3)")
    assert (result.verdict, result.property) == ("incomplete", "Property")
