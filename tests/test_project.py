"""The project's own files agree with one another."""

import os
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = re.findall(r"^ {4}(python3 -m venv .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    tests = [command for command in commands if command.endswith("pytest")]
    assert len(tests) == 1
    for name in (".ci/run", "CONTRIBUTING.md"):
        lines = [line.strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
        assert tests[0] in lines, name


def test_ci_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")


def test_the_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        prose = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_layer_has_a_row_in_the_architecture() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = {name.strip(" ()") for line in contract[0]["layers"] for name in line.split("|")}
    built = {layer for layer in layers if (ROOT / "src" / "gristmill" / layer).is_dir()}
    table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert not [layer for layer in built if f"`{layer}`" not in table]
