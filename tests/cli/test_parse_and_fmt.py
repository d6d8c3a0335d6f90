"""The verbs that only read or respell: what they print, where, and with which status."""

import json
import tempfile
from pathlib import Path

import pytest

CLOCK = r"""EXTENDS Naturals
CONSTANT Last
VARIABLE hour
Init == hour \in 0..Last      \* any hour
Next == /\ hour' = (hour + 1) % 12
        /\ TRUE
THEOREM Init => TRUE"""

CLOCK_IN_UNICODE = r"""---- MODULE Clock ----
EXTENDS Naturals
CONSTANT Last
VARIABLE hour
Init ≜ hour ∈ 0‥Last      \* any hour
Next ≜ ∧ hour' = (hour + 1) % 12
       ∧ TRUE
THEOREM Init ⇒ TRUE
====
"""


def test_parse_prints_one_line_about_a_module(run, write) -> None:  # type: ignore[no-untyped-def]
    write("Clock.tla", CLOCK)
    ended = run("parse", "Clock.tla")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == ("Clock.tla: module Clock: 1 constant, 1 variable, 2 definitions, 1 theorem; 2 modules read\n")


def test_parse_goes_on_behind_a_broken_file(run, write) -> None:  # type: ignore[no-untyped-def]
    write("Broken.tla", "a == (\nb == y")
    write("Clock.tla", CLOCK)
    ended = run("parse", "Broken.tla", "missing.tla", "Clock.tla")
    assert ended.code == 1
    assert [line.split(":")[0] for line in ended.out.splitlines()] == ["Broken.tla", "missing.tla", "Clock.tla"]
    assert "error[file-not-found]" in ended.err
    assert "error[syntax-error]" in ended.err


def test_parse_in_json(run, write) -> None:  # type: ignore[no-untyped-def]
    write("Clock.tla", CLOCK)
    write("Broken.tla", "a == (")
    ended = run("parse", "--format", "json", "Clock.tla", "Broken.tla")
    assert (ended.code, ended.err) == (1, "")
    good, bad = json.loads(ended.out)
    assert (good["ok"], good["module"]["name"], good["diagnostics"]) == (True, "Clock", [])
    assert (bad["ok"], bad["module"], bad["diagnostics"][0]["line"]) == (False, None, 3)


def test_parse_finds_modules_on_the_path(run, write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "other").mkdir()
    write("other/Parts.tla", "part == 1")
    write("Whole.tla", "EXTENDS Parts\nwhole == part")
    assert "error[module-not-found]" in run("parse", "Whole.tla").err
    assert run("parse", "--path", "other", "Whole.tla").code == 0


def test_fmt_rewrites_and_comes_back(run, write) -> None:  # type: ignore[no-untyped-def]
    path = write("Clock.tla", CLOCK)
    before = path.read_text()
    ended = run("fmt", "--unicode", "Clock.tla")
    assert (ended.code, ended.out, ended.err) == (0, "", "rewrote Clock.tla\n")
    assert path.read_text() == CLOCK_IN_UNICODE
    assert run("fmt", "--unicode", "Clock.tla").err == ""
    assert run("fmt", "--ascii", "Clock.tla").code == 0
    assert path.read_text() == before


def test_fmt_keeps_permissions_and_links(run, write, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = write("Clock.tla", CLOCK)
    path.chmod(0o640)
    (tmp_path / "link.tla").symlink_to(path)
    assert run("fmt", "--unicode", "link.tla").code == 0
    assert (tmp_path / "link.tla").is_symlink()
    assert path.read_text() == CLOCK_IN_UNICODE
    assert path.stat().st_mode & 0o7777 == 0o640


def test_fmt_check_and_stdout_write_nothing(run, write) -> None:  # type: ignore[no-untyped-def]
    path = write("Clock.tla", CLOCK)
    before = path.read_text()
    ended = run("fmt", "--unicode", "--check", "Clock.tla")
    assert (ended.code, ended.err) == (1, "would rewrite Clock.tla\n")
    assert run("fmt", "--ascii", "--check", "Clock.tla").code == 0
    ended = run("fmt", "--unicode", "--stdout", "Clock.tla")
    assert (ended.code, ended.out) == (0, CLOCK_IN_UNICODE)
    assert path.read_text() == before


def test_fmt_leaves_a_broken_file_alone_and_goes_on(run, write) -> None:  # type: ignore[no-untyped-def]
    broken = write("Broken.tla", "a == (")
    clock = write("Clock.tla", CLOCK)
    before = broken.read_text()
    ended = run("fmt", "--unicode", "Broken.tla", "missing.tla", "Clock.tla")
    assert ended.code == 1
    assert "error[file-not-found]" in ended.err
    assert broken.read_text() == before
    assert clock.read_text() == CLOCK_IN_UNICODE


def test_fmt_where_nothing_can_be_written(run, write, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = write("Clock.tla", CLOCK)
    before = path.read_text()
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    ended = run("fmt", "--unicode", "Clock.tla")
    assert ended.code == 1
    assert "error[file-not-writable]: Clock.tla cannot be written: Permission denied" in ended.err
    assert path.read_text() == before


def test_fmt_wants_to_know_which_way(run, write) -> None:  # type: ignore[no-untyped-def]
    write("Clock.tla", CLOCK)
    ended = run("fmt", "Clock.tla")
    assert ended.code == 2
    assert "say --unicode or --ascii" in ended.err


def test_help(run) -> None:  # type: ignore[no-untyped-def]
    overview = run("--help").out
    for verb in ("parse", "fmt", "translate"):
        assert verb in overview
        about = run(verb, "--help").out
        assert "Usage: gristmill" in about
        assert "FILE" in about


def test_an_unknown_verb(run) -> None:  # type: ignore[no-untyped-def]
    ended = run("prase", "Clock.tla")
    assert ended.code == 2
    assert "No such command" in ended.err
