"""Mistakes in coarse grains, at least one for each condition: each is rejected, with words that say what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from gristmill.checking.options import Options
from gristmill.cli.compose.verify import verify as command
from gristmill.compose.conclusion import invariants_of_whole, verified
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.verify.result import FailingStep, Verification
from gristmill.compose.verify.verification import verify
from gristmill.report.compose.verification import render_verification
from gristmill.search import Limits
from gristmill.source import ConfigurationError

CLUSTER = Path(__file__).parent / "cluster"
OPTIONS = Options(engine="python")


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CLUSTER, tmp_path / "cluster"))


def changed(folder: Path, file: str, *replacements: tuple[str, str]) -> None:
    text = (folder / file).read_text()
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    (folder / file).write_text(text)


def result(folder: Path) -> Verification:
    return verify(read_manifest(folder / "Cluster.toml"), OPTIONS)


def only_failure(found: Verification) -> FailingStep:
    assert found.outcome == "rejected"
    assert found.exit_code == 13
    (step,) = [each for unit in found.units for each in unit.failures]
    return step


def ids(found: Verification) -> set[tuple[str, str, str]]:
    return {(each.condition, each.severity, each.diagnostic.id) for each in found.findings}


def test_the_grains_without_a_mistake(cluster: Path) -> None:
    found = result(cluster)
    assert found.outcome == "proven"
    assert found.exit_code == 0
    assert found.findings == ()
    election, replication = found.units
    assert election.foreign == ("acks",)
    assert election.internal == ("votes",)
    assert replication.internal == ("acks",)
    assert [(each.action, each.to) for each in election.action_map] == [
        ("Stand", ("Stand",)),
        ("Vote", ("Vote",)),
        ("Win", ("Win",)),
    ]
    (invariant,) = found.invariants
    assert (invariant.holds, invariant.in_) == (True, ("Election", "Replication"))
    assert any("holds of S" in each for each in found.argument)
    assert "liveness" in found.argument[-1]


def test_both_engines_say_the_same(cluster: Path) -> None:
    changed(cluster, "ElectionCoarse.tla", ("![v] = {}]", "![v] = {v}]"))
    manifest = read_manifest(cluster / "Cluster.toml")
    one, other = (verify(manifest, Options(engine=engine)) for engine in ("python", "native"))  # type: ignore[arg-type]
    assert [unit.explored.engine for unit in other.units if unit.explored] == ["native", "native"]
    for left, right in zip(one.units, other.units, strict=True):
        assert left.explored is not None
        assert right.explored is not None
        assert (left.explored.distinct, left.explored.generated) == (right.explored.distinct, right.explored.generated)
        assert left.action_map == right.action_map
        assert [told(step) for step in left.failures] == [told(step) for step in right.failures]


def told(step: FailingStep) -> list[object]:
    """Without places in the texts of compositions, of which there are two."""
    candidates = [(each.action, each.differences, [b.guard.text for b in each.blocked]) for each in step.candidates]
    return [step.action, step.parameters, step.changes, candidates, len(step.trace)]


def test_an_interaction_variable_is_dropped(cluster: Path) -> None:
    """Replication no longer says what becomes of the logs, by which elections are decided."""
    changed(
        cluster,
        "ReplicationCoarse.tla",
        ("VARIABLES term, role, log, committed", "VARIABLES term, role, committed"),
        ("    /\\ log[s] < MaxLog\n    /\\ log' = [log EXCEPT ![s] = @ + 1]\n", ""),
        ("    /\\ log[v] < log[s]\n    /\\ log' = [log EXCEPT ![v] = log[s]]\n", ""),
        ("    /\\ log[s] > committed\n", ""),
        (" /\\ \\A v \\in Q : log[v] >= log[s]", ""),
        ("committed' = log[s]", "committed' \\in 0..MaxLog"),
        ("UNCHANGED <<term, role, log>>", "UNCHANGED <<term, role>>"),
    )
    found = result(cluster)
    assert ("O1", "rejects", "lost-variable") in ids(found)
    lost = next(each.diagnostic for each in found.findings if each.unit == "Election")
    assert "`log`" in lost.message
    assert "ReplicationCoarse.tla" in lost.message
    assert lost.span is not None
    assert Path(lost.span.file.path).name == "Cluster.tla"


def test_an_update_is_lost(cluster: Path) -> None:
    changed(
        cluster,
        "ReplicationCoarse.tla",
        ("    /\\ term' = [term EXCEPT ![v] = term[s]]\n", ""),
        ("UNCHANGED committed", "UNCHANGED <<term, committed>>"),
    )
    step = only_failure(result(cluster))
    assert (step.unit, step.action) == ("Replication", "Copy")
    (follower,) = [value for name, value in step.parameters if name == "v"]
    assert f"term[{follower}]" in [each.variable for each in step.changes]
    copy = next(each for each in step.candidates if each.action == "Copy")
    (difference,) = copy.differences
    assert difference.variable == f"term[{follower}]"
    assert difference.coarse == difference.before != difference.fine


def test_a_write_to_what_only_another_module_reads_is_lost(cluster: Path) -> None:
    """O2: in C(Election), where nobody keeps acks, no step would show it."""
    changed(cluster, "ElectionCoarse.tla", ("acks' = [acks EXCEPT ![v] = {}]", "UNCHANGED acks"))
    found = result(cluster)
    (finding,) = [each for each in found.findings if each.severity == "rejects"]
    assert (finding.condition, finding.severity, finding.unit) == ("O2", "rejects", "Election")
    message = finding.diagnostic.message
    assert "`Vote` writes `acks`, which Replication reads" in message
    assert finding.diagnostic.span is not None
    assert finding.diagnostic.span.text == "acks'"
    assert Path(finding.diagnostic.span.file.path).name == "Cluster.tla"
    assert not any(unit.failures for unit in found.units)


def test_a_grain_that_does_not_declare_what_it_should_write(cluster: Path) -> None:
    changed(
        cluster,
        "ElectionCoarse.tla",
        ("VARIABLES term, role, log, acks", "VARIABLES term, role, log"),
        ("    /\\ acks' = [acks EXCEPT ![v] = {}]\n", ""),
        ("UNCHANGED <<log, acks>>", "UNCHANGED log"),
        ("UNCHANGED <<term, log, acks>>", "UNCHANGED <<term, log>>"),
    )
    found = result(cluster)
    (finding,) = [each for each in found.findings if each.severity == "rejects"]
    assert (finding.condition, finding.severity, finding.unit) == ("O1", "rejects", "Replication")
    assert "`acks`, which is lost in this mix" in finding.diagnostic.message


@pytest.mark.parametrize("wrong", ["![v] = {v}]", "![s] = {}]"], ids=["another value", "another part"])
def test_what_only_another_module_reads_is_written_otherwise(cluster: Path, wrong: str) -> None:
    changed(cluster, "ElectionCoarse.tla", ("![v] = {}]", wrong))
    step = only_failure(result(cluster))
    assert (step.unit, step.action) == ("Election", "Vote")
    assert any(change.before.endswith("before the step") for change in step.changes)
    vote = next(each for each in step.candidates if each.action == "Vote")
    assert {each.variable.partition("[")[0] for each in vote.differences} == {"acks"}


def test_what_only_another_module_reads_is_left_open(cluster: Path) -> None:
    """That allows more, and nothing is overlooked."""
    changed(
        cluster,
        "ElectionCoarse.tla",
        ("acks' = [acks EXCEPT ![v] = {}]", "\\E some \\in {{}, {v}} : acks' = [acks EXCEPT ![v] = some]"),
    )
    assert result(cluster).outcome == "proven"


def test_an_update_that_depends_on_what_nobody_knows(cluster: Path) -> None:
    changed(cluster, "Cluster.tla", ("acks' = [acks EXCEPT ![v] = {}]", "acks' = [acks EXCEPT ![v] = @ \\ {s}]"))
    changed(cluster, "ElectionCoarse.tla", ("![v] = {}]", "![v] = @ \\ {s}]"))
    found = result(cluster)
    assert found.outcome == "incomplete"
    assert found.exit_code == 3
    assert ("O2", "undecided", "foreign-update-unknown") in ids(found)


def test_an_update_is_computed_from_another_modules_internals(cluster: Path) -> None:
    changed(
        cluster,
        "ReplicationCoarse.tla",
        ("VARIABLES term, role, log, committed", "VARIABLES term, role, log, committed, votes"),
        ("committed' = log[s]", "committed' = Cardinality(votes[s])"),
        ("UNCHANGED <<term, role, committed>>", "UNCHANGED <<term, role, committed, votes>>"),
        ("UNCHANGED committed", "UNCHANGED <<committed, votes>>"),
        ("UNCHANGED <<term, role, log>>", "UNCHANGED <<term, role, log, votes>>"),
    )
    found = result(cluster)
    assert ("O1", "rejects", "lost-variable") in ids(found)
    lost = next(each.diagnostic for each in found.findings if each.diagnostic.id == "lost-variable")
    assert "`votes`" in lost.message
    assert lost.span is not None
    assert Path(lost.span.file.path).name == "ReplicationCoarse.tla"


def test_a_coarse_election_that_elects_a_leader_with_a_stale_log(cluster: Path) -> None:
    """Voters look for a log that is no longer than theirs: a server that is ahead is never elected."""
    changed(cluster, "ElectionCoarse.tla", ("log[v] <= log[s]", "log[v] >= log[s]"))
    step = only_failure(result(cluster))
    assert (step.unit, step.action) == ("Election", "Vote")
    vote = next(each for each in step.candidates if each.action == "Vote")
    assert not vote.differences or {each.variable for each in vote.differences}
    assert any("log[v] >= log[s]" in each.guard.text for each in vote.blocked) or vote.differences


def test_a_step_that_only_the_fine_module_can_take(cluster: Path) -> None:
    changed(cluster, "Cluster.toml", ('"Stand(s)", "Vote(s, v)", "Win(s)"]', '"Stand(s)", "Vote(s, v)"]'))
    found = result(cluster)
    step = only_failure(found)
    assert step.action == "Win"
    assert [each.variable.partition("[")[0] for each in step.changes] == ["role"]
    assert [each.action for each in step.candidates if each.blocked or each.differences] != []
    assert any("C(Replication)" in each and "does not cover" in each for each in found.argument)


def test_a_step_that_the_fine_module_cannot_take_is_told(cluster: Path) -> None:
    """It may bring false alarms, and overlooks nothing."""
    changed(
        cluster,
        "ElectionCoarse.tla",
        (
            "Win(s) ==",
            'Usurp(s) == role\' = [role EXCEPT ![s] = "king"] /\\ UNCHANGED <<term, log, acks>>\n\nWin(s) ==',
        ),
    )
    changed(cluster, "Cluster.toml", ('"Win(s)"]', '"Win(s)", "Usurp(s)"]'))
    found = result(cluster)
    assert found.outcome == "proven"
    assert found.units[0].unused == ("Usurp",)


def test_other_initial_states(cluster: Path) -> None:
    changed(
        cluster, "ElectionCoarse.tla", ("Stand(s) ==", 'Init == role = [s \\in Server |-> "candidate"]\n\nStand(s) ==')
    )
    found = result(cluster)
    assert ("O0", "rejects", "initial-state-missing") in ids(found)


def test_the_action_map_of_the_manifest_is_checked(cluster: Path) -> None:
    line = 'actions = ["Stand(s)", "Vote(s, v)", "Win(s)"], of = "fine"'
    given = ', map = { Stand = "Stand(s)", Vote = "Vote(s, v)", Win = [] }'
    changed(cluster, "Cluster.toml", (line, line + given))
    found = result(cluster)
    assert only_failure(found).action == "Win"
    assert all(each.given for each in found.units[0].action_map)


def test_a_constraint_is_refused(cluster: Path) -> None:
    changed(
        cluster,
        "Cluster.tla",
        ("NeverBeyond ==", "Few == term[s1] < 2\n\nNeverBeyond =="),
        ("CONSTANTS Server", "CONSTANTS s1, Server"),
    )
    (cluster / "Cluster.cfg").write_text("CONSTANTS\n s1 = s1\nCONSTRAINT Few\n")
    changed(cluster, "Cluster.toml", ('root = "Cluster.tla"', 'root = "Cluster.tla"\nconfig = "Cluster.cfg"'))
    found = result(cluster)
    assert ("bounds", "rejects", "constraint-in-force") in ids(found)
    assert found.outcome == "rejected"


def test_a_variable_of_its_own(cluster: Path) -> None:
    changed(
        cluster,
        "ElectionCoarse.tla",
        ("VARIABLES term, role, log, acks", "VARIABLES term, role, log, acks, round"),
        ("Stand(s) ==", "Init == round = 0\n\nStand(s) ==\n    /\\ round < 4\n    /\\ round' = round + 1"),
        ("UNCHANGED log\n", "UNCHANGED <<log, round>>\n"),
        ("UNCHANGED <<term, log, acks>>", "UNCHANGED <<term, log, acks, round>>"),
    )
    found = result(cluster)
    assert found.outcome != "proven"
    assert ("variables", "undecided", "variable-of-its-own") in ids(found)


def test_nothing_coarse(cluster: Path) -> None:
    text = (cluster / "Cluster.toml").read_text()
    (cluster / "Cluster.toml").write_text("\n".join(line for line in text.splitlines() if "grain" not in line))
    with pytest.raises(ConfigurationError, match="nothing to verify"):
        result(cluster)


def test_in_words(cluster: Path) -> None:
    changed(cluster, "ElectionCoarse.tla", ("![v] = {}]", "![v] = {v}]"))
    text = render_verification(result(cluster))
    assert "Rejected: a coarse grain is no fair stand-in." in text
    assert "A step of Vote(s = s1, v = s2) that no coarse action of Election can take" in text
    assert "acks[s2] before the step  {}    {s2}" in text
    assert "No invariant of the whole follows" in " ".join(text.split())


def test_on_the_command_line(cluster: Path) -> None:
    run = CliRunner().invoke(command, [str(cluster / "Cluster.toml"), "--engine", "python", "--format", "json"])
    assert run.exit_code == 0, run.output
    document = json.loads(run.output)
    assert document["outcome"] == "proven"
    assert [each["name"] for each in document["units"]] == ["Election", "Replication"]
    changed(cluster, "Cluster.toml", ('"Vote(s, v)", "Win(s)"]', '"Vote(s, v)"]'))
    run = CliRunner().invoke(command, [str(cluster / "Cluster.toml"), "--engine", "python", "--format", "json"])
    assert run.exit_code == 13
    assert json.loads(run.output)["units"][0]["failures"][0]["action"] == "Win"


def test_the_conclusion_for_check_each(cluster: Path) -> None:
    system = read_manifest(cluster / "Cluster.toml")
    assert invariants_of_whole(verified(system, OPTIONS)) == ("NeverBeyond",)
    in_haste = Options(engine="python", limits=Limits(seconds=0.000001))
    assert verified(system, in_haste).outcome == "incomplete"
    changed(cluster, "ElectionCoarse.tla", ("![v] = {}]", "![v] = {v}]"))
    assert invariants_of_whole(verified(read_manifest(cluster / "Cluster.toml"), OPTIONS)) == ()


def test_the_letter_of_the_papers_is_told(cluster: Path) -> None:
    """It decides nothing: O1 and O2 do."""
    changed(cluster, "ElectionCoarse.tla", ("acks' = [acks EXCEPT ![v] = {}]", "UNCHANGED acks"))
    found = result(cluster)
    (remix,) = [each for each in found.findings if each.condition == "Remix"]
    assert remix.severity == "told"
    assert "`Vote` updates `acks`, on which others depend, and no coarse action does" in remix.diagnostic.message
    changed(cluster, "ElectionCoarse.tla", ("UNCHANGED acks", "acks' = [acks EXCEPT ![v] = {}]"))
    changed(cluster, "ElectionCoarse.tla", ("log[v] <= log[s]\n", "log[v] <= log[s]\n    /\\ acks[v] = {}\n"))
    found = result(cluster)
    assert any("depends on `acks`, internal to others (condition 1)" in e.diagnostic.message for e in found.findings)
