"""Temporal properties and the search: looking while it is under way, limits, and what cannot be said."""

from typing import Any

import pytest

import gristmill
from gristmill.reference.model import SpecificationModel
from gristmill.search import Limits, Progress
from gristmill.search import on_the_fly as interim_module
from gristmill.search.budget.limits import LimitReached
from gristmill.search.on_the_fly import Intervals
from gristmill.temporal import progress as temporal_pace
from gristmill.temporal.progress import Pace

# Infinitely many states, and from the start a loop in which `on` never becomes TRUE.
ENDLESS = r"""
---- MODULE Endless ----
EXTENDS Integers
VARIABLES n, on
vars == <<n, on>>
Init == n = 0 /\ on = FALSE
Count == n' = n + 1 /\ on' = (n > 2)
Back == n = 2 /\ n' = 0 /\ UNCHANGED on
Next == Count \/ Back
Spec == Init /\ [][Next]_vars /\ WF_vars(Next) /\ WF_vars(Count)
Goal == <>on
Often == []<>(n >= 0)
====
"""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interim_module, "FIRST", 1)
    monkeypatch.setattr(interim_module, "GROWTH", 1)


def endless(name: str, **options: Any) -> gristmill.Result:
    return gristmill.check(ENDLESS, specification="Spec", properties=[name], engine="python", **options)


@pytest.mark.usefixtures("impatient")
def test_a_violation_is_found_before_the_search_ends() -> None:
    result = endless("Goal", seconds=60)
    assert (result.verdict, result.property) == ("liveness", "Goal")
    assert [state["n"] for state in result] == [0, 1, 2]
    assert result.trace is not None
    assert result.trace.loop_start == 0
    assert result.distinct < 1000


@pytest.mark.usefixtures("impatient")
def test_nothing_is_claimed_of_a_search_that_did_not_end() -> None:
    result = endless("Often", depth=50)
    assert (result.verdict, result.message) == ("incomplete", "The depth limit of 50 was reached")


def test_what_a_limited_search_has_found_is_looked_at() -> None:
    result = endless("Goal", depth=20)
    assert (result.verdict, result.property) == ("liveness", "Goal")


def test_a_search_that_was_interrupted_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps from the state that was being expanded are not complete."""
    successors = SpecificationModel.successors

    def interrupted(self: SpecificationModel, state: Any) -> Any:
        if state[0] == 6:
            raise KeyboardInterrupt
        return successors(self, state)

    monkeypatch.setattr(SpecificationModel, "successors", interrupted)
    result = endless("Often")
    assert (result.verdict, result.message) == ("incomplete", "Interrupted")


@pytest.mark.parametrize("engine", ["python", "auto"])
def test_without_a_view_there_may_be_infinitely_many_states(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.temporal.run._MOST_STATES", 500)
    text = ENDLESS.replace("====", "View == IF n < 5 THEN n ELSE 5\n====")
    options: dict[str, Any] = {"specification": "Spec", "view": "View", "engine": engine}
    result = gristmill.check(text, properties=["Often"], **options)
    assert result.verdict == "incomplete"
    assert result.message.endswith("There are more than 500 states")
    assert gristmill.check(text, properties=["Goal"], **options).verdict == "liveness"


def test_intervals_grow() -> None:
    intervals = Intervals()
    assert not intervals.are_over(999)
    assert intervals.are_over(1500)
    intervals.begin(1500)
    assert not intervals.are_over(14_999)
    assert intervals.are_over(15_000)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_found_first_does_not_depend_on_the_engine(workers: int) -> None:
    """There is a deadlock far away, and a behaviour that violates the property nearer to the beginning."""
    text = ENDLESS.replace("Spec ==", "Short == n < 6000 /\\ Next\nSpec ==").replace("[][Next]_vars", "[][Short]_vars")
    results = [
        gristmill.check(text, specification="Spec", properties=["Goal"], engine=engine, workers=workers)
        for engine in ("python", "native")
    ]
    first, second = results
    assert (first.verdict, first.property) == ("liveness", "Goal")
    for name in ("verdict", "property", "distinct", "generated", "depth"):
        assert getattr(first, name) == getattr(second, name), name


# --- looking at a part, then at the whole -------------------------------------------------------------------------

WORKERS = r"""
---- MODULE Workers ----
EXTENDS Integers
VARIABLES at, turns
vars == <<at, turns>>
Init == at = [w \in 1..3 |-> 0] /\ turns = 0
Step(w) == at[w] < 4 /\ at' = [at EXCEPT ![w] = @ + 1] /\ turns' = (turns + 1) % 2
Reset == at = [w \in 1..3 |-> 4] /\ at' = [w \in 1..3 |-> 0] /\ UNCHANGED turns
Next == (\E w \in 1..3 : Step(w)) \/ Reset
Spec == Init /\ [][Next]_vars
Weak == Spec /\ \A w \in 1..3 : WF_vars(Step(w))
Fair == Weak /\ WF_vars(Reset)
Returns == []<>(at[1] = 0)
Arrives == \A w \in 1..3 : <>(at[w] = 4)
====
"""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("specification", "name", "verdict"),
    [
        ("Weak", "Arrives", "ok"),
        ("Spec", "Arrives", "liveness"),
        ("Weak", "Returns", "liveness"),
        ("Fair", "Returns", "ok"),
    ],
)
def test_the_verdict_does_not_depend_on_having_looked(specification: str, name: str, verdict: str) -> None:
    result = gristmill.check(WORKERS, specification=specification, properties=[name], engine="python")
    assert result.verdict == verdict


# --- limits, progress, interrupts ---------------------------------------------------------------------------------


def test_a_limit_that_is_reached_in_the_temporal_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(self: Pace) -> None:
        raise LimitReached("The time limit of 5 s was reached")

    monkeypatch.setattr(Pace, "__call__", out_of_time)
    result = gristmill.check(WORKERS, specification="Fair", properties=["Returns"], engine="python")
    assert (result.verdict, result.property, result.exit_code) == ("incomplete", "Returns", 3)
    assert result.message == "The time limit of 5 s was reached while temporal properties were checked"


@pytest.mark.usefixtures("impatient")
def test_a_limit_that_is_reached_while_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the search's to say so."""

    def reached(self: Pace) -> None:
        raise LimitReached("enough")

    monkeypatch.setattr(Pace, "__call__", reached)
    result = endless("Often", depth=50)
    assert (result.verdict, result.message) == ("incomplete", "The depth limit of 50 was reached")


