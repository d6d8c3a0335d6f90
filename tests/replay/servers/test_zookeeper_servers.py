"""ZooKeeper, real and unmodified: traces of the model replayed on an ensemble of three servers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from zookeeper_jars import EXAMPLE, jars

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("zookeeper")]

WITH_BUGS, MENDED = "3.9.1", "3.9.3"
MAPPING = EXAMPLE / "zookeeper.map.toml"


def replay(version: str, *arguments: str, mapping: Path = MAPPING) -> dict[str, Any]:
    command = [sys.executable, "-m", "gristmill", "replay", str(mapping), "--set", f"jars={jars(version)}"]
    done = subprocess.run([*command, *arguments, "--format", "json"], capture_output=True, text=True)
    assert done.stdout.strip(), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["exit_code"] == done.returncode
    return found


def confirmation(version: str, *arguments: str) -> dict[str, Any]:
    (found,) = replay(version, "--confirm", "--constant", "MaskedStaleMemory=TRUE", *arguments)["confirmations"]
    return dict(found)


def test_a_bug_of_the_model_is_one_of_the_servers() -> None:
    """ZOOKEEPER-4712: the logging thread outlives its follower."""
    found = confirmation(WITH_BUGS, "--mix", "mSpec-3", "--only", "HistoryConsistency")
    assert found["confirmed"], found["observed"]
    assert found["observed"].startswith("ZOOKEEPER-4712: a follower has what its leader has not")
    assert [step["action"] for step in found["run"]["steps"]][:3] == [
        "ClientRequest(3)",
        "FollowerProposal(1, 3)",
        "Crash(3)",
    ]


def test_a_bug_that_shows_itself_by_an_exception() -> None:
    """ZOOKEEPER-4394: a commit finds no proposal."""
    arguments = ["--mix", "mSpec-1", "--constant", "Masked4394=FALSE", "--only", "UnmaskedCommitMatchesProposal"]
    found = confirmation(WITH_BUGS, *arguments)
    assert found["confirmed"], found["observed"]
    assert "java.lang.NullPointerException, thrown at Learner.syncWithLeader" in found["observed"]


def test_where_a_bug_is_mended_the_servers_leave_the_trace() -> None:
    """ZOOKEEPER-4643: the epoch was updated before the log."""
    arguments = ["--mix", "mSpec-2", "--only", "InitialHistoryIntegrity"]
    found = confirmation(MENDED, *arguments)
    assert not found["confirmed"]
    discrepancy = found["run"]["discrepancy"]
    assert (discrepancy["kind"], discrepancy["action"]) == ("differs", "FollowerUpdateEpoch(2, 1)")
    assert "log" in {each["variable"] for each in discrepancy["comparisons"]}


def test_random_traces_agree() -> None:
    found = replay(WITH_BUGS, "--random", "120s", "--num", "2", "--depth", "12", "--seed", "5", "--shrink", "0")
    assert found["discrepancies"] == []
    assert (found["verdict"], found["traces"]) == ("ok", 2)
    assert {"net", "stage"} <= set(found["unobserved"])


def test_a_mistake_in_the_model_is_reported_where_it_is(tmp_path: Path) -> None:
    for file in EXAMPLE.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    grain = tmp_path / "ElectionCoarse.tla"
    right = "Maximum({acceptedEpoch[s] : s \\in team}) + 1"
    assert right in grain.read_text()
    grain.write_text(grain.read_text().replace(right, right.removesuffix(" + 1")))
    arguments = ["--random", "200s", "--seed", "1", "--first", "--shrink", "0"]
    (found,) = replay(WITH_BUGS, *arguments, mapping=tmp_path / MAPPING.name)["discrepancies"]
    assert found["action"].startswith("ElectionAndDiscovery(")
    assert found["variable"] == "acceptedEpoch"


def test_points_are_found_in_the_jars_before_anything_runs() -> None:
    command = [sys.executable, "-m", "gristmill", "replay", str(MAPPING), "--explain"]
    for version in (WITH_BUGS, MENDED):
        done = subprocess.run([*command, "--set", f"jars={jars(version)}"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "not found" not in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Q.Learner.readPacket exit", "Q.Lerner.readPacket exit", "there is no class"),
        ("Q.Learner.readPacket exit", "Q.Learner.readPaket exit", "readPacket"),
        ("call syncFollower", "call syncFolower", "syncFollower"),
    ],
)
def test_a_point_that_is_not_there(tmp_path: Path, old: str, new: str, told: str) -> None:
    for file in EXAMPLE.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    mapping = tmp_path / MAPPING.name
    mapping.write_text(mapping.read_text().replace(old, new, 1))
    command = [sys.executable, "-m", "gristmill", "replay", str(mapping), "--set", f"jars={jars(WITH_BUGS)}"]
    done = subprocess.run([*command, "--random", "5s"], capture_output=True, text=True)
    assert done.returncode in (75, 150)
    assert told in done.stderr
    assert "zookeeper.map.toml:" in done.stderr
