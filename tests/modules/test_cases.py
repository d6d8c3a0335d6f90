"""The suites in `cases/`: a program, and what is said about it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gristmill.modules import load_specification
from gristmill.source import SourceFile

_CASE = re.compile(
    r"^### (?P<title>.*?)\n\n```tla\n(?P<program>.*?)\n```\n\n(?P<expected>.*?)\n", re.MULTILINE | re.DOTALL
)


def _cases() -> Iterator[object]:
    for path in sorted((Path(__file__).parent / "cases").glob("*.md")):
        for found in _CASE.finditer(path.read_text(encoding="utf-8")):
            yield pytest.param(found["program"], found["expected"], id=f"{path.stem}: {found['title']}")


@pytest.mark.parametrize(("program", "expected"), list(_cases()))
def test_case(program: str, expected: str) -> None:
    text = f"---- MODULE Test ----\n{program}\n====\n"
    loaded = load_specification(SourceFile("Test.tla", text))
    said = [("" if d.severity == "error" else f"{d.severity} ") + d.id for d in loaded.diagnostics]
    assert said == re.findall(r"`(.*?)`", expected), "\n".join(map(str, loaded.diagnostics))
    assert loaded.ok == (not any(" " not in each for each in said))


def test_every_suite_is_read() -> None:
    for path in (Path(__file__).parent / "cases").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert len(_CASE.findall(text)) == text.count("\n### "), path.name
