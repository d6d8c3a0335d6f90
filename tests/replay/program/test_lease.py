"""A lock that is lent: a protocol of `Process` classes does what its specification says; one with a bug does not."""

from __future__ import annotations

from pathlib import Path

from gristmill.replay.conformance import new_outcome, replay_random
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import read_mapping
from gristmill.replay.outcome import Outcome

MAPPING = Path(__file__).parents[3] / "examples" / "replay" / "lease.map.toml"


def replayed(system: str, traces: int) -> Outcome:
    mapping = read_mapping(MAPPING, values={"system": system})
    outcome = new_outcome(mapping, "random", 1)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replay_random(coordinator, outcome, seconds=600, seed=1, depth=30, traces=traces, first_only=True)
    return outcome


def test_the_careful_server_agrees_in_every_step() -> None:
    outcome = replayed("careful", 25)
    assert (outcome.traces, outcome.conforming) == (25, 25)
    assert set(outcome.actions) == {"Ask", "ReceiveGrant", "GiveBack", "ReceiveRequest", "ReceiveRelease", "Expire"}
    assert sum(outcome.actions.values()) > 400


def test_the_forgetful_server_is_found_out_where_it_forgets() -> None:
    discrepancy = replayed("forgetful", 200).replayed[-1].run.discrepancy
    assert discrepancy is not None
    assert discrepancy.kind == "differs"
    assert discrepancy.action.startswith("ReceiveRelease")
    assert (discrepancy.node, discrepancy.variable) == ("server", "holder")
