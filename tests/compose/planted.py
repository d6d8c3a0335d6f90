"""Mistakes planted in the families of examples/: each is a change of their files, and what is to be found.

A grain that says too little (its module does what the grain cannot do) makes compositions overlook behaviours; `verify`
rejects it. One that says too much makes false alarms: an invariant fails in a composition and not in the whole, and
the comparison of traces in the other direction tells the step that only the coarse grain takes.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
TWO_TERMS = {"MaxTerm": "2"}


@dataclass(frozen=True)
class Mistake:
    """`changes`: file, text, what to write in its place. `unit`: the module whose coarse grain is wrong.

    `condition`: what `verify` names; `says`: a word of its diagnostic, or the action whose step fails.
    """

    name: str
    changes: tuple[tuple[str, str, str], ...]
    unit: str
    condition: str = ""
    says: str = ""
    family: str = "raft"
    manifest: str = "Raft.toml"
    constants: Mapping[str, str] = field(default_factory=dict)

    def plant(self, folder: Path) -> Path:
        """A copy of the family with the mistake; its manifest."""
        copy = folder / self.family
        shutil.copytree(EXAMPLES / self.family, copy)
        for name, before, after in self.changes:
            text = (copy / name).read_text()
            assert before in text, f"{name} has no {before!r}"
            (copy / name).write_text(text.replace(before, after))
        return copy / self.manifest


UNWRITTEN_LOG = (
    (
        "VoteCoarse.tla",
        "VARIABLES log, nextIndex, matchIndex, leaders, leaderLog",
        "VARIABLES log, nextIndex, matchIndex, leaders",
    ),
    ("VoteCoarse.tla", "    /\\ leaderLog' = [leaderLog EXCEPT ![term[s]] = log[s]]\n", ""),
    ("VoteCoarse.tla", "matchIndex, leaders, leaderLog>>", "matchIndex, leaders>>"),
)
FROM_COMMIT = (
    ("VoteCoarse.tla", "VARIABLES log, nextIndex", "VARIABLES commit, log, nextIndex"),
    ("VoteCoarse.tla", "[other \\in Server |-> Len(log[s]) + 1]", "[other \\in Server |-> commit[s] + 1]"),
    ("VoteCoarse.tla", "UNCHANGED <<term, vote, log>>", "UNCHANGED <<term, vote, log, commit>>"),
    ("VoteCoarse.tla", "UNCHANGED <<log, nextIndex", "UNCHANGED <<commit, log, nextIndex"),
)

NO_LOG_CHECK = Mistake(
    "the fine module votes without a look at logs",
    (
        (
            "Raft.tla",
            "        /\\ vote[s] \\in {Nobody, m.from}\n        /\\ Covers(m.lastTerm, m.length, log[s])\n",
            "        /\\ vote[s] \\in {Nobody, m.from}\n",
        ),
    ),
    "Vote",
    "O3",
    "BecomeLeader",
    constants=TWO_TERMS,
)
TOO_LITTLE = [
    Mistake("an interaction variable is dropped", UNWRITTEN_LOG, "Vote", "O1", "leaderLog"),
    Mistake(
        "an update of another module's variable is lost",
        (
            (
                "PreVoteCoarse.tla",
                "/\\ vote' = [vote EXCEPT ![s] = s]\n    /\\ UNCHANGED timeouts",
                "/\\ UNCHANGED <<vote, timeouts>>",
            ),
        ),
        "PreVote",
        "O3",
        "BecomeCandidate",
    ),
    Mistake(
        "an update of a shared variable is lost",
        (
            (
                "ReplicationCoarse.tla",
                '            /\\ role\' = [role EXCEPT ![s] = "Follower"]\n            /\\ UNCHANGED <<term,',
                "            /\\ UNCHANGED <<term, role,",
            ),
        ),
        "Replication",
        "O3",
        "AcceptEntry",
    ),
    Mistake("an update is computed from another module's internals", FROM_COMMIT, "Vote", "O1", "commit"),
    Mistake(
        "servers never step down on pre-votes",
        (
            ("Raft.toml", ', "PreVoteCatchUp(s)"]', "]"),
            ("Raft.toml", ', "PreVote*StepDown" = "PreVoteCatchUp(s)"', ', "PreVote*StepDown" = []'),
        ),
        "PreVote",
        "O3",
        "PreVoteRefusalStepDown",
    ),
    Mistake(
        "a step-down leaves the vote as it was",
        (
            (
                "ReplicationCoarse.tla",
                "    /\\ CatchUp(s)\n",
                "    /\\ \\E newer \\in Term : /\\ newer > term[s]\n"
                "                           /\\ \\E other \\in Server : term[other] >= newer\n"
                "                           /\\ term' = [term EXCEPT ![s] = newer]\n"
                '                           /\\ role\' = [role EXCEPT ![s] = "Follower"]\n'
                "    /\\ UNCHANGED vote\n",
            ),
        ),
        "Replication",
        "O2",
        "AppendRequestStepDown",
    ),
    Mistake(
        "only one whose log no server exceeds is elected",
        (
            (
                "VoteCoarse.tla",
                "\\E group \\in Majority : \\A other \\in group : CanHaveVoted",
                "\\A other \\in Server : CanHaveVoted",
            ),
        ),
        "Vote",
        "O3",
        "BecomeLeader",
    ),
    NO_LOG_CHECK,
    Mistake(
        "a recovered follower gets all that the leader has by now",
        (
            (
                "FollowerRecoveryCoarse.tla",
                "\\E last \\in start[later] .. Last(reign[later]) :",
                "\\E last \\in {Last(reign[later])} :",
            ),
        ),
        "FollowerRecovery",
        "O3",
        "InstallLog",
        "parallelraft",
        "ParallelRaft.toml",
    ),
    Mistake(
        "a leader is appointed only when all servers have promised",
        (
            (
                "LeaderRecoveryCoarse.tla",
                "\\E group \\in Majority :\n        LET",
                "\\E group \\in {Server} :\n        LET",
            ),
        ),
        "LeaderRecovery",
        "O3",
        "AppointLeader",
        "parallelraft",
        "ParallelRaft.toml",
    ),
]

OWN_LOG = Mistake(
    "a leader of the fine module starts with its own log, fresh or not",
    (
        ("ParallelRaft.tla", "                /\\ \\A other \\in group : Fresher(Answer(next), Answer(other))\n", ""),
        ("ParallelRaft.tla", "[s \\in request.group |-> Answer(s).log]", "[s \\in {request.leader} |-> Answer(s).log]"),
    ),
    "LeaderRecovery",
    says="LeaderCompleteness",
    family="parallelraft",
    manifest="ParallelRaft.toml",
    constants={"MaxTerm": "2"},
)
LOG_CONDITION = r"""
    /\ \/ Covers(LastTerm(log[s]), Len(log[s]), log[other])
       \/ \E later \in term[s] + 1 .. term[other] : leaders[later] /= {}
"""
ABDICATE = r"""
Abdicate(s) ==
    /\ role[s] = "Leader"
    /\ role' = [role EXCEPT ![s] = "Follower"]
    /\ UNCHANGED <<term, vote, log, nextIndex, matchIndex, leaders, leaderLog>>

VoteCatchUp(s) =="""
STALE_LEADER = Mistake(
    "a leader with a stale log is elected",
    (("VoteCoarse.tla", LOG_CONDITION, "\n"),),
    "Vote",
    says="LeaderCompleteness",
    constants=TWO_TERMS,
)
ABDICATION = Mistake(
    "a leader gives up by itself",
    (
        ("VoteCoarse.tla", "\nVoteCatchUp(s) ==", ABDICATE),
        ("Raft.toml", '"VoteCatchUp(s)"]', '"VoteCatchUp(s)", "Abdicate(s)"]'),
    ),
    "Vote",
    says="Abdicate",
)
