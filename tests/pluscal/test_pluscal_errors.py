"""Mistakes other than in labels: the algorithm, the id of the message, and the text it points at."""

import pytest

from gristmill.pluscal import translate
from gristmill.source import Diagnostic, SourceFile


def diagnostics(algorithm: str) -> tuple[Diagnostic, ...]:
    return translate(SourceFile("m.tla", f"---- MODULE m ----\n(* {algorithm} *)\n====")).diagnostics


MISTAKES = [
    ("--algorithm", "pluscal-syntax", ""),
    ("--fair process", "pluscal-syntax", "--fair"),
    (
        "--algorithm m variables x = 0; fair proces P = 1 begin l: skip; end process end algorithm",
        "pluscal-syntax",
        "proces",
    ),
    (
        "--algorithm m variables x = 0; fair+ proces P = 1 begin l: skip; end process end algorithm",
        "pluscal-syntax",
        "proces",
    ),
    ("--algorithm m variables x = 0; begin l: x := end algorithm", "pluscal-syntax", "end"),
    ("--algorithm m variables x = 0 begin l: x := 1 y := 2; end algorithm", "pluscal-missing-semicolon", "1"),
    ("--algorithm m variables x = 0 begin l: x := 1 skip; end algorithm", "pluscal-missing-semicolon", "1"),
    ("--algorithm m variables x = 0 begin l: x = 1; end algorithm", "pluscal-syntax", ";"),
    ("--algorithm m variables x = 0 begin l: x + 1 := 1; end algorithm", "pluscal-bad-assignment", "x + 1"),
    ("--algorithm m variables x = 0 begin l: if x = 0 then skip; end while; end algorithm", "pluscal-syntax", "while"),
    ("--algorithm m variables x = 0 begin l: while x = 0 do end while; end algorithm", "pluscal-empty-body", "end"),
    (
        "--algorithm m variables x = 0 begin l: either skip; end either; end algorithm",
        "pluscal-either-without-or",
        "either",
    ),
    ("--algorithm m variables x = 0 begin l: skip;", "pluscal-syntax", ""),
    ("--algorithm m variables x = 0 begin l: x := (1 + ; end algorithm", "pluscal-syntax", ";"),
    ("--algorithm m variables x = 0 begin l: x := 1 + 2 * ; end algorithm", "pluscal-syntax", ";"),
    ("--algorithm m variables x = 0; begin Done: skip; end algorithm", "pluscal-reserved-label", "Done"),
    ("--algorithm m variables x = 0; begin l: goto k; end algorithm", "pluscal-unknown-label", "k"),
    ("--algorithm m variables x = 0; begin l: return; end algorithm", "pluscal-return-outside-procedure", "return"),
    ("--algorithm m variables x = 0; begin l: call p(); end algorithm", "pluscal-unknown-procedure", "p"),
    ("--algorithm m variables x = 0; begin l: p(); end algorithm", "pluscal-unknown-macro", "p"),
    ("--algorithm m variables x = 0; begin l: y := 1; end algorithm", "pluscal-undeclared-variable", "y"),
    (
        "--algorithm m variables x = 0; begin l: with v = 1 do v := 1; end with; end algorithm",
        "pluscal-undeclared-variable",
        "v",
    ),
    (
        "--algorithm m variables x = 0; begin l: with x = 1 do skip; end with; end algorithm",
        "pluscal-bound-variable",
        "x",
    ),
    ("--algorithm m variables x = 0, x = 1; begin l: skip; end algorithm", "pluscal-duplicate-name", "x"),
    ("--algorithm m variables pc = 0; begin l: skip; end algorithm", "pluscal-duplicate-name", "pc"),
    ("--algorithm m variables x = 0; begin Next: skip; end algorithm", "pluscal-reserved-name", "Next"),
    ("--algorithm m variables vars; begin l: skip; end algorithm", "pluscal-reserved-name", "vars"),
    ("--algorithm m variables x = 0; begin l: skip; l: skip; end algorithm", "pluscal-duplicate-name", "l"),
    (
        "--algorithm m variables x = 0; macro k() begin skip; end macro; macro k() begin skip; end macro;"
        " begin l: k(); end algorithm",
        "pluscal-duplicate-name",
        "k",
    ),
    (
        "--algorithm m variables x = 0; macro k(a) begin a := 1; end macro; begin l: k(1); end algorithm",
        "pluscal-bad-assignment",
        "1",
    ),
    (
        "--algorithm m variables x = 0; macro k(a) begin a := 1; end macro; begin l: k(x, x); end algorithm",
        "pluscal-argument-count",
        "k(x, x)",
    ),
    (
        "--algorithm m variables x = 0; macro k() begin l: skip; end macro; begin k(); end algorithm",
        "pluscal-label-in-macro",
        "l",
    ),
    (
        "--algorithm m variables x = 0; procedure p(a) begin p1: return; end procedure;"
        " begin l: call p(); end algorithm",
        "pluscal-argument-count",
        "call p()",
    ),
    (
        "--algorithm m variables x = 0; procedure p(a \\in {1}) begin p1: return; end procedure;"
        " begin l: skip; end algorithm",
        "pluscal-initial-set",
        "\\in",
    ),
    ("--algorithm m { process (p \\in 1 .. 2) { l: while (TRUE) skip; } }", "pluscal-no-variables", "m"),
    ("--algorithm m { variables x = 0; { l: x := 1;; } }", "pluscal-syntax", ";"),
    ("--algorithm m { variables x = 0; { l: if x = 0 { skip; } } }", "pluscal-syntax", "x"),
    ("--algorithm m { variables x = 0; { l: } }", "pluscal-syntax", "}"),
    ("--algorithm m variables x = <<1, 2; begin l: skip; end algorithm", "pluscal-syntax", ";"),
    ("--algorithm m variables x = 0; define A = 1 end define begin l: skip; end algorithm", "pluscal-syntax", "="),
]


