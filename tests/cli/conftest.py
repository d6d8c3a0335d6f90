"""The command line inside this process: as a person calls it, but without the start of another interpreter."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gristmill.cli.main import main


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `gristmill` in an empty folder, where `write` puts files."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["gristmill", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else int(code is not None), captured.out, captured.err)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def put(name: str, text: str) -> Path:
        """The text of a module gets its first and last line."""
        path = tmp_path / name
        if path.suffix == ".tla" and "MODULE" not in text:
            text = f"---- MODULE {path.stem} ----\n{text}\n====\n"
        path.write_text(text)
        return path

    return put
