"""Packages from PyPI, as they are, under control. `pip install -e .[explore-targets]` brings them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from gristmill.controlled import Settings, explore, load, replay
from gristmill.controlled.report import failure_text

EXAMPLES = Path(__file__).parents[2] / "examples" / "explore"


def example(name: str, package: str) -> Any:
    pytest.importorskip(package, reason=f"needs {package}: pip install 'gristmill[explore-targets]'")
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def test_kademlia_stores_and_finds_when_nothing_fails() -> None:
    program = example("kademlia_store", "kademlia").program
    result = explore(program, runs=60, settings=Settings(delay=2.0))
    assert result.ok, result.failures
    assert result.outcomes == {"finished": 60}
    assert len(result.orders) > 50


def test_kademlia_fails_to_store_when_nobody_answers_a_lookup(tmp_path: Path) -> None:
    """`Server.set` takes the maximum of no distances (kademlia 2.2.3)."""
    program = example("kademlia_store", "kademlia").program
    result = explore(program, runs=300, settings=Settings(drops=2, delay=2.0))
    (failure,) = result.failures.values()
    assert failure.kind.startswith("ValueError at kademlia/network.py:")
    assert "max()" in failure.message
    failure.save(str(tmp_path / "kademlia.json"))
    run = replay(program, load(str(tmp_path / "kademlia.json")))
    assert str(run.violation) == str(failure)
    assert "find_node?" in failure_text(failure)


def test_aiogossip_spreads_what_is_published_when_nothing_fails() -> None:
    program = example("aiogossip_publish", "aiogossip").program
    result = explore(program, runs=15, settings=Settings(delay=3.0))
    assert result.ok, result.failures
    assert result.outcomes == {"finished": 15}


def test_aiogossip_goes_deaf_when_a_relay_restarts() -> None:
    """A message for a peer that it has forgotten ends the task in which the relay receives (aiogossip 0.0.20)."""
    program = example("aiogossip_publish", "aiogossip").program
    result = explore(program, runs=100, settings=Settings(crashes=1, delay=3.0), shrink_trials=60)
    (failure,) = result.failures.values()
    assert str(failure).startswith("every peer listens: the task in which hub receives messages has ended")
    assert str(replay(program, failure).violation) == str(failure)


RAFT = Settings(crashes=2, resets=2, seconds=8.0, delay=1.0)


def test_pysyncobj_keeps_the_safety_properties_of_raft() -> None:
    module = example("pysyncobj_counter", "pysyncobj")
    result = explore(module.program, runs=40, settings=RAFT)
    assert result.ok, result.failures
    assert len(result.orders) == 40
    assert result.faults["crash"] > 10
    assert result.faults["restart"] > 10
    assert result.faults["reset"] > 5
    assert not result.uncontrolled


def test_pysyncobj_loses_what_was_acknowledged_when_batches_are_small() -> None:
    """A replica that was told twice that it lacks entries cuts off what it has acknowledged (pysyncobj 0.3.17).

    Two heartbeats make it say twice where its log ends. The leader answers both: the second answer begins at the same
    place, holds only the first batch, and makes it drop the entries of the other batches, which it has acknowledged and
    the leader has committed. If the leader is gone before the rest arrives, they are lost.
    """
    module = example("pysyncobj_counter", "pysyncobj")
    failure = load(str(Path(__file__).parent / "schedules" / "pysyncobj-acknowledged-entries-lost.json"))
    run = replay(module.small_batches, failure)
    assert str(run.violation) == str(failure)
    assert failure.name == "state-machine safety"
    assert not any(event.startswith("crash") for event in failure.events)


def test_pysyncobj_without_a_journal_forgets_its_vote() -> None:
    module = example("pysyncobj_counter", "pysyncobj")
    failure = load(str(Path(__file__).parent / "schedules" / "pysyncobj-forgotten-vote.json"))
    assert str(replay(module.without_journal, failure).violation) == str(failure)
    assert failure.name == "election safety"


def test_a_vote_granted_twice_in_a_term_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    module = example("pysyncobj_counter", "pysyncobj")
    remember = module.SyncObj._SyncObj__setCurrentTerm
    forget = "_SyncObj__setCurrentTerm"
    monkeypatch.setattr(module.SyncObj, forget, lambda replica, term, voted_for: remember(replica, term, None))
    result = explore(module.program, runs=300, settings=Settings(seconds=8.0, delay=1.0), shrink_trials=60)
    (failure,) = result.failures.values()
    assert failure.name == "election safety"
    assert "are both leaders of term" in failure.message
    assert len(failure.events) < failure.found_length
    assert "response_vote" in failure_text(failure)
    assert str(replay(module.program, failure).violation) == str(failure)


def test_a_counter_that_answers_before_it_is_replicated_is_not_linearizable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads from the replica at hand, as pysyncobj's users might write them."""
    module = example("pysyncobj_counter", "pysyncobj")

    def read(replica: Any, callback: Any) -> None:
        callback(replica.total, 0)

    monkeypatch.setattr(module.ReplicatedCounter, "read", read)
    result = explore(module.program, runs=300, settings=Settings(seconds=8.0, delay=1.0), shrink_trials=60)
    (failure,) = result.failures.values()
    assert failure.name == "linearizable counter"
    assert "no order of the operations explains" in failure.message
