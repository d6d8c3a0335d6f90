"""Chapter 9: the numbers of states in the table of reductions are those that come out, as far as that is quick."""

import importlib.util
import re
from argparse import Namespace
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_two_servers() -> None:
    page = (ROOT / "docs" / "book" / "09-raft.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| ([a-z ]+?) \| ([\d,]+) \|", page, re.MULTILINE))
    assert found() == shown


def found() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("reductions", ROOT / "benchmarks" / "model_reductions.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    asked = Namespace(seconds=None, engine="python")
    constants, states = dict(script.UNREDUCED), {}
    for name, change in script.REDUCTIONS:
        constants.update(change)
        states[name], _ = script.measured(2, constants, asked)
    return states
