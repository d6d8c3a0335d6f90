"""What a person reads."""

import io
import re
from dataclasses import replace

import pytest
from toy_models import counter, die_hard, state_predicate

from gristmill.report.progress import ProgressLine, progress_line
from gristmill.report.terminal import Options, render_result, render_simulation, render_trace
from gristmill.search import Action, Limits, Progress, Result, breadth_first
from gristmill.search.simulate import simulate
from gristmill.source import SourceFile
from gristmill.trace import Step, Trace
from gristmill.values import ModelValue, make_record, make_set

NOT_SOLVED = state_predicate("NotSolved", lambda big, small: big != 4)


def without_time(text: str) -> str:
    return re.sub(r"\d+\.\d\d s", "T s", text)


def test_counterexample():
    result = breadth_first(counter(9, invariants=[state_predicate("Low", lambda n: n < 2)]))
    assert without_time(render_result(result)) == (
        "Error: Invariant Low is violated\n"
        "\n"
        "2 steps: Up ×2\n"
        "\n"
        "  1  Initial state\n"
        "     n = 0\n"
        "  2  Up\n"
        "     n: 0 → 1\n"
        "  3  Up\n"
        "     n: 1 → 2\n"
        "\n"
        "3 distinct states, 3 generated\n"
        "depth 3, T s\n"
    )


def test_success():
    low = state_predicate("Low", lambda n: n < 2)
    model = counter(9, constraints=[low])
    model.actions = (*model.actions, Action("Down"))
    assert without_time(render_result(breadth_first(model))) == (
        "No error found\n"
        "\n"
        "2 distinct states, 3 generated\n"
        "depth 2, T s\n"
        "new states from one state: 0.5 on average, 0 to 1, 95 % at most 1\n"
        "\n"
        "action    new states         taken\n"
        "Init               1             1\n"
        "Up                 1             2\n"
        "Down               0             0  never taken\n"
        "\n"
        "What this rests on\n"
        "  - Once a generated state was not explored because of Low: what lies behind it has not been\n"
        "    checked.\n"
        "  - Never possible: Down.\n"
    )


def test_incomplete():
    text = render_result(breadth_first(counter(9), limits=Limits(depth=3)))
    assert text.startswith("Not finished: The depth limit of 3 was reached\nNo error was found until then.\n")
    assert "3 distinct states, 1 of them left to explore" in text


def test_every_violation_is_told():
    text = render_result(
        breadth_first(
            die_hard(invariants=[NOT_SOLVED, state_predicate("NotOne", lambda big, small: small != 1)]), keep_going=True
        )
    )
    assert "Error: Invariant NotOne is violated (2 times)\n" in text
    assert "Error: Invariant NotSolved is violated (2 times)\n" in text


def test_marks_parameters_places_and_unchanged_variables():
    source = SourceFile("dir/Spec.tla", "\n\nSend(p) == TRUE")
    steps = (
        Step({"sent": make_set([]), "n": 0}),
        Step({"sent": make_set([ModelValue("p1")]), "n": 0}, "Send", (("p", ModelValue("p1")),), source.span(2, 6)),
        Step({"sent": make_set([ModelValue("p1")]), "n": 0}, "Idle"),
    )
    trace = Trace(("sent", "n"), steps, loop_start=1, closing=replace(steps[1], location=None))
    assert "\n".join(render_trace(trace, Options(trace="full"))) == (
        "\n"
        "2 steps: Send(p1) · Idle\n"
        "\n"
        "  1  Initial state\n"
        "     sent = {}\n"
        "     n    = 0\n"
        "\n"
        "  2  Send(p = p1)  Spec.tla:3\n"
        "   * sent = {p1}\n"
        "     n    = 0\n"
        "\n"
        "  3  Idle\n"
        "     sent = {p1}\n"
        "     n    = 0\n"
        "     nothing changed\n"
        "\n"
        "     Back to state 2 by Send(p = p1)"
    )
    assert "\n".join(render_trace(replace(trace, closing=None))) == (
        "\n"
        "2 steps: Send(p1) · Idle\n"
        "\n"
        "  1  Initial state\n"
        "     sent = {}\n"
        "     n    = 0\n"
        "  2  Send(p = p1)  Spec.tla:3\n"
        "     sent: {} → {p1}\n"
        "  3  Idle\n"
        "     nothing changed\n"
        "\n"
        "     Back to state 2."
    )
    brief = "\n".join(render_trace(trace, Options(trace="full", unchanged="omit")))
    assert "  2  Send(p = p1)  Spec.tla:3\n   * sent = {p1}\n\n  3  Idle\n     nothing changed\n" in brief
    coloured = "\n".join(render_trace(trace, Options(color=True, trace="full")))
    assert "\x1b[1;33m   * sent = {p1}\x1b[0m" in coloured
    assert "\x1b[2m     n    = 0\x1b[0m" in coloured


