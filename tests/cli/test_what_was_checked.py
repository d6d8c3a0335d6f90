"""The verdict line says so where hardly anything was checked, and a predicate of states is checked in all of them."""

import json
from typing import Any

import pytest

import gristmill

COUNTER = """EXTENDS Naturals, TLC
VARIABLE n
Init == n = 0
Next == n' = (n + 1) % 3
Small == n < 2
Zero == n = 0
Number == n \\in Nat
Start == Zero /\\ [][TRUE]_n
True == TRUE
None == n = 0 /\\ n = 1
Watchful == Next /\\ Assert(n < 9, "too many")
"""
NAMES = "INIT Init\nNEXT Next\n"
ASK = "No invariant and no property was asked for"
LITTLE = [
    (COUNTER, NAMES, "Nothing was checked but deadlock"),
    (COUNTER, "", "Nothing was checked but deadlock"),
    (COUNTER, NAMES + "CHECK_DEADLOCK FALSE", "Nothing was checked"),
    (COUNTER + "ASSUME 1 < 2", NAMES, "Nothing was checked but deadlock and assumptions"),
    (COUNTER, "INIT Init\nNEXT Watchful", "Nothing was checked but deadlock and assertions"),
    (COUNTER, NAMES + "CONSTRAINT Small", "Nothing was checked but deadlock"),
]


def text(body: str) -> str:
    return f"---- MODULE M ----\n{body}\n====\n"


@pytest.mark.parametrize(("body", "config", "line"), LITTLE)
@pytest.mark.parametrize("engine", ["python", "native"])
def test_nothing_was_asked_for(body, config, line, engine):
    result = gristmill.check(text(body), config=config + "\n", engine=engine)
    assert (result.verdict, result.message, result.distinct) == ("ok", line, 2 if "CONSTRAINT" in config else 3)
    assert result.caveats[0].startswith(ASK)
    assert line in result._repr_html_()
    assert str(result).startswith(line + "\n")


@pytest.mark.parametrize("verb", ["check", "simulate"])
def test_the_verdict_line(run, write, verb):
    write("M.tla", COUNTER)
    ended = run(verb, "M.tla")
    assert (ended.code, ended.out.splitlines()[0]) == (0, "Nothing was checked but deadlock")
    document = json.loads(run(verb, "M.tla", "--format", "json").out)
    assert document["message"] == "Nothing was checked but deadlock"
    assert document["caveats"][0].startswith(ASK)
    assert run(verb, "M.tla", "--invariant", "Number").out.startswith("No error found\n")


def test_a_search_that_was_cut_off_says_so_as_well():
    result = gristmill.check(text(COUNTER), depth=2)
    assert result.verdict == "incomplete"
    assert result.caveats[0].startswith(ASK)


@pytest.mark.parametrize("what", ["INVARIANT Number", "PROPERTY Start", "POSTCONDITION True", "_POSSIBLE Small"])
def test_something_was(what):
    assert gristmill.check(text(COUNTER), config=NAMES + what + "\n").message == "No error found"


def test_no_initial_state(run, write):
    write("M.tla", COUNTER)
    write("M.cfg", "INIT None\nNEXT Next\nINVARIANT Small")
    ended = run("check", "M.tla")
    assert (ended.code, ended.out.splitlines()[0]) == (0, "Nothing was checked: there is no initial state")
    ended = run("simulate", "M.tla")
    assert (ended.code, ended.out.splitlines()[0]) == (75, "Error: There is no initial state to begin with")


def test_no_behaviours():
    assert gristmill.check(text("A == 1")).message == "Nothing was checked: there are no behaviours and no assumptions"
    assert gristmill.check(text("ASSUME TRUE")).message == "No error found"


@pytest.mark.parametrize("what", ["INVARIANT", "PROPERTY"])
def test_what_is_asked_of_no_behaviours_is_refused(what):
    result = gristmill.check(text("Wrong == FALSE"), config=f"{what} Wrong\n")
    assert (result.verdict, result.exit_code, result.diagnostics[0].id) == ("error", 151, "nothing-to-check")


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_predicate_of_states_is_checked_in_all_of_them(engine):
    result = gristmill.check(text(COUNTER), config=NAMES + "PROPERTY Small\n", engine=engine)
    assert (result.verdict, result.property, len(list(result))) == ("invariant", "Small", 3)
    assert [each.id for each in result.diagnostics] == ["state-predicate-as-property"]
    assert result.diagnostics[0].span is not None
    result = gristmill.check(text(COUNTER), config=NAMES + "PROPERTY Number\n", engine=engine)
    assert (result.verdict, result.distinct, result.generated) == ("ok", 3, 4)
    assert [each.severity for each in result.diagnostics] == ["warning"]


def test_in_a_simulation_too():
    found = gristmill.simulate(text(COUNTER), config=NAMES + "PROPERTY Small\n", seed=1, num=1)
    assert found.result.verdict == "invariant"


def test_beside_something_temporal_it_speaks_of_initial_states():
    """As in `Init /\\ [][Next]_vars` of a specification that is refined."""
    result = gristmill.check(text(COUNTER), config=NAMES + "PROPERTY Start\n")
    assert (result.verdict, result.diagnostics) == ("ok", ())


def test_what_speaks_of_constants_alone_needs_no_notice():
    assert gristmill.check(text(COUNTER), config=NAMES + "PROPERTY True\n").diagnostics == ()


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_constraint_that_is_false_in_every_state(engine: Any) -> None:
    body = "Init == x = 0\nNext == x' = x\nNo == FALSE\nNever == x = 5\nInv == x = 0"
    text = f"---- MODULE M ----\nVARIABLE x\n{body}\n===="
    refused = gristmill.check(text, constraints=["No"], invariants=["Inv"], engine=engine)
    assert (refused.verdict, refused.property) == ("error", "No")
    assert gristmill.check(text, constraints=["Never"], invariants=["Inv"], engine=engine).verdict == "ok"
    level = text.replace("FALSE", 'TLCGet("level") > 9').replace("VARIABLE", "EXTENDS TLC, Naturals\nVARIABLE")
    assert gristmill.check(level, constraints=["No"], invariants=["Inv"], engine=engine).verdict == "ok"


def test_without_a_state_nothing_was_checked() -> None:
    module = text("VARIABLES x, y\nInit == x = 0\nNext == UNCHANGED <<x, y>>\nInv == x = 0")
    result = gristmill.check(module, invariants=["Inv"])
    assert (result.verdict, result.generated, result.checked) == ("error", 0, ())
    assert "Checked" not in str(result)


def test_an_error_ends_what_is_checked() -> None:
    module = text("EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = <<>>[x]\nInv == x = 0")
    assert "Checked until then: Inv, deadlock." in str(gristmill.check(module, invariants=["Inv"]))


@pytest.mark.parametrize("engine", ["python", "native"])
def test_temporal_properties_that_a_violation_left_open(engine: Any) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nInv == x = 0\nOften == []<>(x = 0)"
    module = text("EXTENDS Integers\n" + body)
    result = gristmill.check(module, invariants=["Inv"], properties=["Often"], engine=engine)
    assert (result.verdict, result.checked, result.undecided) == ("invariant", ("Inv", "deadlock"), ("Often",))
    assert "Not decided: Often, which takes a search of all states." in str(result)
    assert "Not decided" in result._repr_html_()
    assert gristmill.check(module, properties=["Often"], engine=engine).undecided == ()
