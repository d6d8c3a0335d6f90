"""Summaries of uninterrupted runs by coarse actions, and planted mistakes in them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from lease import COARSE, CRASH, FINE, Engine, side

from gristmill.compose.verify.summaries import Example, Summary, summarise
from gristmill.search import Limits

VARIABLES = ["role", "up", "jobs"]


def summary(
    fine: Mapping[str, str] | None = None, coarse: Mapping[str, str] | None = None, engine: Engine = "python"
) -> Summary:
    return summarise(side(FINE, CRASH, fine, engine), side(COARSE, CRASH, coarse, engine), ["Lease"], VARIABLES)


def actions(example: Example) -> list[str | None]:
    return [step.action for step in example.behaviour]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_one_step_for_an_uninterrupted_run(engine: Engine) -> None:
    found = summary(engine=engine)
    assert (found.verdict, found.counts, found.examples) == ("exact", {}, ())
    assert found.entries == found.exact > 0
    assert set(found.beginnings) == {("Ask",)}


def test_an_exit_that_only_the_coarse_action_has() -> None:
    found = summary(coarse={"Get(n) == up[n] /\\ Nobody": "Get(n) == Nobody"})
    assert found.verdict == "inexact"
    assert set(found.counts) == {"spurious"}
    (example,) = found.examples
    assert actions(example) == [None, "Crash"]
    assert example.exit is not None
    assert example.exit.by == ("Get",)
    assert {each.variable for each in example.contrast} <= {"role[a]", "role[b]"}
    assert found.counts["spurious"] == found.entries - found.exact < found.entries


def test_an_exit_that_only_the_fine_module_has() -> None:
    """Planted: what is offered can also be lost on the way, and is then somebody else's."""
    found = summary(fine={'/\\ n \\in offered /\\ role[n] = "asking"\n': "/\\ offered # {}\n"})
    assert found.verdict == "inexact"
    assert "missing" in found.counts
    example = next(each for each in found.examples if each.fault == "missing")
    assert actions(example)[-3:] == ["Ask", "Offer", "Take"]
    assert example.exit is not None
    assert example.exit.by[:3] == ("Ask", "Offer", "Take")
    assert {each.by for each in example.others} == {("Get",)}


def test_a_coarse_action_that_is_not_there() -> None:
    found = summary(coarse={"Get(n) == up[n]": "Get(n) == FALSE /\\ up[n]"})
    assert found.exact == 0
    assert found.counts["missing"] == found.entries - found.counts.get("unreached", 0)
    assert found.examples[0].others[0].by == ()


def test_what_only_the_fine_composition_comes_to_is_told() -> None:
    found = summary(coarse={"jobs' = jobs + 1": "jobs' = 1"})
    assert found.counts["unreached"] > 0


def test_a_run_that_comes_to_no_exit() -> None:
    """Planted: the one who asks changes its mind for ever."""
    changed = {
        "/\\ asked' = {} /\\ offered' = {} /\\ UNCHANGED <<up, jobs>>": "/\\ UNCHANGED <<asked, offered, up, jobs>>",
        'role[n] = "asking"\n': 'role[n] \\in {"asking", "holder"}\n',
        'EXCEPT ![n] = "holder"]': 'EXCEPT ![n] = IF @ = "asking" THEN "holder" ELSE "asking"]',
    }
    found = summary(fine=changed)
    assert found.counts["diverging"] > 0
    assert found.verdict == "inexact"


def test_what_was_not_explored_is_not_summarised() -> None:
    part = side(FINE, CRASH, limits=Limits(depth=3))
    whole, coarse = side(FINE, CRASH), side(COARSE, CRASH)
    assert summarise(part, coarse, ["Lease"], VARIABLES).verdict == "incomplete"
    assert summarise(whole, part, ["Lease"], VARIABLES).verdict == "incomplete"