def test_pace_looks_at_the_clock_and_tells_about_it() -> None:
    told: list[Progress] = []
    pace = Pace(Limits(seconds=10), told.append, temporal_pace.time.monotonic())
    pace.begin(7, 8, 0, 3)
    pace()
    pace()  # too soon to tell again
    assert [(each.distinct, each.depth, each.activity) for each in told] == [(7, 3, "checking temporal properties")]
    with pytest.raises(LimitReached, match="time limit of 10 s"):
        Pace(Limits(seconds=10), None, temporal_pace.time.monotonic() - 11)()


# --- what cannot be said ------------------------------------------------------------------------------------------

UNSTEADY = r"""
---- MODULE Unsteady ----
EXTENDS Integers, TLC
VARIABLE n
Init == n = 0
Inc == n' = (n + 1) % 3 /\ TLCSet(1, n)
Odd == n = 1 /\ n' = RandomElement({0})
Next == Inc \/ Odd
Spec == Init /\ [][Next]_n /\ WF_n(Next)
OddSpec == Spec /\ SF_n(Odd)
Level == []<>(TLCGet("level") > 2)
Random == []<>(n = RandomElement(0..2))
Fine == []<>(n = 1 /\ PrintT(n))
Steps == []<><<Odd>>_n
Stops == Init /\ [][n < 9 /\ n' = n + 1 /\ (n = 2 => TLCSet("exit", TRUE))]_n
Early == <>(n >= 0)
Late == <>(n = 9)
Limit == RandomElement({1})
Constant == []<>(n = Limit)
====
"""


@pytest.mark.parametrize(
    ("specification", "name", "named"),
    [
        ("Spec", "Level", 'TLCGet("level")'),
        ("Spec", "Random", "RandomElement(0..2)"),
        ("Spec", "Steps", "RandomElement({0})"),
        ("OddSpec", "Fine", "RandomElement({0})"),
    ],
)
def test_what_depends_on_when_it_is_evaluated_is_refused(specification: str, name: str, named: str) -> None:
    result = gristmill.check(UNSTEADY, specification=specification, properties=[name], output=lambda text: None)
    assert result.verdict == "incomplete"
    assert result.diagnostics[-1].id == "temporal-formula-not-supported"
    assert result.diagnostics[-1].message.endswith(named)


def test_fairness_of_next_is_read_off_the_graph_whatever_stands_in_it() -> None:
    result = gristmill.check(UNSTEADY, specification="Spec", properties=["Fine"], output=lambda text: None)
    assert result.verdict == "ok"


def test_a_search_that_the_specification_ends_decides_nothing() -> None:
    result = gristmill.check(UNSTEADY, specification="Stops", properties=["Early"])
    assert result.verdict == "incomplete"
    result = gristmill.check(UNSTEADY, specification="Stops", properties=["Late"])
    assert result.verdict == "liveness"  # whatever else there is, this is a behaviour


def test_a_constant_that_was_drawn_once_is_a_constant() -> None:
    assert gristmill.check(UNSTEADY, specification="Spec", properties=["Constant"]).verdict == "ok"
