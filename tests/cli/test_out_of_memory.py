"""Running out of memory is one message and one exit status, never a traceback, a signal, or "no error"."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource")

SPECIFICATION = r"""---- MODULE Big ----
EXTENDS Naturals, Sequences
VARIABLES s, n
Init == s = <<>> /\ n = 0
Next == \E i \in 1..6 : s' = (IF Len(s) < 40 THEN Append(s, i) ELSE <<>>) /\ n' = n + i
Large == SUBSET (1..22)
====
"""
MEGABYTES = (110, 180, 260, 400, 900, 1500)
INCOMPLETE, FAILED = 3, 75


def run(folder: Path, megabytes: int, *command: str) -> subprocess.CompletedProcess[str]:
    return run_python(folder, megabytes, "-m", "gristmill.cli", *command)


def run_python(folder: Path, megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    (folder / "Big.tla").write_text(SPECIFICATION)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limit,
        env={**os.environ, "PYTHONFAULTHANDLER": ""},
    )


def assert_incomplete(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == INCOMPLETE, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    told = done.stdout + done.stderr
    assert "There is no more memory" in told or "limit" in told


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("megabytes", MEGABYTES)
def test_a_search(tmp_path: Path, megabytes: int, engine: str) -> None:
    own = ("check", "Big.tla", "--no-deadlock", "--engine", engine, "--seconds", "3")
    assert_incomplete(run(tmp_path, megabytes, *own))


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
@pytest.mark.parametrize("megabytes", [110, 260])
def test_an_expression(tmp_path: Path, megabytes: int) -> None:
    done = run(tmp_path, megabytes, "eval", "--seconds", "20", "<<{<<S, 1>> : S \\in SUBSET (1..20)}>>")
    assert_incomplete(done)


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
def test_the_checkpoint_is_kept(tmp_path: Path) -> None:
    """One that was saved before, and is too large for the memory that there is now."""
    own = ("check", "Big.tla", "--no-deadlock", "--checkpoint", "saved")
    assert run(tmp_path, 8000, *own, "--depth", "8").returncode == INCOMPLETE
    before = {path.name: path.read_bytes() for path in (tmp_path / "saved").iterdir()}
    assert_incomplete(run(tmp_path, 700, *own, "--resume", "--seconds", "3"))
    assert set(before) <= {path.name for path in (tmp_path / "saved").iterdir()}
    resumed = run(tmp_path, 8000, *own, "--resume", "--depth", "9")
    assert resumed.returncode == INCOMPLETE
    assert "depth 9" in resumed.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
def test_room_for_one_deep_stack_is_room_for_one_after_the_other(tmp_path: Path) -> None:
    """Also where the next is wanted before the system has taken back the last."""
    calls = "from gristmill.source.stack import with_deep_stack\nfor _ in range(200): with_deep_stack(lambda: None)"
    done = run_python(tmp_path, 700, "-c", calls)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
@pytest.mark.parametrize("megabytes", [110, 400])
def test_an_example(tmp_path: Path, megabytes: int) -> None:
    done = run(tmp_path, megabytes, "examples", "clock")
    assert_incomplete(done)
    assert "expected:" not in done.stdout  # that would be another verdict


@pytest.mark.skipif(sys.platform != "linux", reason="address space is not limited elsewhere")
def test_an_example_for_which_there_is_room(tmp_path: Path) -> None:
    done = run(tmp_path, 900, "examples", "clock")
    assert done.returncode == 0, done.stdout + done.stderr
