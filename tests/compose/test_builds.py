"""Compositions as text, and what is said about manifests that have none: the suites of `cases/`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from suites import FOLDER, Case, cases, composed_or_refused, read

from gristmill.building import build
from gristmill.compose.build.sources import config_source, module_source

BUILDS, MESSAGES = cases("builds"), cases("messages")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", BUILDS, ids=lambda case: case.title)
def test_composition(case: Case, folder: Path) -> None:
    composed, text = composed_or_refused(case, folder)
    assert composed is not None, text
    assert text == case.expected
    model = build(module_source(composed), config=config_source(composed), search_path=composed.search_path).model
    assert {action.name for action in model.actions} <= {action.name for action in composed.actions} | {"Next"}
    assert model.variables == composed.variables


@pytest.mark.parametrize("case", MESSAGES, ids=lambda case: case.title)
def test_message(case: Case, folder: Path) -> None:
    composed, text = composed_or_refused(case, folder)
    assert composed is None
    assert text == case.expected


if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):

    @pytest.mark.parametrize("suite", ["builds", "messages"])
    def test_update(suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        head, found = read(FOLDER / f"{suite}.md")
        written = []
        for number, case in enumerate(found):
            place = tmp_path / str(number)
            place.mkdir()
            monkeypatch.chdir(place)
            written.append(case.updated(composed_or_refused(case, place)[1]))
        (FOLDER / f"{suite}.md").write_text("\n## ".join((head, *written)))
