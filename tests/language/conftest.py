"""Modules in a folder, with a mark for the place that is asked about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gristmill.language.analysis import Analysis
from gristmill.language.workspace import Workspace

MARK = "‸"
Written = Callable[..., "Asked"]


class Asked:
    """A workspace, and the module and offset where the mark stood in its text."""

    def __init__(self, workspace: Workspace, path: Path, offset: int) -> None:
        self.workspace, self.path, self.offset = workspace, path, offset

    @property
    def analysis(self) -> Analysis:
        return self.workspace.analysis(str(self.path))

    def place(self, found: object) -> str:
        """`M.tla:3: the line` of a place."""
        path, start, end = found  # type: ignore[misc]
        text = Path(path).read_text(encoding="utf-8")
        line = text.count("\n", 0, start) + 1
        return f"{Path(path).name}:{line}: {text[start:end]}"


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write modules, given as `name="text"`; the first one with a mark is asked about."""

    def write(**texts: str) -> Asked:
        asked = None
        for name, text in texts.items():
            path = tmp_path / f"{name}.tla"
            whole = text if "MODULE" in text else f"---- MODULE {name} ----\n{text}\n====\n"
            path.write_text(whole.replace(MARK, ""), encoding="utf-8")
            if MARK in whole or asked is None:
                asked = path, max(whole.find(MARK), 0)
        assert asked is not None
        return Asked(Workspace([str(tmp_path)]), *asked)

    return write
