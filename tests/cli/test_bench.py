"""`gristmill bench` measures both engines and says whether they agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gristmill.bench.compare import Measurement
from gristmill.cli.bench import agree, bench, render

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_both_engines() -> None:
    ended = CliRunner().invoke(bench, [str(EXAMPLES / "TwoPhase.tla"), "--workers", "1"])
    assert ended.exit_code == 0, ended.output
    rows = [line.split() for line in ended.output.splitlines()[1:]]
    assert {row[4] for row in rows} == {"1,146"}
    assert rows[-1][0] == "python"


@pytest.mark.parametrize("workers", ["none", "0", "1,x"])
def test_workers_are_numbers(workers: str) -> None:
    ended = CliRunner().invoke(bench, [str(EXAMPLES / "TwoPhase.tla"), "--workers", workers])
    assert ended.exit_code == 2
    assert "--workers" in ended.output


def test_a_configuration_is_needed(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text("---- MODULE M ----\n====\n")
    ended = CliRunner().invoke(bench, [str(tmp_path / "M.tla")])
    assert ended.exit_code == 2
    assert "--config" in ended.output


def test_ratios_are_to_tlc_with_as_many_workers() -> None:
    text = render([Measurement("TLC", 1, "ok", 10, 20, 30.0, 20.0), Measurement("native", 1, "ok", 10, 20, 3.0, 1.0)])
    assert "10.0x" in text
    assert "20.0x" in text


def test_what_agreement_is() -> None:
    ok, late = Measurement("native", 1, "ok", 10, 20, 3.0, 1.0), Measurement("python", 1, "timeout")
    assert agree([ok, Measurement("python", 1, "ok", 10, 20, 9.0, 8.0)])
    assert agree([ok, late])
    assert not agree([ok, Measurement("python", 1, "ok", 10, 21, 9.0, 8.0)])
    assert not agree([late])
    assert not agree([ok, Measurement("python", 1, "failed")])
