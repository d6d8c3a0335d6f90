"""Drivers of small programs, made from a text and a table of a mapping, without a specification."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gristmill.replay.driver import Point, Reading, Setup
from gristmill.replay.program import ProgramDriver
from gristmill.source import SourceFile
from gristmill.source.toml_places import places_of
from gristmill.source.toml_reader import parsed_document

MakeDriver = Callable[..., ProgramDriver]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeDriver]:
    made: list[ProgramDriver] = []

    def driver(
        program: str,
        mapping: str = '[program]\nfile = "server.py:program"\ndecode = "server.py:decode"\n',
        nodes: Sequence[str] = ("a", "b"),
        points: Sequence[Point] = (),
        readings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> ProgramDriver:
        (tmp_path / "server.py").write_text(program)
        file = SourceFile("system.map.toml", mapping)
        given = tuple(Reading(name, how) for name, how in (readings or {}).items())
        setup = Setup(tuple(nodes), tuple(points), given, parsed_document(file), places_of(file), tmp_path)
        made.append(ProgramDriver(setup))
        return made[-1]

    yield driver
    for each in made:
        each.stop()