@pytest.mark.parametrize(("algorithm", "id", "text"), MISTAKES)
def test_mistake(algorithm: str, id: str, text: str) -> None:
    problem, *_ = diagnostics(algorithm)
    assert problem.id == id
    assert problem.span is not None
    assert problem.span.text == text


def test_one_run_reports_mistakes_of_several_statements_and_processes() -> None:
    problems = diagnostics(
        """--algorithm m variables x = 0;
        process a = 1 begin l: x := ; x := +; m: skip; end process;
        process b = 2 begin l: if then skip; end if; end process;
        process c = 3 begin l: await ; end process;
        end algorithm"""
    )
    assert [p.span.line if p.span else 0 for p in problems] == [3, 3, 4, 5]


def test_prose_is_no_algorithm() -> None:
    text = "---- MODULE m ----\n(* The keyword --algorithm starts an algorithm. *)\n===="
    translation = translate(SourceFile("m.tla", text))
    assert translation.text is None


def test_macros_that_double_are_stopped() -> None:
    macros = "macro m0(a) begin x := a; end macro;\n" + "\n".join(
        f"macro m{n}(a) begin m{n - 1}(a + a); end macro;" for n in range(1, 60)
    )
    (problem,) = diagnostics(f"--algorithm m variables x = 0; {macros} begin l: m59(x); end algorithm")
    assert problem.id == "pluscal-macros-too-large"


def test_macros_of_many_statements_are_stopped() -> None:
    macros = "macro m0() begin skip; end macro;\n" + "\n".join(
        f"macro m{n}() begin m{n - 1}(); m{n - 1}(); end macro;" for n in range(1, 60)
    )
    (problem,) = diagnostics(f"--algorithm m variables x = 0; {macros} begin l: m59(); end algorithm")
    assert problem.id == "pluscal-macros-too-large"


@pytest.mark.parametrize(
    "algorithm",
    [
        "--algorithm m variables x = 0; begin l: " + "if x = 0 then " * 3000,
        "--algorithm m variables x = 0; begin l: x := " + "(" * 5000,
        "--algorithm m { variables x = 0; { l: " + "{" * 5000,
        "--algorithm m variables x = 0; begin l: if x = 0 then skip; " + "elsif x = 1 then skip; " * 3000,
    ],
)
def test_deep_nesting_is_a_message(algorithm: str) -> None:
    assert diagnostics(algorithm)
