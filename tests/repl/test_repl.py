"""Expressions and definitions, one after the other: what is remembered, what goes on, and what is said of mistakes."""

from pathlib import Path

import pytest

import gristmill
from gristmill.cli.repl_steps import Steps
from gristmill.repl.completion import Completer, readline_completer
from gristmill.repl.history import History
from gristmill.repl.inputs import read_input, wants_more
from gristmill.repl.loop import Remembering, read_lines, run_loop
from gristmill.repl.session import Session
from gristmill.source import SourceError

COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Limit
VARIABLE n
Init == n \\in {Limit, Limit + 1}
Next == n' = n + 1
Twice(k) == 2 * k
Small == n < 10
====
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    (tmp_path / "Counter.tla").write_text(COUNTER)
    (tmp_path / "Counter.cfg").write_text("CONSTANT Limit = 5\nINIT Init\nNEXT Next\nINVARIANT Small\n")
    return tmp_path / "Counter.tla"


def talk(*lines: str, session: Session | None = None) -> tuple[list[str], list[str], int]:
    """What comes out and what is complained about."""
    remaining, out, err = list(lines), list[str](), list[str]()
    mistakes = run_loop(session or Session(), lambda _: remaining.pop(0) if remaining else None, out.append, err.append)
    return out, err, mistakes


def test_expressions() -> None:
    out, err, mistakes = talk("1 + 1", "", "{x * x : x \\in 1..4}", "Len(<<1, 2>>)", "TRUE /\\ FALSE")
    assert out == ["2", "{1, 4, 9, 16}", "2", "FALSE"]
    assert (err, mistakes) == ([], 0)


def test_definitions_are_remembered_and_replaced() -> None:
    out, err, _ = talk(
        "a == 1", "b == a + 1", "b", "a == 10", "b", "f[k \\in Nat] == k + b", "f[1]", "x (+) y == x - y"
    )
    assert out == ["2", "11", "12"]
    assert err == []


def test_a_definition_that_needs_later_ones_goes_behind_them() -> None:
    assert talk("a == 1", "b == 2", "a == b + 5", "a")[:2] == (["7"], [])


def test_a_mistaken_definition_changes_nothing() -> None:
    out, err, mistakes = talk("a == 1", "a == nowhere", "a")
    assert out == ["1"]
    assert mistakes == 1
    assert "the name `nowhere` is not declared or defined" in err[0]
    assert "<input>:1:6" in err[0]


def test_inputs_of_several_lines() -> None:
    recursive = [
        "RECURSIVE Sum(_)",
        "Sum(S) == IF S = {} THEN 0",
        "ELSE LET x == CHOOSE x \\in S : TRUE",
        "IN x + Sum(S \\ {x})",
    ]
    out, err, _ = talk("{1,", " 2}", "L ==", "  /\\ TRUE", "  /\\ FALSE", "", "L", *recursive, "Sum(1..4)")
    assert out == ["{1, 2}", "FALSE", "10"]
    assert err == []


def test_modules() -> None:
    out, err, _ = talk("SetToSeq({1})", "EXTENDS SequencesExt", "SetToSeq({1})", "EXTENDS Nowhere", "SetToSeq({2})")
    assert out == ["<<1>>", "<<2>>"]
    assert "not declared or defined" in err[0]
    assert "there is no module `Nowhere`" in err[1]


def test_commands() -> None:
    out, err, _ = talk("a == 1", ":list", ":reset", "a", ":help", ":nonsense", ":quit", "2")
    assert "a == 1" in out
    assert "2" not in out
    assert any(":nonsense" in line for line in out)
    assert "`a` is not declared" in err[0]


def test_values_that_are_not_there() -> None:
    _, err, mistakes = talk("<<1, 2>>[3]", "1 \\div 0", "CHOOSE x \\in {} : TRUE", "F(x) == x + 1", "F({})")
    assert mistakes == 4
    assert "the index 3 is not in the domain of <<1, 2>>" in err[0]
    assert all("Gristmill" not in each for each in err)  # names of ours


def test_in_a_specification(counter: Path) -> None:
    out, err, _ = talk("Limit", "Twice(Limit)", "n", "Small", "m == n + 100", "m", session=Session(counter))
    assert out == ["5", "10", "5", "TRUE", "105"]
    assert err == []


