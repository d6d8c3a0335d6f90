"""Every rule about labels: an algorithm that breaks it, and what we say."""

import pytest

from gristmill.pluscal import translate
from gristmill.source import SourceFile

VARIABLES = "variables x = 0, y = 0, f = [i \\in 1 .. 2 |-> 0];"


def ids(statements: str, before: str = "", options: str = "") -> list[str]:
    """The mistakes in a process of these statements, in the syntax with `begin` and `end`."""
    text = f"""---- MODULE m ----
    {options}
    (* --algorithm m {VARIABLES} {before} process p = 1 begin {statements} end process; end algorithm *)
    ===="""
    return [d.id for d in translate(SourceFile("m.tla", text)).diagnostics]


def c_ids(statements: str, before: str = "") -> list[str]:
    """The same in the syntax with braces."""
    text = f"""---- MODULE m ----
    (* --algorithm m {{ {VARIABLES} {before} process (p = 1) {{ {statements} }} }} *)
    ===="""
    return [d.id for d in translate(SourceFile("m.tla", text)).diagnostics]


PROCEDURE = "procedure q(a) variable b = 0; begin q1: return; end procedure;"

BROKEN = [
    ("skip;", "pluscal-label-first-statement"),
    ("l: x := 1; while x < 2 do x := 2; end while;", "pluscal-label-before-while"),
    ("l: goto m; x := 1; m: skip;", "pluscal-label-after-jump"),
    ("l: call q(1); x := 1;", "pluscal-label-after-jump"),
    ("l: if x = 0 then m: x := 1; end if; y := 1;", "pluscal-label-after-branch"),
    ("l: if x = 0 then goto l; end if; y := 1;", "pluscal-label-after-branch"),
    ("l: if x = 0 then skip; else call q(1); end if; y := 1;", "pluscal-label-after-branch"),
    ("l: either x := 1; or m: x := 2; end either; y := 1;", "pluscal-label-after-branch"),
    ("l: with v = 1 do goto l; end with; y := 1;", "pluscal-label-after-branch"),
    ("l: x := 1; x := 2;", "pluscal-second-assignment"),
    ("l: f[1] := 1; f[2] := 2;", "pluscal-second-assignment"),
    ("l: if y = 0 then x := 1; end if; x := 2;", "pluscal-second-assignment"),
    ("l: x := 1; if y = 0 then x := 2; end if;", "pluscal-second-assignment"),
    ("l: x := 1; either x := 2; or skip; end either;", "pluscal-second-assignment"),
    ("l: x := 1; with v = 1 do x := v; end with;", "pluscal-second-assignment"),
    ("l: x := 1 || x := 2;", "pluscal-second-assignment"),
    ("l: f := f || f[1] := 2;", "pluscal-second-assignment"),
    ("l: b := 1; call q(1);", "pluscal-second-assignment"),
    ("l: with v = 1 do x := 1; x := 2; end with;", "pluscal-second-assignment"),
    ("l: with v = 1 do with w = 1 do x := 1; end with; x := 2; end with;", "pluscal-second-assignment"),
    ("l: with v = 1 do m: skip; end with;", "pluscal-label-in-with"),
    ("l: with v = 1 do while x < 1 do x := 1; end while; end with;", "pluscal-while-in-with"),
    ("l: with v = 1 do goto l; x := 1; end with;", "pluscal-label-after-jump"),
]


@pytest.mark.parametrize(("statements", "id"), BROKEN)
def test_broken_rule(statements: str, id: str) -> None:
    assert ids(statements, PROCEDURE) == [id]


ALLOWED = [
    "l: skip;",
    "l: while x < 2 do x := x + 1; end while; y := 1;",
    "l: x := 1; y := 2;",
    "l: x := y || y := x;",
    "l: f[1] := 1 || f[2] := 2;",
    "l: if x = 0 then y := 1; else y := 2; end if; x := 1;",
    "l: either x := 1; or x := 2; end either; y := 1;",
    "l: x := 1; with v \\in 1 .. 2 do y := v; end with;",
    "l: with v \\in {1}, w = v do if w = 1 then x := 1; else goto l; end if; end with;",
    "l: if x = 0 then goto Done; else goto l; end if;",
    "l: call q(1); goto l;",
    "l: x := 1; m: x := 2;",
    "l: while TRUE do m: x := 1; n: x := 2; end while;",
]


@pytest.mark.parametrize("statements", ALLOWED)
def test_allowed(statements: str) -> None:
    assert ids(statements, PROCEDURE) == []


@pytest.mark.parametrize("statements", [s for s, _ in BROKEN if " with " not in s and "||" not in s])
def test_the_option_adds_missing_labels(statements: str) -> None:
    assert ids(statements, PROCEDURE, "\\* PlusCal options (-label)") == []


C_BROKEN = [
    ("{ skip; }", "pluscal-label-first-statement"),
    ("l: x := 1; while (x < 2) x := 2;", "pluscal-label-before-while"),
    ("l: if (x = 0) { m: x := 1; }; y := 1;", "pluscal-label-after-branch"),
    ("l: either x := 1; or { goto l; }; y := 1;", "pluscal-label-after-branch"),
    ("l: { x := 1; x := 2; }", "pluscal-second-assignment"),
    ("l: { m: x := 1; }", "pluscal-two-labels"),
    ("l: with (v = 1) { m: skip; }", "pluscal-label-in-with"),
]


@pytest.mark.parametrize(("statements", "id"), C_BROKEN)
def test_broken_rule_in_braces(statements: str, id: str) -> None:
    assert c_ids(statements) == [id]


def test_a_single_process_without_labels_gets_them() -> None:
    text = "---- MODULE m ----\n(* --algorithm m variables x = 0; begin x := 1; x := 2; end algorithm *)\n===="
    translation = translate(SourceFile("m.tla", text))
    assert translation.diagnostics == ()
    assert "Lbl_1 ==" in (translation.module_text or "")
    assert "Lbl_2 ==" in (translation.module_text or "")


def test_a_single_process_with_a_label_needs_the_others() -> None:
    text = "---- MODULE m ----\n(* --algorithm m variables x = 0; begin l: x := 1; x := 2; end algorithm *)\n===="
    (problem,) = translate(SourceFile("m.tla", text)).diagnostics
    assert problem.id == "pluscal-second-assignment"
    assert problem.span is not None
    assert problem.span.text == "x := 2"
    assert problem.help is not None


def test_added_labels_avoid_those_that_are_there() -> None:
    text = """---- MODULE m ----
    \\* PlusCal options (label)
    (* --algorithm m variables x = 0; begin x := 1; Lbl_2: x := 2; x := 3; end algorithm *)
    ===="""
    module = translate(SourceFile("m.tla", text)).module_text or ""
    assert [f"Lbl_{n} ==" in module for n in (1, 2, 3)] == [True, True, True]
