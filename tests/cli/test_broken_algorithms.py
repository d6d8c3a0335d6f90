"""An algorithm that cannot be translated is an error of the specification, whatever is asked for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gristmill
from gristmill.pluscal import translate
from gristmill.source import SourceFile

GOOD = """---- MODULE M ----
EXTENDS Naturals
(* --algorithm M
variables x = 0;
begin
  one: x := x + 1;
  two: x := 2;
end algorithm *)
Other == 1
====
"""
BROKEN = GOOD.replace("x + 1;", "x + 1")
ABOVE = "---- MODULE Above ----\n{}\nVARIABLE y\nInit == y = 0\nNext == y' = y\n====\n"


def with_translation(broken: str) -> str:
    """A mistake in the algorithm, made after the translation below it."""
    translated = translate(SourceFile("M.tla", GOOD)).text
    assert translated is not None
    return translated.replace("x := x + 1;", broken)


def without_checksums(text: str) -> str:
    begin = text.index("BEGIN TRANSLATION")
    return text[:begin] + "BEGIN TRANSLATION" + text[text.index("\n", begin) :]


MODULES = {
    "without a translation": BROKEN,
    "above an old translation": with_translation("x := x + 1"),
    "above one without checksums": without_checksums(with_translation("x := x + 1")),
    "that parses, above one without checksums": without_checksums(with_translation("goto nowhere;")),
    "with a mistake in its head": GOOD.replace("variables", "varaibles"),
    "with a mistake in its head above a translation": with_translation("x := x + 1;").replace(
        "variables x", "varaibles x"
    ),
    "without a name": GOOD.replace("--algorithm M", "--algorithm"),
}


@pytest.mark.parametrize("text", MODULES.values(), ids=MODULES)
@pytest.mark.parametrize("verb", ["check", "simulate", "parse", "translate"])
def test_each_verb_refuses_it(run, write, verb, text):
    write("M.tla", text)
    ended = run(verb, "M.tla")
    assert ended.code == {"check": 150, "simulate": 150}.get(verb, 1)
    assert "error[pluscal-" in ended.err
    assert "No error" not in ended.out


def fair(text: str) -> str:
    return text.replace("--algorithm", "--fair algorithm")


def test_a_checksum_that_fits_every_fair_algorithm_says_nothing(run, write):
    """The standard translator gives the same one to all of them."""
    text = translate(SourceFile("M.tla", fair(GOOD))).text
    assert text is not None
    begin, end = text.index(" (algorithm "), text.index(")", text.index(" (algorithm "))
    write("M.tla", (text[:begin] + text[end + 1 :]).replace("x := x + 1;", "goto nowhere;"))
    assert run("check", "M.tla").code == 150
    assert run("translate", "--check", "M.tla").code == 1


@pytest.mark.parametrize("verb", ["check", "simulate"])
def test_what_is_wrong_is_told_and_not_what_is_missing_because_of_it(run, write, verb):
    write("M.tla", BROKEN)
    write("M.cfg", "SPECIFICATION Spec\n")
    ended = run(verb, "M.tla")
    assert (ended.code, ended.err.count("error[")) == (150, 1)
    assert "M.tla:6:17" in ended.err
    document = json.loads(run(verb, "M.tla", "--format", "json").out)
    assert (document["verdict"], document["exit_code"]) == ("error", 150)
    assert [each["id"] for each in document["diagnostics"]] == ["pluscal-missing-semicolon"]


@pytest.mark.parametrize("uses", ["EXTENDS M", "I == INSTANCE M WITH x <- 1, pc <- 2", "LOCAL INSTANCE M"])
def test_in_a_module_that_is_used(run, write, uses):
    write("M.tla", BROKEN)
    write("Above.tla", ABOVE.format(uses))
    for verb, code in (("check", 150), ("simulate", 150), ("parse", 1)):
        ended = run(verb, "Above.tla")
        assert (ended.code, ended.err.count("error[")) == (code, 1)
        assert "M.tla:6:17" in ended.err


def test_in_a_second_module_of_a_file(run, write):
    write("Above.tla", ABOVE.format("EXTENDS M") + BROKEN)
    assert run("check", "Above.tla").code == 150


def test_other_mistakes_are_told_as_well(run, write):
    write("M.tla", BROKEN.replace("Other == 1", "Other == 1 +"))
    assert run("parse", "M.tla").err.count("error[") == 2


def test_a_second_algorithm_gets_a_warning(run, write):
    second = GOOD[GOOD.index("(*") : GOOD.index("Other")]
    write("M.tla", GOOD.replace("Other == 1", second.replace("x + 1;", "x + 1")))
    ended = run("check", "M.tla")
    assert "warning[pluscal-second-algorithm]" in ended.err
    assert "M.tla:9:4" in ended.err


@pytest.mark.parametrize(
    "comment",
    [
        "(* An --algorithm has a name, and then begin. *)",
        "(* --algorithm is how an algorithm begins. *)",
        "\\* --algorithm M, see below",
    ],
)
def test_prose_is_no_algorithm(run, write, comment):
    write("Above.tla", ABOVE.format(comment))
    assert run("check", "Above.tla").code == 0


def test_expressions_are_not_evaluated_beside_it(run, write):
    write("M.tla", BROKEN)
    assert run("eval", "Other", "--spec", "M.tla").code == 75


def test_the_repl_says_so(tmp_path: Path):
    (tmp_path / "M.tla").write_text(BROKEN)
    command = [sys.executable, "-m", "gristmill.cli", "repl", "M.tla"]
    ended = subprocess.run(command, cwd=tmp_path, input="Other\n", capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "pluscal-missing-semicolon" in ended.stderr


def test_from_python():
    for result in (gristmill.check(BROKEN), gristmill.simulate(BROKEN).result):
        assert (result.verdict, result.exit_code) == ("error", 150)
        assert result.diagnostics[0].id == "pluscal-missing-semicolon"


def test_measuring_it_fails(run, write):
    write("M.tla", BROKEN)
    write("M.cfg", "SPECIFICATION Spec\n")
    ended = run("bench", "M.tla")
    assert ended.code == 1
    assert "there is no `;`" in ended.err