def test_steps_have_no_value(counter: Path) -> None:
    _, err, _ = talk("n' = 1", "[]Small", "Cardinality({})", session=Session(counter))
    assert all("speaks of steps or behaviours" in each for each in err[:2])
    assert "FiniteSets" in err[2]  # where to find it


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 + 1", "expression"),
        ("a == 1", "definitions"),
        ("EXTENDS A, B", "extends"),
        ("LET a == 1 IN a", "expression"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert read_input(text).kind == kind


@pytest.mark.parametrize(
    "text", ["{1, 2", "a ==", "1 +", "LET a == 1", "/\\ TRUE", "(* a", "RECURSIVE F(_)", "\\A x \\in S :"]
)
def test_what_goes_on(text: str) -> None:
    assert wants_more([text])
    assert not wants_more([text, ""])


@pytest.mark.parametrize("text", ["1", "a == 1", "1 + + 2", ")", "EXTENDS A"])
def test_what_does_not(text: str) -> None:
    assert not wants_more([text])


@pytest.mark.parametrize("text", ["VARIABLE x", "CONSTANT F(_)", "====", "---- MODULE A ----"])
def test_what_is_no_input(text: str) -> None:
    with pytest.raises(SourceError):
        read_input(text)


# ----------------------------------------------------------------------------------------------- commands, model values


def dialogue(session: Session, *lines: str, commands=None) -> list[str]:
    """Everything that is written in answer to some lines, mistakes among it."""
    waiting, written = iter(lines), []
    run_loop(session, lambda prompt: next(waiting, None), written.append, written.append, commands)
    return written


def test_model_values_are_declared() -> None:
    assert dialogue(Session(), "CONSTANTS p1, p2", "{p1, p2, p1}", "p1 = p2") == ["{p1, p2}", "FALSE"]


def test_model_values_of_a_configuration_have_names(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text("---- MODULE M ----\nCONSTANT S\nf == [s \\in S |-> s]\n====\n")
    (tmp_path / "M.cfg").write_text("CONSTANT S = {a, b}\n")
    session = Session(tmp_path / "M.tla", names_model_values=True)
    assert dialogue(session, "f[a]", "\\E a \\in S : a = b") == ["a", "TRUE"]


def test_load_keeps_what_was_defined(counter: Path) -> None:
    session = Session()
    assert dialogue(session, "Two == 2", f":load {counter}", "Twice(Two) + n") == ["9"]
    (mistake,) = dialogue(session, ":load nowhere.tla")
    assert "nowhere.tla" in mistake
    assert dialogue(session, "n") == ["5"]  # what was there is there still


def test_states_and_steps(counter: Path) -> None:
    session = Session(counter)
    lines: list[str] = []
    steps = Steps(session, lambda: gristmill.open(counter), lines.append)
    asked = (":states", ":step", "n", ":step 1", "n", ":step Next", "n", ":back", "n")
    assert dialogue(session, *asked, commands=steps.commands()) == ["5", "6", "7", "6"]
    assert lines == ["1  n = 5", "2  n = 6", "1  Next  n = 6", "n = 6", "n = 7", "n = 6"]
    dialogue(session, ":states 2", ":step Nothing", ":states 7", commands=steps.commands())
    assert lines[6:] == [
        "n = 6",
        "there is no step Nothing from here; :step lists what is possible",
        "there is no initial state number 7; :states lists them",
    ]
    steps.close()


def test_tab_completes(counter: Path) -> None:
    completer = Completer(Session(counter), (":load", ":list"))
    assert completer.words(":lo") == [":load"]
    assert completer.words("1 + Twi") == ["Twice"]
    assert "\\intersect" in completer.words("x \\int")
    assert completer.words("CHOO") == ["CHOOSE"]
    assert completer.words(f":load {counter.parent}/Cou") == [str(counter)]
    complete = readline_completer(completer, lambda: "1 + \\inters")
    assert complete("\\inters", 0) == "\\intersect"


def test_a_history_has_whole_entries(tmp_path: Path) -> None:
    history = History(tmp_path / "state" / "history.jsonl")
    history.add("1 + 1")
    history.add("/\\ TRUE\n/\\ FALSE")
    assert History(tmp_path / "state" / "history.jsonl").entries() == ["1 + 1", "/\\ TRUE\n/\\ FALSE"]


def test_an_entry_of_several_lines_is_remembered_once() -> None:
    entries: list[str] = []
    waiting = iter(["/\\ TRUE", "/\\ FALSE", "", "1 +", "2", ":list"])
    read = Remembering(lambda prompt: next(waiting, None), entries.append)
    while read_lines(read) is not None:
        pass
    assert entries == ["/\\ TRUE\n/\\ FALSE", "1 +\n2", ":list"]
