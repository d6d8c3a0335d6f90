"""The proposal of modules: what belongs together is put together, with reasons, and always the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from specimen import CONFIG, LEASE

import gristmill
from gristmill.building import build
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.split.module_names import names_of
from gristmill.compose.split.partition import Proposal, proposed
from gristmill.compose.variables.analysis import variables_of
from gristmill.report.compose.proposal import Root, render_manifest

SOURCES = str(Path(gristmill.__file__).parents[1])
PARTS = ("Left", "Middle", "Right")
OWN = [f"{part[0].lower()}{number}" for part in PARTS for number in (1, 2)]


def rings() -> str:
    """Three rings of actions with variables of their own; they have `turn` in common. A reset writes everything."""
    lines = ["Init == turn = 0 /\\ log = {} /\\ " + " /\\ ".join(f"{name} = 0" for name in OWN)]
    for at, part in enumerate(PARTS):
        one, other = f"{part[0].lower()}1", f"{part[0].lower()}2"
        lines += [
            _action(f"{part}Begin", at, one, other, "turn"),
            _action(f"{part}Go", at, other, one, "turn"),
            _action(f"{part}Done", at, other, one, str((at + 1) % 3)),
        ]
    lines.append("Reset == " + " /\\ ".join(f"{name}' = 0" for name in OWN) + " /\\ UNCHANGED <<turn, log>>")
    names = [f"{part}{verb}" for part in PARTS for verb in ("Begin", "Go", "Done")]
    lines.append("Next == " + " \\/ ".join([*names, "Reset"]))
    body = "\n".join(lines)
    return f"---- MODULE Rings ----\nEXTENDS Naturals\nVARIABLES turn, {', '.join(OWN)}, log\n{body}\n====\n"


def _action(name: str, at: int, read: str, written: str, turn: str) -> str:
    rest = ", ".join(each for each in OWN if each != written)
    return (
        f"{name} == turn = {at} /\\ {read} < 2 /\\ {written}' = {read} + 1 /\\ turn' = {turn}"
        f" /\\ log' = log \\cup {{{at}}} /\\ UNCHANGED <<{rest}>>"
    )


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    return proposed(build(rings(), config="INIT Init\nNEXT Next").model)


def test_what_belongs_together(proposal: Proposal) -> None:
    expected = {part: (f"{part}Begin", f"{part}Go", f"{part}Done") for part in PARTS}
    assert proposal.modules == {**expected, "environment": ("Reset",)}
    assert proposal.ghosts == ("log",)
    variables = proposal.variables
    assert [variables.text(slot) for slot in variables.interaction.slots] == ["turn"]


def test_reasons(proposal: Proposal) -> None:
    first = proposal.placed["Left"][0]
    assert [proposal.variables.text(slot) for slot in first.shares] == ["l1", "l2"]
    assert first.beside == ("LeftGo", "LeftDone")
    assert proposal.placed["environment"][0].disturbs == PARTS


def test_the_manifest_is_one(tmp_path: Path, proposal: Proposal) -> None:
    (tmp_path / "Rings.tla").write_text(rings(), encoding="utf-8")
    manifest = tmp_path / "rings.toml"
    manifest.write_text(render_manifest(proposal, Root("Rings.tla")), encoding="utf-8")
    found = variables_of(read_manifest(manifest), {})
    assert {name: tuple(a.name for a in each.actions) for name, each in found.modules.items()} == proposal.modules
    assert found.interaction.slots == proposal.variables.interaction.slots


@pytest.mark.parametrize("count", [2, 4])
def test_as_many_as_are_wanted(count: int) -> None:
    found = proposed(build(LEASE, config=CONFIG).model, modules=count)
    assert len([name for name in found.modules if name != "environment"]) == count


def test_declared_ghosts() -> None:
    found = proposed(build(LEASE, config=CONFIG).model, ghosts=["copies"])
    assert found.ghosts == ("copies", "history")


def test_it_is_always_the_same(tmp_path: Path) -> None:
    (tmp_path / "Lease.tla").write_text(LEASE, encoding="utf-8")
    (tmp_path / "Lease.cfg").write_text(CONFIG, encoding="utf-8")
    for command in ("split", "split --format json"):
        texts = {
            subprocess.run(
                [sys.executable, "-m", "gristmill", "compose", *command.split(), "Lease.tla"],
                cwd=tmp_path,
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": SOURCES},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2", "3")
        }
        assert len(texts) == 1


def test_names() -> None:
    groups = [["RequestVote", "HandleVote", "CountVote"], ["AppendEntries", "HandleAppend"], ["Crash"]]
    assert names_of(groups) == ["Vote", "Append", "Crash"]
    assert len(set(names_of([["A", "B"], ["A", "C"], ["A", "D"]]))) == 3
