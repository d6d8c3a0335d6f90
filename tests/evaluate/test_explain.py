"""Why something is false: the suite `explanations.md`, and what must not happen on the way."""

import os
import re
from pathlib import Path

import pytest
from checking import run

import gristmill
from gristmill.report.terminal import render_result
from gristmill.search import Result

SUITE = Path(__file__).parent / "explanations.md"
_CASE = re.compile(
    r"^### (?P<title>.*?)\n\n```tla\n(?P<program>.*?)\n```\n\n"
    r"```cfg\n(?P<config>.*?)\n```\n\n```text\n(?P<text>.*?)```\n",
    re.MULTILINE | re.DOTALL,
)
_CASES = list(_CASE.finditer(SUITE.read_text(encoding="utf-8")))


def told(result: Result) -> str:
    """The verdict, the titles of the steps, and why."""
    head, _, why = render_result(result).partition("\nWhy ")
    kept = [line for line in head.splitlines() if re.match(r"Error|No error| +\d+  ", line)]
    reason = "Why " + why.partition("\n\n")[0] if why else ""
    return "\n".join([*kept, *([reason] if reason else [])]) + "\n"


@pytest.mark.parametrize("case", _CASES, ids=[case["title"] for case in _CASES])
def test_explanation(case: re.Match[str]) -> None:
    found = told(run(case["program"], case["config"]))
    if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
        text = SUITE.read_text(encoding="utf-8")
        start = text.index(case["program"])
        at = text.index("```text\n", start) + len("```text\n")
        SUITE.write_text(text[:at] + found + text[text.index("```\n", at) :], encoding="utf-8")
        return
    assert found == case["text"]


def test_the_whole_suite_is_read() -> None:
    assert len(_CASES) == SUITE.read_text(encoding="utf-8").count("\n### ")


PRINTING = r"""
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1
Inv == PrintT(x) /\ TLCSet(1, x) /\ x < 1
After == TLCGet(1) = 7
"""


def test_nothing_is_printed_twice() -> None:
    printed: list[str] = []
    result = run(PRINTING, "INIT Init NEXT Next INVARIANT Inv", output=printed.append)
    assert printed.count("1") <= 2  # the search itself evaluates a false invariant twice, to see which one it is
    assert result.violations[0].explanation is not None


WRITING = r"""
EXTENDS Naturals, CSV
VARIABLE x
Init == x = 0
Next == x' = x + 1
Inv == CSVWrite("%1$s", <<x>>, "{file}") /\ x < 1
"""


def test_nothing_is_written_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(WRITING.replace("{file}", str(tmp_path / "out.csv")), "INIT Init NEXT Next INVARIANT Inv")
    assert result.verdict == "invariant"
    assert result.violations[0].explanation is None


def test_a_single_process_is_named_in_its_steps() -> None:
    program = """EXTENDS Naturals
    (* --algorithm Two
    variable x = 0;
    process Adder = "adder"
    begin Add: x := x + 1;
    end process;
    process Doubler = "doubler"
    begin Double: x := 2 * x;
    end process;
    end algorithm; *)
    Small == x < 2"""
    result = gristmill.check(f"---- MODULE Two ----\n{program}\n====\n", invariants=["Small"], specification="Spec")
    assert result.trace is not None
    assert [(step.action, step.parameters) for step in result.trace][1:] == [
        ("Add", (("self", "adder"),)),
        ("Double", (("self", "doubler"),)),
    ]
