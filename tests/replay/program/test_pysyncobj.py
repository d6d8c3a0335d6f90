"""Traces of Raft on replicas of pysyncobj, as it is on PyPI. `pip install -e .[explore-targets]` brings it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from gristmill.replay.confirming import confirm
from gristmill.replay.conformance import new_outcome, replay_random, replay_trace
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.driver import Reading
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import Mapping as SystemMapping
from gristmill.replay.mapping import read_mapping
from gristmill.replay.outcome import Outcome
from gristmill.replay.steps import of_trace

EXAMPLE = Path(__file__).parents[3] / "examples" / "pysyncobj"
FIVE = '{"s1", "s2", "s3", "s4", "s5"}'


@pytest.fixture(autouse=True)
def _pysyncobj() -> None:
    pytest.importorskip("pysyncobj", reason="needs pysyncobj: pip install 'gristmill[explore-targets]'")


def opened(program: str = "with_journal", constants: Mapping[str, str] | None = None) -> SystemMapping:
    return read_mapping(EXAMPLE / "pysyncobj.map.toml", values={"program": program}, constants=constants or {})


def random_traces(mapping: SystemMapping, traces: int, seed: int = 1) -> Outcome:
    outcome = new_outcome(mapping, "random", seed)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replay_random(coordinator, outcome, seconds=600, seed=seed, depth=30, traces=traces, first_only=True)
    return outcome


def test_random_traces_agree_in_every_step_and_variable() -> None:
    outcome = random_traces(opened(), 30)
    assert [each.run.discrepancy for each in outcome.replayed if not each.run.conforms] == []
    assert (outcome.traces, outcome.conforming) == (30, 30)
    assert len(outcome.actions) == 11
    assert outcome.observed == (*("term", "role", "vote", "votes", "log", "commit", "nextIndex", "matchIndex", "net"),)


def test_without_a_journal_a_replica_that_restarts_has_forgotten_its_term() -> None:
    discrepancy = random_traces(opened("without_journal"), 100).replayed[-1].run.discrepancy
    assert discrepancy is not None
    assert discrepancy.action.startswith("Restart")
    assert discrepancy.variable == "term"


def test_without_a_journal_there_are_two_leaders_of_a_term() -> None:
    """Found in the model of that, and seen on the replicas."""
    mapping = opened("without_journal", {"Persistent": "FALSE", "MaxTerm": "1", "MaxCrashes": "1", "MaxCuts": "0"})
    outcome = new_outcome(mapping, "confirm")
    result = mapping.specification.check(deadlock=False)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        confirm(coordinator, outcome, result)
    (confirmation,) = outcome.confirmations
    assert (confirmation.invariant, confirmation.confirmed) == ("ElectionSafety", True)


@pytest.mark.parametrize(
    ("constant", "action", "variable"),
    [
        ("NoOpOnElection", "DeliverVote", "log"),
        ("Persistent", "Restart", "term"),
    ],
)
def test_a_model_that_is_wrong_is_found_out(constant: str, action: str, variable: str) -> None:
    discrepancy = random_traces(opened(constants={constant: "FALSE"}), 200).replayed[-1].run.discrepancy
    assert discrepancy is not None
    assert discrepancy.action.startswith(action)
    assert discrepancy.variable == variable


def test_answers_that_are_slow_count_in_a_later_term() -> None:
    """Five replicas with journals, none crashes, no connection breaks; and two of them apply different commands.

    pysyncobj 0.3.17: `next_node_idx` does not tell the term, and a leader takes it for an answer to itself.
    """
    mapping = opened(constants={"Server": FIVE})
    trace = of_trace(mapping.specification, str(EXAMPLE / "stale-answers.itf.json"))
    outcome = new_outcome(mapping, "trace")
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replayed = replay_trace(coordinator, outcome, "slow answers", trace)
        assert replayed.run.discrepancy is None
        applied = Reading("applied", {"path": "app.commands"})
        assert coordinator.driver.observe("s1", [applied]) == {"applied": (3,)}
        assert coordinator.driver.observe("s3", [applied]) == {"applied": (4,)}
    last = trace[-1].state
    assert mapping.specification.evaluate("LeaderCompleteness", last) is False
    assert mapping.specification.evaluate("Consistency", last) is False
    assert {step.action for step in trace[1:]}.isdisjoint({"Crash", "Restart", "Cut", "Heal"})


def test_answers_that_tell_their_term_do_no_harm() -> None:
    """The same steps in a model of replicas that look at the term."""
    mapping = opened(constants={"Server": FIVE, "AnswersHaveTerm": "TRUE"})
    specification = mapping.specification
    (state,) = specification.initial()
    for item in json.loads((EXAMPLE / "stale-answers.itf.json").read_text())["states"][1:]:
        meta = item["#meta"]
        given = {
            name: int(each["#bigint"]) if isinstance(each, dict) else each for name, each in meta["parameters"].items()
        }
        taken = specification.take(state, meta["action"], given)
        if not taken:  # from there on, it goes another way
            break
        state = taken[0].state
        assert specification.evaluate("LeaderCompleteness /\\ Consistency", state) is True
    assert specification.evaluate('commit["s1"]', state) == 0
