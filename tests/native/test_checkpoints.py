"""A search that is saved, killed, and taken up again ends with the counts of one that was not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SPECIFICATION = r"""---- MODULE Grid ----
EXTENDS Naturals, Sequences
CONSTANT Size
VARIABLES place, walked
Init == place = [axis \in {"x", "y", "z"} |-> 0] /\ walked = <<>>
Next == \E axis \in {"x", "y", "z"} :
          /\ place[axis] < Size
          /\ place' = [place EXCEPT ![axis] = @ + 1]
          /\ walked' = IF Len(walked) < 3 THEN Append(walked, axis) ELSE Tail(walked)
====
"""


pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")


def command(folder: Path, *options: str) -> list[str]:
    (folder / "Grid.tla").write_text(SPECIFICATION)
    own = [sys.executable, "-m", "gristmill.cli", "check", str(folder / "Grid.tla"), "--format", "json"]
    return [*own, "--constant", "Size = 40", "--no-deadlock", "--init", "Init", "--next", "Next", *options]


def finish(folder: Path, *options: str) -> dict[str, object]:
    done = subprocess.run(command(folder, *options), capture_output=True, text=True, timeout=300, check=False)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_killed_and_resumed(tmp_path: Path, workers: str) -> None:
    saved = tmp_path / "saved"
    often = ("--checkpoint", str(saved), "--checkpoint-minutes", "0.0005")
    process = subprocess.Popen(command(tmp_path, *often), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while process.poll() is None and not (saved / "checkpoint").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (saved / "checkpoint").exists()
    whole = finish(tmp_path, "--engine", "native")
    resumed = finish(tmp_path, "--checkpoint", str(saved), "--resume", "--workers", workers)
    for name in ("verdict", "distinct", "generated", "depth"):
        assert resumed[name] == whole[name], name


def test_a_limit_saves_as_well(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    ended = finish(tmp_path, "--checkpoint", str(saved), "--depth", "30")
    assert ended["verdict"] == "incomplete"
    resumed = finish(tmp_path, "--checkpoint", str(saved), "--resume")
    assert resumed["verdict"] == "ok"
    assert resumed["distinct"] > ended["distinct"]  # type: ignore[operator]


def test_nothing_to_resume(tmp_path: Path) -> None:
    found = finish(tmp_path, "--checkpoint", str(tmp_path / "nothing"), "--resume")
    assert (found["verdict"], found["exit_code"]) == ("error", 151)
    assert "no checkpoint" in str(found["message"])


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    finish(tmp_path, "--checkpoint", str(saved), "--depth", "30")
    found = finish(tmp_path, "--checkpoint", str(saved), "--resume", "--constant", "Size = 41")
    assert found["verdict"] == "error"
