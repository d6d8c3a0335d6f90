"""The trace of an alarm is opened where one looks into a specification by hand."""

from pathlib import Path

from click.testing import CliRunner
from lock_recordings import MAPPING, OUT_OF_TURN, record

from gristmill.cli.step import step
from gristmill.cli.watch import watch


def test_step_opens_the_trace_of_an_alarm(tmp_path: Path) -> None:
    """At the end stands the state in which the message was sent, and what keeps the specification from sending it."""
    wrong, trace = record(tmp_path / "wrong.trace", *OUT_OF_TURN), tmp_path / "alarm.itf.json"
    runner = CliRunner()
    assert runner.invoke(watch, [str(MAPPING), "--from", str(wrong), "--itf", str(trace)]).exit_code == 13
    found = runner.invoke(step, [str(MAPPING.with_name("Lock.tla")), "--trace", str(trace), "--print"])
    assert found.exit_code == 0
    assert "  3  Assign(" in found.stdout
    assert "current[s] = m.ticket   (current[s] = 1, m.ticket = 2)" in found.stdout
    assert "state 1 of the trace is no initial state" in found.stderr
    assert "state 4 of the trace is reached by no step of the specification" in found.stderr
