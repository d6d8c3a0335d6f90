"""What goes wrong on the first day: one clear message, a non-zero exit, no traceback."""

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
