"""The specifications that are replayed hold what they claim, and break where they should."""

from __future__ import annotations

from pathlib import Path

import gristmill

EXAMPLES = Path(__file__).parents[3] / "examples"
RAFT = EXAMPLES / "raft" / "RaftReplay.tla"


def test_raft_holds_if_servers_remember_their_votes() -> None:
    result = gristmill.check(RAFT, constants={"MaxTerm": 1})
    assert result.verdict == "ok", result.message
    assert result.distinct > 1000


def test_raft_has_two_leaders_if_servers_forget_their_votes() -> None:
    result = gristmill.check(RAFT, constants={"Persistent": False})
    assert (result.verdict, result.violations[0].property) == ("invariant", "ElectionSafety")


def test_a_lease_has_one_holder() -> None:
    result = gristmill.check(EXAMPLES / "replay" / "Lease.tla")
    assert result.verdict == "ok", result.message
