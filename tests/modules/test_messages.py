"""What people are told: all the errors of a run, hints, and where a level comes from."""

import pytest

from gristmill.modules import load_specification
from gristmill.source import Diagnostic, SourceFile


def diagnostics(body: str) -> tuple[Diagnostic, ...]:
    return load_specification(SourceFile("Test.tla", f"---- MODULE Test ----\n{body}\n====\n")).diagnostics


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("VARIABLE counter\nR == conter", "did you mean `counter`?"),
        ("R == Len(<<>>)", "`Len` is defined in the module Sequences: add it to EXTENDS"),
        ("R == 1 + 1", "`+` is defined in the module Naturals: add it to EXTENDS"),
        ("R == -1", "`-.` is defined in the module Integers: add it to EXTENDS"),
        ("I == INSTANCE Sequences\nR == I!Lenn(<<>>)", "did you mean `Len`?"),
        ("f == 1\nR == f(2)", "a function is applied with brackets: `f[…]`"),
        ("R == \\A x \\in {1} : l :: x\nS == 1", "write `l(x)`"),
    ],
)
def test_hints(body: str, hint: str) -> None:
    assert [d.help for d in diagnostics(body)] == [hint]


def test_all_errors_are_reported_in_order() -> None:
    found = diagnostics("A == x\nB(p) == p\nC == B\nD == [a |-> 1, a |-> y]\nA == 2")
    assert [(d.id, d.span.line if d.span else 0) for d in found] == [
        ("unknown-name", 2),
        ("wrong-arity", 4),
        ("duplicate-field", 5),
        ("unknown-name", 5),
        ("duplicate-definition", 6),
    ]


def test_where_a_level_comes_from() -> None:
    (diagnostic,) = diagnostics("VARIABLE v\nNext == v' = 1\nOp(p) == p'\nR == Op(IF v = 1 THEN Next ELSE v)")
    assert diagnostic.message == "argument 1 of `Op` must be of at most state level, but this is of action level"
    assert [(label.span.text, label.span.line, label.text) for label in diagnostic.labels] == [
        ("Next", 5, "this makes it action level"),
        ("Next", 3, "`Next`, of action level, is defined here"),
    ]


def test_one_mistake_is_one_message() -> None:
    assert [d.id for d in diagnostics("VARIABLE v\nA == {(v'')'}\nB == A'")] == ["level-too-high"]


def test_many_mistakes_are_cut_short() -> None:
    assert len(diagnostics("R == " + " /\\ ".join(f"x{i}" for i in range(1000)))) == 100
