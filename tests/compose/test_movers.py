"""What others do between merged steps: statically, and on reachable states."""

from __future__ import annotations

import pytest
from lease import COARSE, CRASH, FINE, Engine, side

from gristmill.compose.verify.movers import Movers, find_movers
from gristmill.search import Limits

TICK = r"\/ Tick"
VARIABLES = ["role", "up", "jobs"]


def movers(extra: str = CRASH, engine: Engine = "python") -> Movers:
    return find_movers(side(FINE, extra, engine=engine), side(COARSE, extra, engine=engine), ["Lease"], VARIABLES)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_crash_of_the_one_who_asks_is_hidden(engine: Engine) -> None:
    found = movers(engine=engine)
    assert found.verdict == "hides"
    (hidden,) = found.hidden
    assert (hidden.action, hidden.module) == ("Crash", "environment")
    assert 0 < hidden.stuck < hidden.steps  # that of the other node commutes
    assert {"role", "asked", "offered", "up"} <= {*hidden.written, *hidden.read}
    assert (hidden.after, hidden.before) == ("Ask", "Offer")
    assert hidden.behaviour is not None
    assert [step.action for step in hidden.behaviour] == [None, "Ask", "Crash"]
    assert hidden.behaviour.steps[1].parameters == hidden.behaviour.steps[2].parameters
    assert hidden.sentence.startswith("Crash between Ask and Offer (")


def test_what_shares_no_variable_commutes() -> None:
    found = movers(TICK)
    assert found.verdict == "commutes"
    assert found.independent == ("Tick",)
    tick = next(each for each in found.interruptions if each.action == "Tick")
    assert tick.steps > 0
    assert tick.commutes


def test_what_shares_variables_may_commute_wherever_it_happens() -> None:
    work = next(each for each in movers().interruptions if each.action == "Work")
    assert "role" in work.written
    assert work.commutes  # nobody holds the lease while somebody asks for it


def test_what_was_not_explored_is_not_told() -> None:
    part = side(FINE, CRASH, limits=Limits(depth=3))
    assert find_movers(part, side(COARSE, CRASH), ["Lease"], VARIABLES).verdict == "incomplete"
