"""Explanations as a person and as a program reads them."""

import re

from test_json_report import SCHEMA, violations_of_schema

from gristmill.report.explanation import render_blocked, render_explanation
from gristmill.report.json import result_document
from gristmill.report.style import Style
from gristmill.report.terminal import render_result
from gristmill.search import Result, Violation
from gristmill.source import SourceFile
from gristmill.trace import Blocked, Explanation, Step, Trace

SOURCE = SourceFile("Spec.tla", "Inv == \\A p \\in P : n[p] < 3\n")
LEAF = Explanation("n[p] < 3", False, SOURCE.span(20, 28), (("p", "2"),), (("n[p]", "4"),))
WHOLE = Explanation("\\A p \\in P : n[p] < 3", False, SOURCE.span(7, 28), parts=(LEAF,))
PLAIN, COLOUR = Style(False), Style(True)


def lines(explanation: Explanation, width: int = 100, style: Style = PLAIN) -> list[str]:
    return list(render_explanation(explanation, style, width))


def test_a_line_for_each_formula():
    assert lines(WHOLE) == [
        "  FALSE  \\A p \\in P : n[p] < 3",
        "    for p = 2",
        "    FALSE  n[p] < 3   (n[p] = 4)",
    ]


def test_what_does_not_fit_has_its_own_lines():
    long = Explanation("x = y", False, values=(("x", "{" + "1, " * 30 + "1}"), ("y", "2")), note="they differ")
    assert lines(long, 60) == [
        "  FALSE  x = y",
        "           x = {" + "1, " * 30 + "1}",
        "           y = 2",
        "           they differ",
    ]


def test_long_formulas_are_cut():
    (line,) = lines(Explanation("x + " * 50 + "y > 0", True), 60)
    assert len(line) == 60
    assert line.endswith("…")


def test_what_cannot_be_evaluated():
    assert lines(Explanation("f[7]", None, note="cannot be evaluated: 7 is not in the domain")) == [
        "  ?      f[7]   (cannot be evaluated: 7 is not in the domain)"
    ]


def test_control_characters_do_not_reach_the_terminal():
    text = "\n".join(lines(Explanation('x = "\x1b[2J"', False, values=(("x", '"\x1b"'),))))
    assert "\x1b" not in text


def test_colour_only_adds():
    plain, colour = lines(WHOLE), lines(WHOLE, style=COLOUR)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in colour] == plain
    assert colour != plain


BLOCKED = (
    Blocked("Inc", Explanation("x < 2", False, values=(("x", "2"),))),
    Blocked("Send", Explanation("up[p]", False), (("p", "p1"),)),
    Blocked("Late", Explanation("x = k + 5", False), count=20),
    Blocked("Either", Explanation("a \\/ b", False, parts=(Explanation("a", False), Explanation("b", False)))),
)


def test_a_table_of_what_blocks_actions():
    assert list(render_blocked(BLOCKED, PLAIN, 100)) == [
        "  Inc              x < 2   (x = 2)",
        "  Send(p = p1)     up[p]",
        "  Late (20 cases)  x = k + 5",
        "  Either           a \\/ b",
        "                     a",
        "                     b",
    ]


def result(**reason: object) -> Result:
    trace = Trace(("x",), (Step({"x": 1}), Step({"x": 2}, "put", (), None, SOURCE.span(0, 3))))
    violation = Violation("invariant", "Inv", "Invariant Inv is violated", trace, **reason)
    return Result("invariant", "Inv", violation.message, trace=trace, violations=(violation,))


def test_it_stands_under_the_counterexample():
    text = render_result(result(explanation=WHOLE))
    assert "  2  put  Spec.tla:1 (algorithm)\n" in text
    assert "\n\nWhy Inv is false here\n  FALSE  \\A p" in text


def test_the_json_document():
    document = result_document(result(explanation=WHOLE, blocked=BLOCKED))
    assert list(violations_of_schema(document, SCHEMA)) == []
    assert document["explanation"]["parts"][0]["bindings"] == {"p": "2"}
    assert document["explanation"]["parts"][0]["values"] == {"n[p]": "4"}
    assert document["explanation"] == document["violations"][0]["explanation"]
    assert [each["action"] for each in document["blocked"]] == ["Inc", "Send", "Late", "Either"]
    assert document["trace"][1]["algorithm"]["line"] == 1
