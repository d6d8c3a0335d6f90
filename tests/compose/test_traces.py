"""Traces of two compositions: inclusion, and differences as shortest behaviours."""

from __future__ import annotations

import pytest
from lease import COARSE, CRASH, FINE, Engine, side

from gristmill.compose.verify.sides import common_variables
from gristmill.compose.verify.traces import compare_traces
from gristmill.search import Limits
from gristmill.trace import Trace

HELD = {"role": lambda value: frozenset(n for n, each in value.items() if each == "holder")}


def actions(trace: Trace | None) -> list[str | None]:
    return [] if trace is None else [step.action for step in trace]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_is_hidden_need_not_be_matched(engine: Engine) -> None:
    """Who holds the lease: both show the same, also with crashes between the merged steps."""
    fine, coarse = side(FINE, CRASH, engine=engine), side(COARSE, CRASH, engine=engine)
    variables = common_variables((fine, coarse))
    assert variables == ("role", "up", "jobs")
    found = compare_traces(fine, coarse, variables, views=HELD)  # type: ignore[arg-type]
    assert found.missed.verdict == "included"
    assert found.added is not None
    assert found.added.verdict == "included"


def test_a_merged_step_shows() -> None:
    fine, coarse = side(FINE), side(COARSE)
    found = compare_traces(fine, coarse, ["role", "up", "jobs"])
    missing = found.missed.difference
    assert missing is not None
    assert (missing.kind, missing.action, missing.observed_steps) == ("missing", "Ask", 1)
    assert actions(missing.behaviour) == [None, "Ask"]
    assert actions(missing.matched) == [None]
    assert [(each.variable, each.after) for each in missing.changes] == [("role[a]", '"asking"')]
    assert {each.action for each in missing.possible} == {"Get"}
    assert found.added is not None
    assert found.added.difference is not None
    assert found.added.difference.kind == "spurious"
    assert actions(found.added.difference.behaviour) == [None, "Get"]


def test_a_step_that_only_the_coarse_module_can_take() -> None:
    """Planted: the coarse module gives the lease to a node that is down."""
    coarse = side(COARSE, CRASH, {"Get(n) == up[n] /\\ Nobody": "Get(n) == Nobody"})
    found = compare_traces(side(FINE, CRASH), coarse, ["role", "up", "jobs"], views=HELD)  # type: ignore[arg-type]
    assert found.missed.verdict == "included"
    assert found.added is not None
    spurious = found.added.difference
    assert spurious is not None
    assert actions(spurious.behaviour) == [None, "Crash", "Get"]
    assert actions(spurious.matched) == [None, "Crash"]
    assert spurious.behaviour.steps[-1].parameters == spurious.behaviour.steps[-2].parameters


def test_a_step_that_only_the_fine_module_can_take() -> None:
    """Planted: a node that holds the lease already asks, and takes it, too."""
    fine = side(FINE, "", {"/\\ Nobody /\\ asked = {}": "/\\ asked = {}"})
    found = compare_traces(fine, side(COARSE), ["role", "up", "jobs"], views=HELD)  # type: ignore[arg-type]
    missing = found.missed.difference
    assert missing is not None
    assert actions(missing.behaviour) == [None, "Ask", "Offer", "Take", "Ask", "Offer", "Take"]
    assert actions(missing.matched) == [None, "Get"]
    assert {each.action for each in missing.possible} == {"Work"}
    assert found.added is not None
    assert found.added.verdict == "included"


def test_another_initial_state() -> None:
    coarse = side(COARSE, changed={"/\\ jobs = 0": "/\\ jobs = 1"})
    found = compare_traces(side(FINE), coarse, ["jobs"]).missed.difference
    assert found is not None
    assert (found.action, found.matched, found.observed_steps) == (None, None, 0)


def test_what_was_not_explored_is_not_decided() -> None:
    fine, coarse = side(FINE, CRASH), side(COARSE, CRASH)
    part = side(COARSE, CRASH, limits=Limits(depth=2))
    for found in (
        compare_traces(fine, part, ["jobs"]).missed,
        compare_traces(part, coarse, ["jobs"]).missed,
        compare_traces(fine, coarse, ["jobs"], limits=Limits(seconds=1e-9)).missed,
    ):
        assert (found.verdict, found.difference) == ("incomplete", None)
        assert found.message


def test_a_difference_in_what_was_explored_is_one() -> None:
    part = side(FINE, CRASH, limits=Limits(depth=2))
    assert compare_traces(part, side(COARSE, CRASH), ["role"]).missed.verdict == "different"
