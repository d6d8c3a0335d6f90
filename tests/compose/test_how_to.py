"""What the documentation shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from gristmill.cli.main import gristmill

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "compose-show.md"


def _blocks() -> list[tuple[str, str]]:
    """The commands of the page, each with the output below it."""
    text = re.sub(r"^(?! {4}|$).*$", "\f", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip("\n") for block in text.split("\f")]
    return [tuple(block[2:].split("\n", 1)) for block in blocks if block.startswith("$ ")]  # type: ignore[misc]


def test_commands_and_their_output(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    found = _blocks()
    assert found
    for command, output in found:
        result = CliRunner().invoke(gristmill, command.split()[1:])
        assert result.output.strip("\n") == output, command


def test_the_manifest_is_that_of_the_example() -> None:
    manifest = (ROOT / "examples" / "TwoPhase.toml").read_text(encoding="utf-8").split("\n\n", 1)[1]
    shown = re.sub(r"^ {4}", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert manifest.strip() in shown


def test_the_drawing_is_that_of_the_example(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    svg = tmp_path / "drawn.svg"
    assert (
        CliRunner().invoke(gristmill, ["compose", "show", "examples/TwoPhase.toml", "--svg", str(svg)]).exit_code == 0
    )
    assert svg.read_text(encoding="utf-8") == PAGE.with_suffix(".svg").read_text(encoding="utf-8")
