"""Size must not matter: deep expressions, long modules."""

import time

from gristmill.modules import load_specification
from gristmill.source import SourceFile

STEP = """
Action{i}(p) ==
  /\\ pc[p] = "l{i}"
  /\\ \\E v \\in Vals : LET w == v + x IN x' = IF w > N THEN 0 ELSE w
  /\\ pc' = [pc EXCEPT ![p] = <<@, "l{i}">>]
Inv{i} == \\A p \\in Procs : Len(pc[p]) <= N
Step{i} == \\E p \\in Procs : Action{i}(p) \\/ Step{before}
"""


def specification(lines: int) -> SourceFile:
    count = lines // STEP.count("\n")
    body = "".join(STEP.format(i=i, before=i - 1) for i in range(1, count + 1))
    head = "EXTENDS Naturals, Sequences\nCONSTANTS N, Vals, Procs\nVARIABLES x, pc\nStep0 == FALSE"
    return SourceFile("Long.tla", f"---- MODULE Long ----\n{head}\n{body}\n====\n")


def test_two_thousand_lines_take_less_than_a_second() -> None:
    file = specification(2000)
    before = time.process_time()
    assert load_specification(file).ok
    assert time.process_time() - before < 1


def test_deep_expressions() -> None:
    deep = "(" * 900 + "v" + ")" * 900
    chain = " + ".join(["v"] * 4000)
    lets = "".join(f"LET a{i} == {i} IN " for i in range(300)) + "v'"
    text = f"EXTENDS Naturals\nVARIABLE v\nA == {deep}\nB == {chain}\nC == {lets}\nD == B'"
    loaded = load_specification(SourceFile("Deep.tla", f"---- MODULE Deep ----\n{text}\n====\n"))
    assert loaded.ok, loaded.diagnostics[:1]