@pytest.mark.usefixtures("world")
def test_wide_values_are_wrapped_under_their_name():
    value = make_set([make_record({"kind": "request", "from": n}) for n in range(4)])
    text = "\n".join(render_trace(Trace(("m",), (Step({"m": value}),)), Options(width=60, trace="full")))
    lines = text.split("\n")[2:]
    assert len(lines) == 4
    assert all(line.startswith("         ") for line in lines[1:])
    assert max(map(len, lines)) <= 60


def test_stuttering():
    trace = Trace(("n",), (Step({"n": 0}),), stuttering=True)
    assert list(render_trace(trace))[-1] == "     Nothing happens any more."


def test_no_control_characters_reach_the_terminal():
    step = Step({"s": "\x1b[2J"}, "\x1b[31mAct", ())
    result = Result("error", message="bad \x1b]0;title\x07", trace=Trace(("s",), (step,)))
    assert "\x1b" not in render_result(result)
    assert "\x1b" not in "\n".join(render_trace(result.trace))


def test_simulation():
    found = simulate(counter(9, constraints=[state_predicate("Low", lambda n: n < 2)]), seed=8, behaviours=3)
    assert without_time(render_simulation(found)) == (
        "No error found\n"
        "\n"
        "3 behaviours, 7 states generated, T s\n"
        "length 2.0 on average, 2 to 2, standard deviation 0.0\n"
        "seed 8\n"
        "\n"
        "action         taken     generated\n"
        "Init               3             1\n"
        "Up                 3             6\n"
        "\n"
        "What this rests on\n"
        "  - 3 behaviours were chosen at random: there are others.\n"
        "  - 3 generated states were never taken because of a constraint.\n"
    )


class TestProgress:
    PROGRESS = Progress(distinct=1500, generated=4000, queue=20, depth=7, seconds=3.0, memory=200 << 20)

    def test_line(self):
        before = Progress(500, 1000, 30, 5, 1.0, 0)
        assert progress_line(self.PROGRESS, before) == (
            "0:03  1,500 distinct  4,000 generated  20 in queue  depth 7  500 distinct/s  200 MB"
        )

    def test_a_log_gets_a_line_now_and_then(self):
        stream = io.StringIO()
        line = ProgressLine(stream, every=2.0)
        for seconds in (0.5, 1.0, 2.5, 3.0, 4.0, 4.6):
            line(Progress(1, 1, 1, 1, seconds, 0))
        line.close()
        assert [text[:4] for text in stream.getvalue().splitlines()] == ["0:02", "0:04"]
        assert "\x1b" not in stream.getvalue()

    def test_a_terminal_gets_one_line_and_is_left_clean(self):
        stream = io.StringIO()
        line = ProgressLine(stream, terminal=True)
        line(self.PROGRESS)
        line.close()
        assert stream.getvalue().startswith("\r\x1b[K0:03  1,500 distinct")
        assert stream.getvalue().endswith("\r\x1b[K")
        assert "\n" not in stream.getvalue()
