"""What a shell is told when somebody presses Tab."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from gristmill.cli.completion import SHELLS, VARIABLE
from gristmill.cli.main import gristmill


def completed(*words: str) -> list[tuple[str, str]]:
    """Kinds and values of what the last word may become."""
    found = BashComplete(gristmill, {}, "gristmill", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return [(item.type, str(item.value)) for item in found]


def test_verbs_and_options_are_completed() -> None:
    assert ("plain", "simulate") in completed("sim")
    assert ("plain", "--workers") in completed("check", "--work")
    assert ("plain", "native") in completed("check", "--engine", "na")


@pytest.mark.parametrize("words", [("check", ""), ("check", "--config", "M"), ("tlc", "Spec"), ("replay", "m")])
def test_files_are_completed(words: tuple[str, ...]) -> None:
    assert [kind for kind, _ in completed(*words)] == ["file"]


def test_options_of_tlc_are_completed() -> None:
    assert completed("tlc", "-dumpT") == [("plain", "-dumpTrace")]


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_read_by_their_shells(shell: str, tmp_path: Path) -> None:
    script = subprocess.run(
        [sys.executable, "-m", "gristmill.cli", "completion", shell], capture_output=True, text=True, check=True
    ).stdout
    assert "gristmill" in script
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"no {shell} here")
    (tmp_path / "script").write_text(script)
    only_read = "--no-execute" if shell == "fish" else "-n"
    check = [program, only_read, str(tmp_path / "script")]
    assert subprocess.run(check, capture_output=True, text=True).returncode == 0
