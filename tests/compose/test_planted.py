"""`verify` and the comparison of traces against mistakes planted in the families of examples/."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import OPTIONS, side_of, with_values
from planted import ABDICATION, STALE_LEADER, TOO_LITTLE, Mistake

from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.verify.result import Verification
from gristmill.compose.verify.traces import compare_traces
from gristmill.compose.verify.verification import verify

SEEN_OF_VOTE = ("term", "role", "log", "leaders", "leaderLog")


def verified(mistake: Mistake, folder: Path) -> Verification:
    return verify(with_values(read_manifest(mistake.plant(folder)), mistake.constants), OPTIONS)


@pytest.mark.parametrize("mistake", TOO_LITTLE, ids=lambda each: each.name)
def test_a_grain_that_says_too_little_is_rejected(mistake: Mistake, tmp_path: Path) -> None:
    found = verified(mistake, tmp_path)
    assert found.outcome == "rejected"
    told = [each.diagnostic.message for each in found.findings if each.condition == mistake.condition]
    failing = [each.action for unit in found.units if unit.name == mistake.unit for each in unit.failures]
    assert any(mistake.says in each for each in (failing if mistake.condition == "O3" else told))
    assert not any(each.holds for each in found.invariants)


def test_an_extra_step_overlooks_nothing(tmp_path: Path) -> None:
    found = verified(ABDICATION, tmp_path)
    assert found.outcome == "proven"
    assert [name for unit in found.units if unit.name == "Vote" for name in unit.unused] == ["Abdicate"]


def test_a_stale_leader_is_a_false_alarm_in_the_composition(tmp_path: Path) -> None:
    found = verified(STALE_LEADER, tmp_path)
    assert found.outcome == "proven"
    assert [unit.name for unit in found.units if "LeaderCompleteness" in unit.violated] == ["Replication"]
    assert {each.name: each.holds for each in found.invariants}["LeaderCompleteness"] is None


@pytest.mark.parametrize(("mistake", "action"), [(STALE_LEADER, "Elect"), (ABDICATION, "Abdicate")])
def test_traces_tell_the_step_that_only_the_coarse_grain_takes(mistake: Mistake, action: str, tmp_path: Path) -> None:
    system = with_values(read_manifest(mistake.plant(tmp_path)), mistake.constants)
    found = compare_traces(side_of(system, "C_Vote"), side_of(system, "A"), SEEN_OF_VOTE)
    assert found.missed.verdict == "included"
    assert found.added is not None
    assert found.added.difference is not None
    assert found.added.difference.action == action
