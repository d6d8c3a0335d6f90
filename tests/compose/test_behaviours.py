"""Traces, summaries and movers of systems, by `gristmill compose verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from lease import FINE

from gristmill.cli.main import gristmill as command
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.verify.messages import without_messages
from gristmill.values import World, make_record

ROOT = (
    FINE.replace("MODULE Fine", "MODULE Lease")
    .replace("EXTRA", r"\/ \E n \in Node : Crash(n)")
    .replace("Next ==", 'Safe == \\A m, n \\in Node : role[m] = "holder" /\\ role[n] = "holder" => m = n\nNext ==')
)
MERGING = r"""
---- MODULE LeaseCoarse ----
CONSTANT Node
VARIABLES role, up
Get(n) == up[n] /\ (\A m \in Node : role[m] = "idle") /\ role' = [role EXCEPT ![n] = "holder"] /\ UNCHANGED up
====
"""
# Who is next is decided beforehand, and the one who asks is not seen.
WITH_OWN = r"""
---- MODULE LeaseCoarse ----
CONSTANT Node
VARIABLES role, up, next
Init == next = {}
Choose(n) == up[n] /\ next = {} /\ next' = {n} /\ UNCHANGED <<role, up>>
Get(n) == /\ n \in next /\ up[n] /\ (\A m \in Node : role[m] = "idle") /\ next' = {}
          /\ role' = [role EXCEPT ![n] = "holder"] /\ UNCHANGED up
