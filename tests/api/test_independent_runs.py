"""Runs in one process know nothing of each other: in threads, one inside another, one between two halves of another."""

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import gristmill
from gristmill.building import build
from gristmill.cc import NoCompilerError, find_compiler
from gristmill.checking.engines import check
from gristmill.checking.options import Options

LETTERS = ("zeta", "alpha", "mid", "beta")


def specification(order: tuple[str, ...], wanted: str) -> str:
    """Which string CHOOSE takes is decided by which was met first; the counts depend on what it takes."""
    listed = ", ".join(f'"{each}"' for each in order)
    return f"""---- MODULE Order ----
EXTENDS Naturals, Sequences, FiniteSets
Order == <<{listed}>>
Weight(x) == CASE x = "alpha" -> 3 [] x = "beta" -> 5 [] x = "mid" -> 7 [] x = "zeta" -> 11
VARIABLES taken, left, steps
Init == taken = <<>> /\\ left = {{"alpha", "beta", "mid", "zeta"}} /\\ steps = 0
Take == left # {{}} /\\ LET x == CHOOSE e \\in left : TRUE IN
            taken' = Append(taken, x) /\\ left' = left \\ {{x}} /\\ \\E i \\in 0..Weight(x) : steps' = steps + i
Next == Take \\/ UNCHANGED <<taken, left, steps>>
NeverFirst == taken = <<>> \\/ taken[1] # "{wanted}"
===="""


SPECIFICATIONS = [
    specification(order, wanted)
    for order in itertools.islice(itertools.permutations(LETTERS), 0, None, 5)
    for wanted in (order[0], order[-1])
]


def verdict(text: str, engine: Any, **more: Any) -> tuple[object, ...]:
    result = gristmill.check(text, invariants=["NeverFirst"], engine=engine, **more)
    return result.verdict, result.property, result.distinct, result.generated, result.depth, str(result.trace)


def engines() -> list[str]:
    try:
        find_compiler()
    except NoCompilerError:
        return ["python"]
    return ["python", "native"]


def in_threads(jobs: list[Callable[[], object]], threads: int) -> list[object]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda job: job(), jobs))


def test_threads() -> None:
    """8 threads, 200 checks: every verdict, count and trace as alone."""
    cases = [(text, engine) for engine in engines() for text in SPECIFICATIONS]
    alone = {case: verdict(*case) for case in cases}
    assert {found[0] for found in alone.values()} == {"ok", "invariant"}
    jobs = list(itertools.islice(itertools.cycle(cases), 200))
    assert in_threads([lambda job=job: verdict(*job) for job in jobs], 8) == [alone[job] for job in jobs]  # type: ignore[misc]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_another_model_built_in_between(engine: Any) -> None:
    one, other = specification(LETTERS, "zeta"), specification(LETTERS[::-1], "zeta")
    options = Options(engine=engine)
    first = build(one, config="INIT Init\nNEXT Next\nINVARIANT NeverFirst").model
    second = build(other, config="INIT Init\nNEXT Next\nINVARIANT NeverFirst").model
    assert [check(model, options).verdict for model in (first, second, first)] == ["invariant", "ok", "invariant"]


def test_a_check_inside_a_check() -> None:
    """What is told about progress, or printed, may itself check something."""
    found: list[object] = []

    def output(line: str) -> None:
        found.append(verdict(SPECIFICATIONS[1], "python"))

    text = SPECIFICATIONS[0].replace("EXTENDS ", "EXTENDS TLC, ").replace("Init ==", 'Init == PrintT("start") /\\')
    options = Options(engine="python", output=output)
    model = build(text, config="INIT Init\nNEXT Next\nINVARIANT NeverFirst").model
    assert check(model, options).verdict == verdict(SPECIFICATIONS[0], "python")[0]
    assert found == [verdict(SPECIFICATIONS[1], "python")]


def test_traces_are_shown_in_the_order_of_their_run(tmp_path: Path) -> None:
    text = SPECIFICATIONS[0].replace("NeverFirst ==", "Full == Cardinality(left) > 3 NeverFirst ==")
    shown = [str(gristmill.check(text, invariants=["Full"])) for _ in range(2)]
    result = gristmill.check(text, invariants=["Full"])
    other = gristmill.check(SPECIFICATIONS[-1], invariants=["NeverFirst"])
    told: list[str] = []
    thread = threading.Thread(target=lambda: told.append(str(result)))
    thread.start()
    thread.join()
    assert str(other)
    states = [text.split(" distinct")[0] for text in (*shown, *told)]
    assert states[0] == states[1] == states[2]
    assert 'left  = {"zeta", "alpha", "mid", "beta"}' in states[0]
