"""The pages of the families show what really comes out. Commands are run in the root of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Command, blocks, call, matches, timeless

ROOT = Path(__file__).parents[2]
COMMANDS = [
    pytest.param(command, id=f"{page}: {command.text.removeprefix('gristmill compose ')}")
    for page in ("raft", "parallelraft")
    for block in blocks((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    for command in block
]


@pytest.mark.parametrize("command", COMMANDS)
def test_page(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    output = call(command.text)
    assert matches(output, command.output), f"$ {command.text}\n{timeless(output)}"
