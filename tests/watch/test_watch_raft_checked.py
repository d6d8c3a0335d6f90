"""The specification that etcd is watched by is safe, within small bounds; and checking it can fail."""

from pathlib import Path

import gristmill
from gristmill import Result
from gristmill.source import SourceFile

RAFT = Path(__file__).parents[2] / "examples" / "raft"
CONFIG = RAFT / "RaftMessagesBounded.cfg"


def test_raft_is_safe() -> None:
    result = gristmill.check(RAFT / "RaftMessagesBounded.tla", config=CONFIG, constants={"MaxMessages": 5})
    assert result.verdict == "ok"
    assert result.distinct > 5_000


def clients(tmp_path: Path, old: str = "", new: str = "", **constants: object) -> Result:
    """Checked with clients, and perhaps a part of the specification replaced."""
    raft = (RAFT / "RaftMessages.tla").read_text()
    assert old in raft
    (tmp_path / "RaftMessages.tla").write_text(raft.replace(old, new) if old else raft)
    for name in ("RaftMessagesBounded.tla", "RaftMessagesClients.tla"):
        (tmp_path / name).write_text((RAFT / name).read_text())
    config = SourceFile("clients.cfg", (RAFT / "RaftMessagesClients.cfg").read_text())
    return gristmill.check(tmp_path / "RaftMessagesClients.tla", config=config, constants=constants, seconds=240)


LEADING = "Leading(i, get) == get.done \\/ IsQuorum(log[i], commit[i], get.acks \\cup {i})"


def test_reads_of_clients_are_linearizable(tmp_path: Path) -> None:
    """By five messages; seven take minutes (239,050 states)."""
    result = clients(tmp_path, MaxMessages=5)
    assert result.verdict == "ok"
    assert any(each.name == "AnswerGet" and each.generated > 0 for each in result.coverage)


def test_reads_by_members_that_do_not_lead_are_linearizable(tmp_path: Path) -> None:
    """They ask who leads: a leader that commits, a heartbeat with the token of the read, its answer, and theirs."""
    result = clients(tmp_path, MaxMessages=6, Numbers=set(), Beats={1}, Asked={"s2"}, Campaigners={"s3"})
    assert result.verdict == "ok"
    taken = {each.name for each in result.coverage if each.generated > 0}
    assert {"AnswerRead", "AnswerGet"} <= taken


def test_a_leader_that_answers_reads_at_once_is_found(tmp_path: Path) -> None:
    result = clients(tmp_path, LEADING, "Leading(i, get) == TRUE", Numbers=set())
    assert result.verdict == "invariant"
    assert result.property == "Linearizable"


def test_writes_that_are_answered_too_early_are_found(tmp_path: Path) -> None:
    asked = {"Reads": set(), "Numbers": set(), "Writes": {21}, "Data": {21}}
    result = clients(tmp_path, "write.id = id /\\ (write.done \\/ IsAlone(i))", "write.id = id", **asked)
    assert result.verdict == "invariant"
    assert result.property == "WritesSurvive"


def test_a_server_that_votes_twice_is_found(tmp_path: Path) -> None:
    raft = (RAFT / "RaftMessages.tla").read_text()
    guard = "m.term > term[i] \\/ vote[i] \\in {Nobody, m.from}"
    assert guard in raft
    (tmp_path / "RaftMessages.tla").write_text(raft.replace(guard, "TRUE"))
    (tmp_path / "RaftMessagesBounded.tla").write_text((RAFT / "RaftMessagesBounded.tla").read_text())
    bounded = tmp_path / "RaftMessagesBounded.tla"
    config = SourceFile("bounded.cfg", CONFIG.read_text())
    result = gristmill.check(bounded, config=config, constants={"MaxTerm": 1, "MaxMessages": 6})
    assert result.verdict == "invariant"
    assert result.property == "ElectionSafety"
