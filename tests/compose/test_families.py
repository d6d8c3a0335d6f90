"""The families of Raft and ParallelRaft: what is proven of them, and that their invariants can fail."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from families import EXAMPLES, OPTIONS, family, with_values
from planted import NO_LOG_CHECK, OWN_LOG

import gristmill
from gristmill.compose.build.composer import composition
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.system import System
from gristmill.compose.verify.verification import verify

SAFE = {
    "raft": {"ElectionSafety", "LogMatching", "Consistency", "LeaderCompleteness"},
    "parallelraft": {"EntryAgreement", "OneLeader", "Consistency", "LeaderCompleteness", "RecoveredIsUpToDate"},
}
STATES = {  # TLC finds as many of S
    "raft": {"S": 41_596, "C_PreVote": 3_220, "C_Vote": 373, "C_Replication": 670, "A": 148},
    "parallelraft": {"S": 6_330, "C_LeaderRecovery": 738, "C_FollowerRecovery": 849, "A": 69},
}

# Two terms have passed: a has an entry of term 1, b one of term 2, and a leads again in term 3.
MIDWAY = r"""
---- MODULE Midway ----
EXTENDS Raft
Entries(count) == <<[term |-> count, command |-> count]>>
Middle ==
    \E a, b \in Server :
        /\ a /= b
        /\ term = [s \in Server |-> IF s = b THEN 2 ELSE 3]
        /\ role = [s \in Server |-> IF s = a THEN "Leader" ELSE "Follower"]
        /\ vote = [s \in Server |-> IF s = b THEN b ELSE a]
        /\ log = [s \in Server |-> IF s = a THEN Entries(1) ELSE IF s = b THEN Entries(2) ELSE <<>>]
        /\ leaders = [t \in Term |-> IF t = 2 THEN {b} ELSE IF t \in {1, 3} THEN {a} ELSE {}]
        /\ leaderLog = [t \in Term |-> IF t = 2 THEN Entries(2) ELSE IF t \in {1, 3} THEN Entries(1) ELSE <<>>]
        /\ nextIndex = [l \in Server |-> [s \in Server |-> 1]]
        /\ matchIndex = [l \in Server |-> [s \in Server |-> 0]]
        /\ commit = [s \in Server |-> 0]
        /\ timeouts = 0
        /\ sent = 2
        /\ net = {}
====
"""
MIDWAY_CONFIG = """
CONSTANTS Server = {s1, s2, s3} Nobody = Nobody MaxTerm = 4 MaxTimeout = 1 MaxCommand = 2
INIT Middle
NEXT Next
INVARIANTS ElectionSafety LogMatching Consistency LeaderCompleteness
CHECK_DEADLOCK FALSE
"""
OLD_TERM = ("        /\\ log[s][index].term = term[s]\n", "")


def check(system: System, mix: str) -> gristmill.Result:
    composed = composition(system, system.mixes[mix])
    return gristmill.check(composed.text, config=composed.config)


@pytest.mark.parametrize("name", SAFE)
def test_the_coarse_grains_can_stand_in(name: str) -> None:
    found = verify(family(name), OPTIONS)
    assert found.outcome == "proven"
    assert {each.name for each in found.invariants if each.holds} == SAFE[name]


@pytest.mark.parametrize(("name", "mix"), [(name, mix) for name, mixes in STATES.items() for mix in mixes])
def test_states_of_compositions(name: str, mix: str) -> None:
    result = check(family(name), mix)
    assert result.ok
    assert result.distinct == STATES[name][mix]


@pytest.mark.parametrize(("change", "violated"), [(("", ""), None), (OLD_TERM, "LeaderCompleteness")])
def test_an_entry_of_an_old_term_is_not_committed_by_counting(
    change: tuple[str, str], violated: str | None, tmp_path: Path
) -> None:
    for file in (EXAMPLES / "raft").glob("*.tla"):
        shutil.copy(file, tmp_path)
    text = (EXAMPLES / "raft" / "Raft.tla").read_text()
    assert change[0] in text
    (tmp_path / "Raft.tla").write_text(text.replace(*change) if violated else text)
    (tmp_path / "Midway.tla").write_text(MIDWAY)
    result = gristmill.check(tmp_path / "Midway.tla", config=MIDWAY_CONFIG)
    assert result.verdict == ("ok" if violated is None else "invariant")
    assert result.property == violated


def test_votes_without_a_look_at_logs_lose_what_was_committed(tmp_path: Path) -> None:
    """Found with pre-votes coarse: the search has a tenth of the states, and PreVote is not to blame."""
    system = with_values(read_manifest(NO_LOG_CHECK.plant(tmp_path)), NO_LOG_CHECK.constants)
    composed = composition(system, {"PreVote": "coarse", "Vote": "fine", "Replication": "fine"})
    result = gristmill.check(composed.text, config=composed.config)
    assert (result.verdict, result.property) == ("invariant", "LeaderCompleteness")


def test_a_leader_with_only_its_own_log_loses_what_was_committed(tmp_path: Path) -> None:
    system = with_values(read_manifest(OWN_LOG.plant(tmp_path)), OWN_LOG.constants)
    result = check(system, "C_LeaderRecovery")
    assert (result.verdict, result.property) == ("invariant", "LeaderCompleteness")
