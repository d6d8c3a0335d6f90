"""The ZooKeeper family: its page shows what really comes out, and all of it takes part."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pages import Command, blocks, call, matches, timeless

ROOT = Path(__file__).parents[2]
FAMILY = "examples/zookeeper"
COMMANDS = [c for block in blocks((ROOT / "docs" / "zookeeper.md").read_text(encoding="utf-8")) for c in block]


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("command", COMMANDS, ids=[c.text.partition("--mix ")[2] for c in COMMANDS])
def test_page(command: Command) -> None:
    output = call(command.text)
    assert matches(output, command.output), f"$ {command.text}\n{timeless(output)}"


@cache
def checked(manifest: str, mix: str, constants: str) -> Any:
    options = " ".join(f"--constant {each}" for each in constants.split())
    return json.loads(call(f"gristmill compose check {FAMILY}/{manifest} --mix {mix} {options} --format json"))


# The numbers of states are those of TLC.
@pytest.mark.parametrize(
    ("mix", "constants", "distinct", "depth"),
    [
        ("mSpec-1", "MaxTransactions=1 MaxCrashes=1", 2300, 23),
        ("baseline", "MaxTransactions=0 MaxCrashes=1 MaxRound=2", 27594, 38),
    ],
)
def test_the_protocol_is_right(mix: str, constants: str, distinct: int, depth: int) -> None:
    result = checked("zookeeper.toml", mix, constants)
    assert (result["verdict"], result["distinct"], result["depth"]) == ("ok", distinct, depth)


@pytest.mark.parametrize(
    ("manifest", "mix", "idle"),
    [("zookeeper.toml", "mSpec-1", {"SyncCommitFails"}), ("fixes.toml", "final", set())],
)
def test_every_action_takes_part(manifest: str, mix: str, idle: set[str]) -> None:
    """What is masked cannot happen; all else does."""
    result = checked(manifest, mix, "MaxTransactions=1 MaxCrashes=1 MaxPartitions=1")
    assert result["verdict"] == "ok"
    assert {row["action"] for row in result["coverage"] if row["generated"] == 0} == idle


@pytest.mark.parametrize("mix", ["baseline", "mSpec-1", "mSpec-2", "mSpec-3", "mSpec-4"])
def test_ten_invariants_of_the_protocol_and_eleven_of_the_code(mix: str) -> None:
    """Coarse grains of Discovery have no handshake to be in a bad state for."""
    written = call(f"gristmill compose build {FAMILY}/zookeeper.toml --mix {mix}")
    named = {line.split()[0] for line in written.splitlines() if line.split()[1:2] == ["=="]}
    invariants = {name for name in INVARIANTS if name in named or f"{name}Threads" in named}
    handshake = {"LeaderInfoInDiscovery", "HandshakeInDiscovery"}
    assert invariants == INVARIANTS - (set() if mix in {"baseline", "mSpec-4"} else handshake)


def test_only_knows_the_invariants_of_the_manifest() -> None:
    output = call(f"gristmill compose check {FAMILY}/zookeeper.toml --mix mSpec-1 --only Agreemnt 2>&1")
    assert "there is no invariant 'Agreemnt'" in output
    assert "Agreement" in output


INVARIANTS = {
    *("PrimaryUniqueness", "Integrity", "Agreement", "TotalOrder", "LocalPrimaryOrder", "GlobalPrimaryOrder"),
    *("PrimaryIntegrity", "InitialHistoryIntegrity", "CommitConsistency", "HistoryConsistency"),
    *("LeaderInfoInDiscovery", "HandshakeInDiscovery", "SyncInSynchronization", "ServesInitialHistory"),
    *("NewLeaderAckedFirst", "ProposalsAcked", "NextProposalInSync", "NextProposalInBroadcast"),
    *("UnmaskedCommitMatchesProposal", "CommitInTurn", "LeaderCommitsInTurn"),
}
