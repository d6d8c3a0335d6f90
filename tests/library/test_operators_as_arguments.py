"""A library operator handed over as an argument is the same operator: with its effects, lazy where it is lazy."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.building import build
from gristmill.explain.formulas import is_repeatable
from gristmill.source import SourceFile

COUNTER = r"""---- MODULE Counter ----
EXTENDS Integers, TLC, TLCExt
VARIABLE x
One(F(_), a) == F(a)
Two(F(_, _), a, b) == F(a, b)
Init == x = 0
Next == x < 9 /\ x' = x + 1
DEFINITIONS
====
"""
CONFIG = "INIT Init NEXT Next CHECK_DEADLOCK FALSE "

engines = pytest.mark.parametrize("engine", ["python", "native"])


def text(definitions: str) -> str:
    return COUNTER.replace("DEFINITIONS", definitions)


def check(definitions: str, config: str, engine: str) -> gristmill.Result:
    return gristmill.check(text(definitions), config=CONFIG + config, engine=engine, seed=5)  # type: ignore[arg-type]


@engines
def test_the_search_is_followed(engine: str) -> None:
    result = check('Inv == One(TLCGet, "level") < 4', "INVARIANT Inv", engine)
    assert (result.verdict, result.distinct) == ("invariant", 4)


@engines
def test_primed_it_is_the_one_of_the_next_state(engine: str) -> None:
    direct = check('Few == TLCGet("level")\' < 5', "ACTION_CONSTRAINT Few", engine)
    handed = check('Few == One(TLCGet, "level")\' < 5', "ACTION_CONSTRAINT Few", engine)
    assert direct.distinct == handed.distinct == 4


def test_chance_is_the_same_for_both_engines() -> None:
    drawn = r"Drawn == x = 0 \/ One(RandomElement, 1..1000) > 200"
    python, native = (check(drawn, "CONSTRAINT Drawn", engine) for engine in ("python", "native"))
    assert (python.distinct, python.generated) == (native.distinct, native.generated)


@engines
def test_a_number_is_no_formula(engine: str) -> None:
    result = check("Inv == Two(+, x, 1)", "INVARIANT Inv", engine)
    assert result.verdict == "error"
    assert "a formula was expected" in result.message


@engines
def test_a_lazy_argument_stays_lazy(engine: str) -> None:
    expected = r"The second argument of \\div is 0"
    assert check(rf'Inv == Two(AssertError, "{expected}", 1 \div 0)', "INVARIANT Inv", engine).verdict == "ok"


def test_what_is_evaluated_by_name_may_do_anything() -> None:
    """So it is not evaluated once more in order to explain something."""
    source = SourceFile("Counter.tla", text('Inv == TLCEvalDefinition("Init")'))
    model = build(source, config=SourceFile("Counter.cfg", CONFIG + "INVARIANT Inv")).model
    assert not is_repeatable(model.invariants[0].code.body)
    assert model.asks_search
