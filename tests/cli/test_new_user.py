"""What goes wrong on the first day: one clear message, a non-zero exit, no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

GOOD = "EXTENDS Naturals\nCONSTANT Limit\nVARIABLE n\nInit == n = 0\nNext == n < Limit /\\ n' = n + 1\nSmall == n < 9\n"
GOOD += "Spec == Init /\\ [][Next]_n\nGrows == n' > n\nSure == 1 + 1 = 2\n"
CFG = "SPECIFICATION Spec CONSTANT Limit = 3 CHECK_DEADLOCK FALSE "


def clear(ended, *words: str) -> None:
    assert ended.code != 0
    assert "Traceback" not in ended.err + ended.out
    assert "internal error" not in ended.err
    for word in words:
        assert word in ended.err, ended.err
    assert ended.err.count("error[") == 1, ended.err


@pytest.fixture
def check(run, write):
    def call(module: str, config: str | None, *options: object):
        if config is not None:
            write("First.cfg", config)
        return run("check", write("First.tla", module), *options)

    return call


def test_misspelt_constant(check):
    clear(check(GOOD, CFG.replace("Limit", "Limt")), "the constant `Limit` has no value", "did you mean `Limit`?")


def test_missing_cfg(check, run, write):
    clear(check(GOOD, None), "the constant `Limit` has no value", "--constant Limit=")
    assert check(GOOD, None, "--constant", "Limit=3", "--no-deadlock").code == 0
    clear(run("check", write("Other.tla", GOOD), "--config", "Othr.cfg"), "there is no file Othr.cfg")


def test_invariant_that_is_no_state_predicate(check):
    clear(check(GOOD, CFG + "INVARIANT Grows"), "INVARIANT `Grows` must be a state predicate; it is an action")
    assert check(GOOD, CFG + "INVARIANT Sure").code == 0


def test_specification_without_next(check):
    module = GOOD.replace("[][Next]_n", "n = n")
    clear(check(module, CFG), "the specification `Spec` has no next-state action")
    bare = "VARIABLE n\nInit == n = 0"
    clear(check(bare, ""), "no SPECIFICATION")


def test_unknown_operator(check):
    clear(check(GOOD, CFG + "INVARIANT Smal"), "INVARIANT `Smal` is not defined", "did you mean `Small`?")
    clear(check(GOOD, CFG.replace("Limit = 3", "Limit <- Lots")), "`Lots`")


def test_infinite_set_in_init(check):
    clear(check(GOOD.replace("n = 0", "n \\in Nat"), CFG), "Nat")


def test_folder_instead_of_file(run, tmp_path):
    (tmp_path / "Specs.tla").mkdir()
    clear(run("check", "Specs.tla"), "Specs.tla", "cannot be read")
    clear(run("check", "."), "cannot be read")


def test_unreadable_file(run, write, monkeypatch):
    """Root may read everything, so the refusal is played."""
    file = write("First.tla", GOOD)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    clear(run("check", file), "First.tla cannot be read: Permission denied")


def test_not_a_text(run, tmp_path):
    (tmp_path / "First.tla").write_bytes(b"---- MODULE First ----\n\xff\n====")
    clear(run("check", "First.tla"), "not part of a UTF-8 text")


def test_module_name_mismatch(run, write):
    file = write("First.tla", "---- MODULE Second ----\n====\n")
    clear(run("check", file), "the file First.tla must hold a module named `First`, not `Second`")


def test_no_such_file(run):
    clear(run("check", "Nowhere.tla"), "there is no file Nowhere.tla")


def test_configuration_in_place_of_the_module(check, run):
    check(GOOD, CFG)
    clear(run("check", "First.cfg"), "there is no module in this file", "this is a configuration", "--config")


@pytest.mark.parametrize(
    ("config", "help"),
    [
        ("SPECIFICATION Spec CONSTANT Limit = 3 INVARIENT Small", "did you mean the section `INVARIANT`?"),
        ("SPECIFICATION Spec CONSTANT Limit = 1 + 2", "no expression: define an operator with it"),
        ("SPECIFICATION Spec CONSTANT Limit = 1..3", "no expression: define an operator with it"),
        ("SPECIFICATION Spec CONSTANT Limit == 3", "write `Limit = value`"),
    ],
)
def test_what_a_configuration_does_not_say(check, config, help):
    clear(check(GOOD, config), help)


@pytest.mark.parametrize(
    ("formula", "help"),
    [
        ("n > 1 && n < 3", "TLA+ writes `/\\` for that"),
        ("n in 0..3", "TLA+ writes `\\in` for that"),
        ("n > 1 or n < 3", "TLA+ writes `\\/` for that"),
        ("true", "TLA+ writes `TRUE` for that"),
        ("n # 'a'", "double quotes"),
    ],
)
def test_words_of_other_languages(check, formula, help):
    clear(check(GOOD.replace("n < 9", formula), CFG), help)


def test_inequality_of_other_languages(check):
    assert "TLA+ writes `#` or `/=` for that" in check(GOOD.replace("n < 9", "n != 9"), CFG).err


def test_operator_applied_with_brackets(check):
    clear(check(GOOD.replace("Small ==", "Twice(m) == 2 * m\nSmall == Twice[n] < 30 /\\"), CFG), "`Twice(…)`")


@pytest.mark.parametrize(
    ("old", "new", "help"),
    [
        ("n = 0", "n \\in Nat", "take a finite part of it"),
        ("VARIABLE n", "VARIABLES n, m", "give it one: `x = …`"),
        ("n' = n + 1", "n' = n' + 1", "write that first"),
        ("n' = n + 1", "n' = [a |-> 1].b", "are the fields spelt alike"),
        ("n' = n + 1", "n' = CHOOSE i \\in 1..3 : i > n + 3", "choose a default"),
    ],
)
def test_remedies(check, old, new, help):
    clear(check(GOOD.replace(old, new, 1), CFG), "= help: ", help)


def test_options_of_tlc(check, run):
    check(GOOD, CFG)
    for option, ours in (("-deadlock", "--no-deadlock"), ("-config", "--config")):
        ended = run("check", "First.tla", option)
        assert ended.code == 2
        assert f"{option} is how TLC spells an option" in ended.err
        assert ours in ended.err


def test_as_a_module_of_python():
    ended = subprocess.run([sys.executable, "-m", "gristmill", "--help"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert "Usage: gristmill" in ended.stdout


def test_a_module_without_its_ending(check, run, write):
    """As for TLC, in every verb that reads modules; a file that has no ending is itself."""
    write("First.cfg", CFG)
    write("First.tla", GOOD)
    assert run("check", "First").code == 0
    assert run("parse", "First").code == 0
    assert run("eval", "Limit + 1", "--spec", "First").out == "4\n"
    assert run("step", "First", "--print").code == 0
    clear(run("check", "Firs.tla"), "there is no file Firs.tla", "did you mean `First.tla`?")
    clear(run("check", "elsewhere/First.tla"), "there is no folder elsewhere")


@pytest.mark.parametrize(
    ("word", "said"),
    [("chekc", "did you mean `check`?"), ("First.tla", "`gristmill check First.tla`"), ("zzz", "`gristmill --help`")],
)
def test_a_word_that_is_no_verb(run, word, said):
    ended = run(word)
    assert ended.code == 2
    assert said in ended.err