Drop(n) == n \in next /\ next' = {} /\ UNCHANGED <<role, up>>
====
"""
MANIFEST = """
[system]
root = "Lease.tla"
invariants = ["Safe"]
[constants]
Node = "{a, b}"
Most = "2"
[domain]
n = "Node"
[module.Lease]
actions = ["Ask", "Offer", "Take"]
grain.coarse = { file = "LeaseCoarse.tla", actions = ["Get(n)"], of = "fine" }
[module.Jobs]
actions = ["Work"]
[environment]
actions = ["Crash"]
[mix.merged]
Lease = "coarse"
"""


@pytest.fixture
def merging(tmp_path: Path) -> Path:
    return written(tmp_path, ROOT, MERGING, MANIFEST)


@pytest.fixture
def with_own(tmp_path: Path) -> Path:
    hidden = ROOT.replace('role[n] = "asking"', "TRUE").replace(
        'role\' = [role EXCEPT ![n] = "asking"]', "role' = role"
    )
    return written(tmp_path, hidden, WITH_OWN, MANIFEST.replace('["Get(n)"]', '["Choose(n)", "Get(n)", "Drop(n)"]'))


def written(folder: Path, root: str, coarse: str, manifest: str) -> Path:
    (folder / "Lease.tla").write_text(root)
    (folder / "LeaseCoarse.tla").write_text(coarse)
    (folder / "Lease.toml").write_text(manifest)
    return folder / "Lease.toml"


def run(manifest: Path, *options: str) -> Result:
    return CliRunner().invoke(command, ["compose", "verify", str(manifest), "--engine", "python", *options])


def document(manifest: Path, *options: str) -> Any:
    return json.loads(run(manifest, "--format", "json", *options).stdout)


def test_a_merging_grain_is_rejected_by_steps_and_explained_by_its_summary(merging: Path) -> None:
    found = run(merging, "--summaries")
    assert found.exit_code == 13
    assert "Uninterrupted runs of Lease are summarised exactly from 9 of 9 entry states" in found.stdout
    assert "What A cannot see:" in found.stdout
    assert "- Crash between Ask and Offer (24 of 36 such steps do not commute" in found.stdout
    (unit,) = document(merging, "--summaries")["behaviours"]
    assert unit["traces"] is None
    assert (unit["summary"]["exact"], unit["summary"]["entries"]) == (9, 9)
    assert [each["action"] for each in unit["movers"]["hidden"]] == ["Crash"]


def test_traces_are_told_both_ways(merging: Path) -> None:
    text = run(merging, "--traces").stdout
    assert "C(Lease) shows what A cannot show: checks of A miss this" in text
    assert "A shows what C(Lease) cannot show: this may be a false alarm" in text
    (unit,) = document(merging, "--traces")["behaviours"]
    missed = unit["traces"]["missed"]
    assert (missed["verdict"], missed["difference"]["action"]) == ("different", "Ask")
    assert unit["observed"] == ["role", "up", "jobs"]


def test_nothing_more_is_looked_at_unless_it_is_wanted(merging: Path) -> None:
    assert document(merging)["behaviours"] == []


def test_a_grain_with_variables_of_its_own_is_compared_by_traces(with_own: Path) -> None:
    found = run(with_own)
    assert found.exit_code == 3
    assert "A shows every finite behaviour that C(Lease) shows" in found.stdout
    assert "C(Lease) is the whole system" in found.stdout
    (unit,) = document(with_own)["behaviours"]
    assert unit["own_variables"] == ["next"]
    assert (unit["traces"]["missed"]["verdict"], unit["traces"]["added"]) == ("included", None)


def test_two_mixes(merging: Path) -> None:
    found = run(merging, "--compare", "fine", "merged")
    assert found.exit_code == 13
    assert found.stdout.startswith("Lease: behaviours of fine against merged\n")
    assert run(merging, "--compare", "fine", "merged", "--hide", "role").exit_code == 0
    assert run(merging, "--compare", "fine", "fine").exit_code == 0
    assert document(merging, "--compare", "fine", "merged")["traces"]["missed"]["verdict"] == "different"
    assert "there is no mix 'coarser'" in run(merging, "--compare", "fine", "coarser").output


def test_a_limit_leaves_it_open(merging: Path) -> None:
    found = run(merging, "--compare", "fine", "merged", "--seconds", "0.000001")
    assert found.exit_code == 3
    assert "Not decided" in found.stdout or "cannot be explored" in found.stdout


def test_messages_of_the_module_alone_are_not_seen(world: World) -> None:
    ask, tell = (make_record({"kind": kind, "to": 1}) for kind in ("ask", "tell"))
    seen = {"field": "kind", "hidden": {"ask"}}
    assert without_messages(frozenset({ask, tell}), **seen) == frozenset({tell})  # type: ignore[arg-type]
    assert without_messages((ask, tell, ask), **seen) == (tell,)  # type: ignore[arg-type]
    assert without_messages(((ask,), (tell, tell)), **seen) == ((), (tell, tell))  # type: ignore[arg-type]
    assert without_messages(make_record({"a": (ask,)}), **seen) == frozenset({("a", ())})  # type: ignore[arg-type]
    assert without_messages(5, **seen) == 5  # type: ignore[arg-type]


def test_the_network_without_the_modules_own_messages(tmp_path: Path) -> None:
    root = r"""
---- MODULE Lease ----
VARIABLES net, done
Init == net = <<>> /\ done = 0
Ask == done = 0 /\ net = <<>> /\ net' = <<[kind |-> "ask"]>> /\ UNCHANGED done
Hear == net # <<>> /\ net[1].kind = "ask" /\ net' = <<[kind |-> "job"]>> /\ UNCHANGED done
Do == net # <<>> /\ net[1].kind = "job" /\ net' = <<>> /\ done' = 1
Next == Ask \/ Hear \/ Do
====
"""
    coarse = r"""
---- MODULE LeaseCoarse ----
VARIABLES net, done
Both == done = 0 /\ net = <<>> /\ net' = <<[kind |-> "job"]>> /\ UNCHANGED done
====
"""
    manifest = """
[system]
root = "Lease.tla"
slice = { net = "kind" }
[module.Talk]
actions = ["Ask", "Hear"]
grain.coarse = { file = "LeaseCoarse.tla", actions = ["Both"], of = "fine" }
[module.Work]
actions = ["Do"]
"""
    path = written(tmp_path, root, coarse, manifest)
    assert read_manifest(path).slices == {"net": "kind"}
    (unit,) = document(path, "--traces")["behaviours"]
    assert unit["hidden_messages"] == {"net": '"ask"'}
    assert {unit["traces"][each]["verdict"] for each in ("missed", "added")} == {"included"}
