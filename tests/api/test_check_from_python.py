"""`gristmill.check`: what a program gives, and what it gets."""

import subprocess
import sys
from pathlib import Path

import pytest

import gristmill
from gristmill import ModelValue
from gristmill.source import SourceFile

COUNTER = """
---- MODULE Counter ----
EXTENDS Naturals
CONSTANT N
VARIABLE n
Init == n = 0
Up == n < N /\\ n' = n + 1
Next == Up
Small == n < 3
Spec == Init /\\ [][Next]_n
====
"""

CLUB = """
---- MODULE Club ----
EXTENDS FiniteSets
CONSTANTS Members, First, Least(_)
VARIABLES inside, log
Init == inside = {} /\\ log = <<>>
Enter(m) == m \\notin inside /\\ inside' = inside \\cup {m} /\\ log' = <<[who |-> m, first |-> inside = {}]>>
Next == \\E m \\in Members : Enter(m)
Spec == Init /\\ [][Next]_<<inside, log>>
NotFirst == First \\notin inside
Mine(S) == CHOOSE m \\in S : TRUE
Chosen == Least(Members) = First
====
"""


def test_text_constants_and_invariants() -> None:
    result = gristmill.check(COUNTER, constants={"N": 5}, invariants=["Small"], deadlock=False)
    assert (result.verdict, result.property, result.ok, result.exit_code) == ("invariant", "Small", False, 12)
    assert list(result) == [{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]
    assert isinstance(result, gristmill.Result)


def test_states_are_python_values() -> None:
    members = {ModelValue("ann"), ModelValue("bob")}
    result = gristmill.check(
        CLUB,
        constants={"Members": members, "First": ModelValue("ann")},
        replacements={"Least": "Mine"},
        invariants=["NotFirst"],
    )
    assert result.verdict == "invariant"
    last = list(result)[-1]
    assert last == {"inside": {ModelValue("ann")}, "log": ({"who": ModelValue("ann"), "first": True},)}
    assert type(last["log"][0]) is dict
    assert last["log"][0]["first"] is True


def test_strings_are_strings_in_the_order_of_the_alphabet() -> None:
    """The order of a Python set differs from run to run; the verdict must not."""
    result = gristmill.check(
        CLUB,
        constants={"Members": {"d", "b", "a", "c"}, "First": "a"},
        replacements={"Least": "Mine"},
        invariants=["Chosen"],
        deadlock=False,
    )
    assert result.ok, result
    assert result.distinct == 33


def test_files_with_their_configuration(tmp_path: Path) -> None:
    file = tmp_path / "Counter.tla"
    file.write_text(COUNTER)
    file.with_suffix(".cfg").write_text("SPECIFICATION Spec CONSTANT N = 2 INVARIANT Small CHECK_DEADLOCK FALSE")
    assert gristmill.check(file).distinct == 3
    assert gristmill.check(str(file), constants={"N": 4}).verdict == "invariant"
    other = "CONSTANT N = 9\nCHECK_DEADLOCK FALSE"
    assert gristmill.check(file, config=other, init="Init", next="Next").distinct == 10
    assert gristmill.check(file, config=SourceFile("x.cfg", other)).distinct == 10
    assert gristmill.check(file, config="INVARIANT Small", constants={"N": 1}).verdict == "deadlock"


def test_limits_and_going_on() -> None:
    def found(**options: object) -> gristmill.Result:
        return gristmill.check(COUNTER, constants={"N": 9}, **options)  # type: ignore[arg-type]

    assert found(depth=3).verdict == "incomplete"
    assert found(depth=3).distinct == 3
    assert found(memory=1).distinct <= 10
    result = found(invariants=["Small"], continue_=True)
    assert [(each.verdict, each.count) for each in result.violations] == [("invariant", 7), ("deadlock", 1)]
    graph = found(graph=True).graph
    assert graph is not None
    assert len(graph.states) == 10


def test_mistakes_are_results() -> None:
    unknown = gristmill.check(COUNTER, constants={"N": 1}, invariants=["Smal"])
    assert (unknown.verdict, unknown.exit_code, unknown.message) == ("error", 151, "INVARIANT `Smal` is not defined")
    assert [d.help for d in unknown.diagnostics] == ["did you mean `Small`?"]
    assert gristmill.check(COUNTER).exit_code == 151  # the constant N has no value
    assert gristmill.check(COUNTER, config="INVARIANT Smal\nCONSTANT N = 1").exit_code == 151
    assert gristmill.check("---- MODULE A ----\nB == \n====").exit_code == 150
    assert gristmill.check("Nowhere.tla").message == "there is no file Nowhere.tla"


def test_what_cannot_be_a_value_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="constant N"):
        gristmill.check(COUNTER, constants={"N": object()})


def test_shows_itself() -> None:
    result = gristmill.check(COUNTER, constants={"N": 5}, invariants=["Small"])
    assert repr(result) == "<Result invariant: Invariant Small is violated, 4 distinct states>"
    told = "Error: Invariant Small is violated\n\n3 steps: Up ×3\n\n  1  Initial state\n     n = 0\n"
    assert str(result).startswith(told)
    html = result._repr_html_()
    assert "Invariant Small is violated" in html
    assert html.count("role=&quot;option&quot;") == 4
    broken = gristmill.check("---- MODULE A ----\nB == <x>\n====")
    assert "<x>" not in broken._repr_html_()
    assert "-->" in str(broken)


def test_importing_the_package_is_cheap() -> None:
    program = (
        "import sys, gristmill; assert 'gristmill.api' not in sys.modules; import gristmill.cli.check;"
        "unwanted = {'rich', 'gristmill.pluscal', 'gristmill.search.simulate'};"
        "print(*sorted(unwanted & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_other_attributes_are_errors() -> None:
    with pytest.raises(AttributeError, match="checkk"):
        gristmill.checkk  # noqa: B018


def test_how_often_expressions_were_evaluated() -> None:
    text = r"""---- MODULE Few ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \/ x < 3 /\ x' = x + 1
        \/ x > 5 /\ x' = 0
====
"""
    assert gristmill.check(text, deadlock=False).expressions == ()
    counts = {each.text: each.count for each in gristmill.check(text, deadlock=False, coverage=True).expressions}
    assert (counts["x < 3"], counts["x' = x + 1"], counts["x > 5"], counts["x' = 0"]) == (4, 3, 4, 0)
