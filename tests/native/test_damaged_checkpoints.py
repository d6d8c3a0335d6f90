"""Nothing that has happened to a file of a checkpoint goes unnoticed: it is refused, with one message."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.search import Limits, Result

WALK = r"""---- MODULE Walk ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANT Walkers
VARIABLES at, log, far
Init == at = [w \in Walkers |-> 0] /\ log = <<>> /\ far = {}
Step(w) == /\ at[w] < 4
           /\ at' = [at EXCEPT ![w] = @ + 1]
           /\ log' = IF Len(log) < 3 THEN Append(log, w) ELSE Tail(log)
           /\ far' = {v \in Walkers : at'[v] > 2}
Next == \E w \in Walkers : Step(w)
Spec == Init /\ [][Next]_<<at, log, far>> /\ WF_<<at, log, far>>(Next)
Arrives == <>(\A w \in Walkers : at[w] = 4)
Alike == Permutations(Walkers)
Places == at
===="""
SAFETY = "INIT Init NEXT Next"
KINDS = {
    "safety": (SAFETY, False),
    "fingerprint": (SAFETY, True),
    "view": (f"{SAFETY} VIEW Places", False),
    "symmetry": (f"{SAFETY} SYMMETRY Alike", False),
    "fingerprint-of-view": (f"{SAFETY} VIEW Places", True),
    "liveness": ("SPECIFICATION Spec PROPERTY Arrives", False),
}
POSITIONS = 6  # in each file


@dataclass(frozen=True)
class Saving:
    """A search that is saved in a folder."""

    kind: str
    folder: Path

    def run(self, **options: object) -> Result:
        config, fingerprint = KINDS[self.kind]
        own = Options(engine="native", fingerprint=fingerprint, checkpoint=self.folder)
        model = build(WALK, config=f"{config} CHECK_DEADLOCK FALSE CONSTANT Walkers = {{a, b, c}}").model
        return check(model, replace(own, **options))  # type: ignore[arg-type]

    def save(self, depth: int) -> Saving:
        assert self.run(limits=Limits(depth=depth)).verdict == "incomplete"
        return self

    def resume(self) -> Result:
        return self.run(resume=True)


@pytest.fixture(params=KINDS)
def saving(request: pytest.FixtureRequest, tmp_path: Path) -> Saving:
    return Saving(request.param, tmp_path / "saved").save(9)


def assert_refused(result: Result, what: object) -> None:
    assert (result.verdict, result.status) == ("error", 151), what
    assert [each.id for each in result.diagnostics] == ["no-checkpoint"], what
    assert "checkpoint" in result.message


def damages(whole: bytes) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(len(whole))
    for _ in range(POSITIONS):
        at = chance.randrange(len(whole))
        changed = whole[at] ^ chance.randrange(1, 256)
        yield f"changed at {at}", whole[:at] + bytes([changed]) + whole[at + 1 :]
    start = chance.randrange(len(whole))
    yield f"nothing after {start}", whole[:start]
    yield "nothing", b""
    yield "appended to", whole + b"\0"
    yield "appended to by a lot", whole + whole
    half = len(whole) // 2 & ~7
    yield "halves exchanged", whole[half:] + whole[:half]
    yield "zeros in it", whole[: len(whole) // 3] + bytes(len(whole) - len(whole) // 3)


def test_every_damage_to_every_file_is_refused(saving: Saving) -> None:
    files = sorted(saving.folder.iterdir())
    assert len(files) >= 3
    for path in files:
        whole = path.read_bytes()
        for what, damaged in damages(whole):
            if damaged == whole:
                continue
            path.write_bytes(damaged)
            assert_refused(saving.resume(), (path.name, what))
        path.unlink()
        assert_refused(saving.resume(), (path.name, "missing"))
        path.write_bytes(whole)
    whole_run = Saving(saving.kind, saving.folder.with_name("other")).run()
    resumed = saving.resume()
    assert resumed.ok
    assert (resumed.distinct, resumed.generated) == (whole_run.distinct, whole_run.generated)


def test_files_of_another_checkpoint_are_refused(saving: Saving) -> None:
    other = Saving(saving.kind, saving.folder.with_name("other")).save(7)
    for path in sorted(saving.folder.iterdir()):
        whole, foreign = path.read_bytes(), (other.folder / path.name).read_bytes()
        if foreign != whole:  # the layout, and initial states, are those of the same model
            path.write_bytes(foreign)
            assert_refused(saving.resume(), path.name)
            path.write_bytes(whole)


def test_all_files_are_private(saving: Saving) -> None:
    assert {oct(path.stat().st_mode & 0o777) for path in saving.folder.iterdir()} == {"0o600"}
    assert oct(saving.folder.stat().st_mode & 0o777) == "0o700"


def test_what_a_killed_process_has_added_is_taken_away(saving: Saving) -> None:
    """It has written some files of the next checkpoint, but not what says how long they are."""
    wanted = Saving(saving.kind, saving.folder.with_name("other")).run()
    (saving.folder / "checkpoint.new").write_bytes(b"unfinished")
    with (saving.folder / "actions").open("ab") as file:
        file.write(bytes(1000))
    resumed = saving.resume()
    assert resumed.ok
    assert (resumed.distinct, resumed.generated) == (wanted.distinct, wanted.generated)
    assert not (saving.folder / "checkpoint.new").exists()


def test_a_shorter_search_in_a_folder_that_was_used(saving: Saving) -> None:
    saving.save(6)
    assert saving.resume().ok
