"""etcd, unmodified, against Raft: traces of the model on three members, through the tap."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from etcd_binary import etcd_program

from gristmill.replay.conformance import new_outcome, replay_random
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.drivers import driver_of
from gristmill.replay.mapping import Mapping, read_mapping
from gristmill.replay.result import Run
from gristmill.replay.steps import ModelStep, of_trace, of_transition
from gristmill.specification import Specification

pytestmark = pytest.mark.servers

EXAMPLES = Path(__file__).parents[3] / "examples"
MAPPING = EXAMPLES / "etcd" / "etcd.map.toml"


@pytest.fixture(scope="module")
def mapping() -> Iterator[Mapping]:
    found = read_mapping(MAPPING, values={"etcd": str(etcd_program())})
    yield found
    found.specification.close()


def replayed(mapping: Mapping, trace: str) -> Run:
    steps = of_trace(mapping.specification, EXAMPLES / "etcd" / f"{trace}.itf.json")
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        return coordinator.run(trace, steps)


TRACES = ("election", "replication", "partition-and-rejoin", "conflict", "stale-messages", "restart")


@pytest.mark.parametrize("trace", TRACES)
def test_etcd_does_what_the_model_does(mapping, trace):
    run = replayed(mapping, trace)
    assert run.discrepancy is None
    assert len(run.steps) == run.length
    compared = {each.variable for step in run.steps for each in step.comparisons}
    assert compared == {"term", "vote", "log", "stored", "commit", "role", "net"}


def test_random_traces_on_one_cluster_after_the_other(mapping):
    outcome = new_outcome(mapping, "random", 1)
    with Coordinator(mapping, driver_of(mapping)) as coordinator:
        replay_random(coordinator, outcome, seconds=60, seed=1, depth=20, traces=3)
    assert (outcome.traces, outcome.conforming, outcome.steps) == (3, 3, 60)


# ------------------------------------------------------------------------------------------------ mistakes of the model

ELECTED = ["Campaign s1", "DeliverMsgVote s1 s2", "DeliverMsgVoteResp s2 s1"]


@pytest.mark.parametrize(
    ("file", "right", "wrong", "actions", "variable"),
    [
        pytest.param(
            "RaftReplay.tla",
            "Majority(group) == 2 * Cardinality(group) > Cardinality(Server)",
            "Majority(group) == group = Server",
            ELECTED,
            "log",
            id="wrong quorum: all must vote for a leader, who has no first entry before",
        ),
        pytest.param(
            "EtcdRaft.tla",
            "IF newer > term[s] THEN Nobody ELSE @]",
            "@]",
            [
                *("Campaign s3", "Campaign s1", "Campaign s1", "DeliverMsgVote s1 s2", "DeliverMsgVote s1 s2"),
                *("DeliverMsgVoteResp s2 s1", "DeliverMsgVoteResp s2 s1", "Beat s1 s3"),
            ],
            "vote",
            id="missing update: the vote of an older term is not forgotten",
        ),
        pytest.param(
            "EtcdRaft.tla",
            "/\\ Answers(i, j, Nothing)\n              /\\ UNCHANGED <<term, role, vote, lead>>",
            '/\\ Answers(i, j, Only(i, [kind |-> "MsgVoteResp", term |-> term[j], granted |-> FALSE]))\n'
            "              /\\ UNCHANGED <<term, role, vote, lead>>",
            [
                *("Campaign s1", "Campaign s2", "Campaign s2"),
                *("DeliverMsgVote s2 s3", "DeliverMsgVote s2 s3", "DeliverMsgVote s1 s3"),
            ],
            "net",
            id="wrong branch: a request of the past is refused, and not ignored",
        ),
        pytest.param(
            "EtcdRaft.tla",
            "              /\\ Answers(i, j, Only(i, answer))\n           \\/ /\\ m.term < term[j]",
            "              /\\ Answers(i, j, Nothing)\n           \\/ /\\ m.term < term[j]",
            [*ELECTED, "DeliverMsgApp s1 s2"],
            "net",
            id="lost reply: an append is not answered",
        ),
        pytest.param(
            "EtcdRaft.tla",
            "THEN [stored EXCEPT ![s] = commit'[s]] ELSE stored",
            "THEN [stored EXCEPT ![s] = commit'[s]] ELSE [stored EXCEPT ![s] = commit'[s]]",
            [*ELECTED, "DeliverMsgApp s1 s2", "DeliverMsgAppResp s2 s1"],
            "stored",
            id="a commit index that is on the disk too early",
        ),
    ],
)
def test_mistakes_of_the_model(tmp_path, file, right, wrong, actions, variable):
    """The last action is where it shows."""
    shutil.copytree(EXAMPLES / "etcd", tmp_path / "etcd")
    shutil.copytree(EXAMPLES / "raft", tmp_path / "raft")
    module = tmp_path / "raft" / file
    assert right in module.read_text()
    module.write_text(module.read_text().replace(right, wrong))
    mapping = read_mapping(tmp_path / "etcd" / "etcd.map.toml", values={"etcd": str(etcd_program())})
    mapping = replace(mapping, limits=replace(mapping.limits, patience=0.2))
    try:
        steps = of_actions(mapping.specification, actions)
        with Coordinator(mapping, driver_of(mapping)) as coordinator:
            run = coordinator.run("planted", steps)
    finally:
        mapping.specification.close()
    assert run.discrepancy is not None
    assert (run.discrepancy.kind, run.discrepancy.step, run.discrepancy.variable) == ("differs", len(actions), variable)


def of_actions(specification: Specification, actions: list[str]) -> list[ModelStep]:
    """The only behaviour with these actions and parameters."""
    names = {each.name: each.names for each in specification.actions}
    steps = [ModelStep(specification.initial()[0])]
    for text in actions:
        action, *values = text.split()
        (taken,) = specification.take(steps[-1].state, action, dict(zip(names[action], values, strict=True)))
        steps.append(of_transition(taken))
    return steps
