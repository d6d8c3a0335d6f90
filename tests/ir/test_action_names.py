"""Which action a step is one of, and the order of steps, in both engines. Counts and order are TLC's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gristmill

ENGINES = ["python", "native"]


def run(module: str, config: str, engine: str) -> gristmill.Result:
    text = f"---- MODULE M ----\n{module}\n====\n"
    return gristmill.check(text, config=f"{config}\nCHECK_DEADLOCK FALSE\n", engine=engine)  # type: ignore[arg-type]


def steps_of(result: gristmill.Result) -> dict[str, int]:
    """Steps, by the name of their action."""
    found: dict[str, int] = {}
    for row in result.coverage:
        if not row.initial:
            found[row.name] = found.get(row.name, 0) + row.generated
    return found


SHARED = """
EXTENDS Naturals
CONSTANT S
VARIABLES x, y
A(n) == x' = (x + n) % 2 /\\ y' = (y + 7 * n) % 5
B(n) == y < n /\\ x' = (x * n + 1) % 2 /\\ y' = (y + n) % 3
C(m) == x' = m /\\ y' = (y + x) % 4
D(m) == x' = (x + m) % 7 /\\ y' = m
Init == x = 0 /\\ y = 0
Next == \\/ \\E n \\in S : A(n) \\/ B(n)
        \\/ \\E m \\in {k \\in 0..3 : k <= y} : C(m) \\/ D(m)
View == x
NotA == <<x, y>> # <<0, 4>>
NotB == <<x, y>> # <<1, 1>>
"""
SHARED_CONFIG = "INIT Init\nNEXT Next\nCONSTANT S = {1, 2, 3}\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_steps_decides_what_is_seen_through_a_view(engine: str) -> None:
    result = run(SHARED, SHARED_CONFIG + "VIEW View", engine)
    assert (result.verdict, result.distinct, result.generated, result.depth) == ("ok", 7, 66, 5)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_steps_decides_which_invariant_is_named(engine: str) -> None:
    """A(1), B(1), A(2): B(1) comes before A(2)."""
    result = run(SHARED, SHARED_CONFIG + "INVARIANT NotA NotB", engine)
    assert (result.verdict, result.property) == ("invariant", "NotB")


DISPATCHER = """
EXTENDS Naturals
VARIABLES inbox, term, seen
Update(m) == m > term /\\ term' = m /\\ UNCHANGED inbox
Accept(m) == term' = term /\\ inbox' = inbox \\ {m}
Drop(m) == inbox' = inbox \\ {m} /\\ UNCHANGED term
Receive(m) == LET n == m IN
  \\/ Update(n)
  \\/ n = 1 /\\ Accept(n)
  \\/ n = 2 /\\ (Accept(n) \\/ Drop(n))
Stop == inbox = {} /\\ term < 9 /\\ term' = 9 /\\ UNCHANGED inbox
Init == inbox = {1, 2} /\\ term = 0 /\\ seen = {}
Next == /\\ \\/ \\E m \\in inbox : Receive(m)
           \\/ Stop
        /\\ seen' = seen \\cup {term}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_actions_behind_a_dispatcher_have_their_names(engine: str) -> None:
    result = run(DISPATCHER, "INIT Init\nNEXT Next", engine)
    assert (result.distinct, result.generated, result.depth) == (23, 40, 6)
    assert steps_of(result) == {"Update": 6, "Accept": 19, "Drop": 10, "Stop": 4}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_choice_behind_the_last_assignment_counts_once(engine: str) -> None:
    """Where all variables have a value, a disjunction is but a test: as in TLC, one step, of the first that is true."""
    module = "VARIABLE x\nInit == x = 0\nA == x' = 1\nB == x = 0\nNext == x' = 1 /\\ (A \\/ B)"
    result = run(module, "INIT Init\nNEXT Next", engine)
    assert (result.distinct, result.generated) == (2, 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_guard_that_is_true_in_two_ways_counts_twice(engine: str) -> None:
    module = "VARIABLE x\nInit == x = 0\nA == x' = 0\nB == x' = 1\nNext == (x = 0 \\/ x # 1) /\\ (A \\/ B)"
    result = run(module, "INIT Init\nNEXT Next", engine)
    assert (result.distinct, result.generated) == (2, 5)
    assert steps_of(result) == {"A": 2, "B": 2}


@pytest.mark.parametrize("engine", ENGINES)
def test_who_leaves_a_variable_open_is_named(engine: str) -> None:
    module = "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nA(n) == x' = n /\\ y' = n\nB(n) == x' = n\n"
    module += "Next == \\E n \\in {x + 1} : A(n) \\/ B(n)"
    result = run(module, "INIT Init\nNEXT Next", engine)
    assert result.verdict == "error"
    assert result.message is not None
    assert "the action B gives no next value to y" in result.message


def test_a_simulation_takes_every_action_by_itself() -> None:
    text = f"---- MODULE M ----\n{DISPATCHER}\n====\n"
    result = gristmill.simulate(text, config="INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n", num=50, seed=1)
    assert {row.name for row in result.result.coverage if not row.initial} == {"Update", "Accept", "Drop", "Stop"}


def test_the_ir_is_written_after_each_pass(tmp_path: Path) -> None:
    specification = tmp_path / "M.tla"
    specification.write_text(f"---- MODULE M ----\n{DISPATCHER}\n====\n")
    command = ["check", str(specification), "--emit-ir", str(tmp_path / "ir"), "--format", "json", "--no-deadlock"]
    done = subprocess.run([sys.executable, "-m", "gristmill.cli", *command], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["verdict"] == "ok"
    assert [path.name for path in sorted((tmp_path / "ir").iterdir())] == ["00-lowered.txt", "01-split-next.txt"]
    assert "branch Stop" in (tmp_path / "ir" / "01-split-next.txt").read_text()
