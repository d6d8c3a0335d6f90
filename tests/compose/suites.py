"""Markdown suites of systems: `cases/*.md` has manifests and modules, and what becomes of them.

A case has a block of TOML, blocks of TLA+ (each a file, named after its module) and of configurations (`Spec.cfg`), a
line `Mix: Module=grain …`, and a block with the composition, or with what is wrong. `pytest --update-golden` writes
the last block anew; read the difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gristmill.compose import composition, read_manifest
from gristmill.compose.system import Composition, Mix, System
from gristmill.report.compose.composition import render_composition
from gristmill.source import SourceError
from gristmill.source.render import render_text

FOLDER = Path(__file__).parent / "cases"
_FENCE = re.compile(r"```(\w*)\n(.*?)```\n", re.DOTALL)
_MODULE = re.compile(r"MODULE\s+(\w+)")
_MIX = re.compile(r"^Mix: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    suite: Path
    text: str  # from its title on

    @property
    def title(self) -> str:
        return f"{self.suite.stem}: {self.text.partition(chr(10))[0]}"

    @property
    def mix(self) -> dict[str, str]:
        found = _MIX.search(self.text)
        return dict(pair.split("=") for pair in found[1].split()) if found and found[1] != "fine" else {}

    @property
    def expected(self) -> str:
        return next((body for kind, body in _FENCE.findall(self.text) if kind == "text"), "")

    def write(self, folder: Path) -> None:
        for kind, body in _FENCE.findall(self.text):
            if kind == "toml":
                (folder / "system.toml").write_text(body)
            elif kind == "tla":
                found = _MODULE.search(body)
                (folder / f"{found[1] if found else 'Broken'}.tla").write_text(body)
            elif kind == "cfg":
                (folder / "Spec.cfg").write_text(body)

    def updated(self, outcome: str) -> str:
        head = self.text.partition("```text\n")[0].rstrip("\n")
        return f"{head}\n\n```text\n{outcome}```\n"


def read(path: Path) -> tuple[str, list[Case]]:
    """What stands before the first case, and the cases."""
    head, *sections = path.read_text().split("\n## ")
    return head, [Case(path, section.rstrip("\n") + "\n") for section in sections]


def cases(suite: str) -> list[Case]:
    return read(FOLDER / f"{suite}.md")[1]


def system_of(case: Case, folder: Path) -> System:
    """In the folder of the case, which is the working folder: places are shown without it."""
    case.write(folder)
    return read_manifest("system.toml")


def composed_or_refused(case: Case, folder: Path) -> tuple[Composition | None, str]:
    try:
        composed = composition(system_of(case, folder), case.mix)
    except SourceError as error:
        return None, render_text(error.diagnostics) + "\n"
    return composed, f"{render_composition(composed)}\n{composed.text}\n{composed.config}"


__all__ = ["Case", "Mix", "cases", "composed_or_refused", "read", "system_of"]
