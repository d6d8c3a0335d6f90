"""Arguments that operators of the library have no use for: an error of the specification, none of ours."""

from pathlib import Path

import pytest
from checking import run
from evaluating import MODULES, value

from gristmill.values import EvaluationError

WITH = f"{MODULES}, IOUtils, SVG, TLCExt, VectorClocks"
POINT = "[x |-> 0, y |-> 0]"


@pytest.mark.parametrize(
    "expression",
    [
        "ToTrace([state |-> {1}])",
        "ToTrace([state |-> {<<1, 2, 3>>}])",
        "ToTrace([state |-> 5])",
        'ToTrace([state |-> {<<"a", [x |-> 1]>>, <<"b", [x |-> 2]>>}])',
        f"PointOnLine(1, {POINT}, 2)",
        f'PointOnLine([x |-> 1, y |-> "b"], {POINT}, 2)',
        f"PointOnLine([x |-> 1], {POINT}, 2)",
        f"PointOnLine({POINT}, {POINT}, 0)",
        "NodeOfRingNetwork(10, 10, 5, 0, 0)",
        'NodesOfDirectedMultiGraph({1}, {}, [view_width |-> "wide"])',
        "CausalOrder(<<[n |-> 1, c |-> <<{}>>]>>, LAMBDA e : e.c, LAMBDA e : e.n, LAMBDA c : DOMAIN c)",
        'CausalOrder(<<[n |-> 1, c |-> <<"a">>]>>, LAMBDA e : e.c, LAMBDA e : e.n, LAMBDA c : DOMAIN c)',
    ],
)
def test_an_error_of_the_specification(expression: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        value(expression, modules=WITH)
    assert caught.value.id == "wrong-argument"


@pytest.mark.parametrize("options", ['"NOAPPEND"', "5", '{"APPEND"}'])
def test_ways_to_open_a_file_are_a_sequence(options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A string in which the word occurs is not one that asks for it."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EvaluationError) as caught:
        value(
            f'Serialize("a", "a.txt", [format |-> "TXT", charset |-> "UTF-8", openOptions |-> {options}])', modules=WITH
        )
    assert caught.value.id == "wrong-argument"


@pytest.mark.parametrize("stored", ["5", "<<>>", "[Reached |-> TRUE]", "{}"])
def test_a_specification_stores_something_where_possible_things_are_counted(stored: str) -> None:
    """What is no count counts for nothing."""
    program = f"""
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0 /\\ TLCSet("s:_possible", {stored})
Next == x < 2 /\\ x' = x + 1
Reached == x = 1
Never == x = 9
"""
    found = run(program, "INIT Init NEXT Next _POSSIBLE Reached Never CHECK_DEADLOCK FALSE")
    assert (found.verdict, found.property) == ("postcondition", "Never")
