"""The suites in `cases/`: Markdown with programs, each followed by the tree or the errors that it gives.

A program that is no module stands in a module `Test`, its first line being line 2. With `--update-golden` the blocks
behind the programs are written anew.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dump import dump

from gristmill.source import SourceFile
from gristmill.syntax.parser import parse_module

CASES = Path(__file__).parent / "cases"
_CASE = re.compile(
    r"^### (?P<title>[^\n]+)\n(?P<prose>(?:(?!```|###)[^\n]*\n)*)"
    r"```tla\n(?P<program>.*?\n)```\n"
    r"(?:\n```(?P<kind>tree|errors)\n(?P<golden>.*?\n)```\n)?",
    re.MULTILINE | re.DOTALL,
)
_MODULE = re.compile(r"---+ MODULE")


@dataclass(frozen=True)
class Case:
    suite: str
    title: str
    program: str
    kind: str  # "tree" or "errors"
    golden: str

    @property
    def id(self) -> str:
        return f"{self.suite}: {self.title}"

    @property
    def file(self) -> SourceFile:
        return source_of(self.program)


def source_of(program: str) -> SourceFile:
    text = program if _MODULE.search(program) else f"---- MODULE Test ----\n{program}====\n"
    return SourceFile("Test.tla", text)


def cases() -> Iterator[Case]:
    for path in sorted(CASES.glob("*.md")):
        for found in _CASE.finditer(path.read_text(encoding="utf-8")):
            yield Case(path.stem, found["title"], found["program"], found["kind"] or "", found["golden"] or "")


def result_of(program: str) -> tuple[str, str]:
    """The kind of the golden block of a program, and its text."""
    parsed = parse_module(source_of(program))
    if not parsed.diagnostics:
        assert parsed.module is not None
        parts = [parsed.module] if _MODULE.search(program) else parsed.module.units
        return "tree", "".join(dump(part) + "\n" for part in parts)
    lines = []
    for diagnostic in parsed.diagnostics:
        assert diagnostic.span is not None
        lines.append(f"{diagnostic.span.line}:{diagnostic.span.column} {diagnostic.id}: {diagnostic.message}\n")
        if diagnostic.help:
            lines.append(f"  help: {diagnostic.help}\n")
    return "errors", "".join(lines)


def update_golden() -> None:
    for path in CASES.glob("*.md"):
        path.write_text(_CASE.sub(_updated, path.read_text(encoding="utf-8")), encoding="utf-8")


def _updated(found: re.Match[str]) -> str:
    kind, golden = result_of(found["program"])
    head = f"### {found['title']}\n{found['prose']}```tla\n{found['program']}```\n"
    return f"{head}\n```{kind}\n{golden}```\n"
