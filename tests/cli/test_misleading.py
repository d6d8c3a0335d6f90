"""Slips of the pen, and the message that each of them gets: it names what was meant."""

from __future__ import annotations

import pytest

INIT, NEXT = "Init == x = 0\n", "Next == x' = x + 1\n"

SLIPS = {
    "== for =": ("Init == x == 0\n" + NEXT, "`==` defines a name", "to compare two values, write `=`"),
    "== for = in a list": ("Init ==\n  /\\ x == 0\n  /\\ TRUE\n" + NEXT, "`==` defines a name", "write `=`"),
    ":= for =": (INIT + "Next == x' := x + 1\n", "`:=`", "write `x' = …`"),
    "prime in Init": ("Init == x' = 0\n" + NEXT, "INIT `Init` must be a state predicate", "leave out the prime"),
    "prime in Init of Spec": (
        "Zero == x' = 0\nInit == Zero\n" + NEXT + "Spec == Init /\\ [][Next]_x\n",
        "Slip.tla:4:9",
        "it is an action because this speaks of the next state",
        "leave out the prime",
    ),
    "UNCHANGED in Init": ("Init == UNCHANGED x\n" + NEXT, "must be a state predicate", "this speaks of the next state"),
    "a variable without a value": ("VARIABLE y\n" + INIT + NEXT, "gives no value to y", "`x = …` or `x \\in …`"),
    "a variable used too early": ("Init == x > 0\n" + NEXT, "has no value yet", "has an initial value behind"),
    "! for ~": (INIT + NEXT + "Inv == !(x = 3)\n", "found `!`", "TLA+ writes `~`"),
    "in for \\in": ("Init == x in {0, 1}\n" + NEXT, "found `in`", "TLA+ writes `\\in`"),
    "in for \\in in a quantifier": (INIT + NEXT + "Inv == \\E n in {1} : x = n\n", "found `in`", "TLA+ writes `\\in`"),
    "\\im for \\in": ("Init == x \\im {0, 1}\n" + NEXT, "no operator `\\im`", "did you mean `\\in`?"),
    "\\im for \\in in a quantifier": (INIT + NEXT + "Inv == \\E n \\im {1} : x = n\n", "did you mean `\\in`?"),
    "a semicolon": ("Init == x = 0;\n" + NEXT, "found `;`", "leave it out"),
    "IF without ELSE": (INIT + "Next == x' = IF x = 0 THEN 1\nInv == TRUE\n", "expected `ELSE`", "ELSE UNCHANGED"),
    "-> for |->": (INIT + NEXT + "Inv == x # [n \\in {1} -> 0]\n", "found `->`", "`[x \\in S |-> e]` is a function"),
    "a variable that is not declared": (
        INIT + "Next == /\\ x' = y\n        /\\ y' = y\nInv == y = 0\n",
        "the name `y` is not declared",
        "also in lines 6, 7",
    ),
    "a comma behind the last variable": (
        "VARIABLES y, z,\n" + INIT + NEXT,
        "expected another name behind `,`, found the definition of `Init`",
        "leave out the last comma",
    ),
    "\\subset for \\subseteq": (
        INIT + NEXT + "Inv == {x} \\subset {0, 1}\n",
        "`\\subset` is not",
        "write `\\subseteq`",
    ),
    "/ for \\div": ("Init == x = 1 / 2\n" + NEXT, "`/` is not declared", "write `\\div`"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slip(run, write, slip) -> None:
    body, *said = SLIPS[slip]
    ended = run("check", write("Slip.tla", "EXTENDS Naturals\nVARIABLE x\n" + body))
    assert ended.code != 0
    assert ended.err.count("error[") == 1, ended.err
    for words in said:
        assert words in ended.err, ended.err


def test_a_definition_after_an_incomplete_one(run, write) -> None:
    """Here `==` is right, and what stands before it is not complete."""
    ended = run("check", write("Slip.tla", "EXTENDS Naturals\nVARIABLE x\nOne ==\nInit == x = 0\n" + NEXT))
    assert "found the definition of `Init`" in ended.err, ended.err


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("-metadir", "there is no need for here"),
        ("-recover", "here it is --resume"),
        ("-nonsense", "there is no option -nonsense"),
    ],
)
def test_options_of_tlc(run, write, option, said) -> None:
    ended = run("check", write("Fine.tla", "EXTENDS Naturals\nVARIABLE x\n" + INIT + NEXT), option)
    assert ended.code == 2
    assert said in ended.err


def test_without_a_compiler(run, write, monkeypatch) -> None:
    """A search that takes long says why; a short one would not have been compiled anyway."""
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setattr("gristmill.checking.native._NOTICEABLE", 0.0)
    module = "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' \\in 0..90 /\\ y' \\in 0..90\n"
    ended = run("check", write("Many.tla", module), "--seconds", "2")
    assert ended.code == 0 or ended.code == 3
    assert "explored in Python, which is slow" in ended.err, ended.err


@pytest.mark.parametrize(
    ("expression", "help"),
    [
        ("1/2", "to divide integers, write `\\div`"),
        ("7 % 2 == 1", "to compare two values, write `=`"),
        ("1 != 2", "TLA+ writes `#` or `/=`"),
        ("!TRUE", "TLA+ writes `~`"),
        ("1 in {1}", "TLA+ writes `\\in`"),
    ],
)
def test_slips_in_an_expression(run, expression, help) -> None:
    ended = run("eval", expression)
    assert ended.code != 0
    assert help in ended.err, ended.err


def test_a_misspelt_section_behind_names(run, write, tmp_path) -> None:
    """It is read as one more name; that it is no name, is said with what was meant."""
    write("Slip.tla", "EXTENDS Naturals\nVARIABLE x\n" + INIT + NEXT + "Small == x < 5\n")
    (tmp_path / "Slip.cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Small\nCONSTRAINS Small\n")
    ended = run("check", "Slip.tla")
    assert ended.code != 0
    assert "INVARIANT `CONSTRAINS` is not defined" in ended.err
    assert "did you mean the section `CONSTRAINTS`?" in ended.err


def test_a_constant_that_is_given_twice(run, write, tmp_path) -> None:
    write("Slip.tla", "EXTENDS Naturals\nCONSTANT N\nVARIABLE x\n" + INIT + "Next == x' = (x + 1) % N\n")
    (tmp_path / "Slip.cfg").write_text("INIT Init\nNEXT Next\nCONSTANTS\n  N = 2\n  N = 3\n")
    ended = run("check", "Slip.tla")
    assert "`N` is given a second time: this one holds" in ended.err
    assert "3 distinct states" in ended.out
