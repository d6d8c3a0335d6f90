"""Compiled files that a wheel brings along: used if they fit, and never otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gristmill.cc import Compiler, NoCompilerError, Program, Stop, find_compiler, load, prebuilt
from gristmill.native.run.shipping import ship


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where a wheel has them."""
    try:
        find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(prebuilt, "FOLDER", tmp_path / "shipped")
    return tmp_path / "shipped"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    original: Callable[..., None] = Compiler.run

    def run(self: Compiler, arguments: list[str], directory: Path, what: str, stop: Stop | None = None) -> None:
        if what.endswith(".c"):
            seen.append(what)
        original(self, arguments, directory, what, stop)

    monkeypatch.setattr(Compiler, "run", run)
    return seen


def program(folder: Path, more: int = 2, flags: tuple[str, ...] = ("-O1",)) -> Program:
    folder.mkdir(exist_ok=True)
    (folder / "one.c").write_text("int one(void) { return 1; }\n")
    (folder / "two.c").write_text("int two(void) { return 2; }\n")
    text = f"int one(void), two(void); int total(void) {{ return one() + two() + {more}; }}\n"
    return Program({"main.c": text}, [folder / "one.c", folder / "two.c"], flags=flags)


def new_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another cache"))


def test_only_texts_are_compiled(
    tmp_path: Path, shipped: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert program(tmp_path / "c").ship(shipped).parent == shipped
    new_machine(tmp_path, monkeypatch)
    compiled.clear()
    assert program(tmp_path / "c").needs_only_texts()
    assert load(program(tmp_path / "c").build()).total() == 5
    assert load(program(tmp_path / "c", more=3).build()).total() == 6
    assert compiled == ["main.c", "main.c"]


def test_with_other_flags_or_texts_it_is_of_no_use(
    tmp_path: Path, shipped: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "c").ship(shipped)
    new_machine(tmp_path, monkeypatch)
    compiled.clear()
    assert not program(tmp_path / "c", flags=("-O0",)).needs_only_texts()
    assert load(program(tmp_path / "c", flags=("-O0",)).build()).total() == 5
    assert sorted(compiled) == ["main.c", "one.c", "two.c"]


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:100] + b"?" + data[101:]]
)
def test_a_damaged_one_is_not_used(
    tmp_path: Path,
    shipped: Path,
    compiled: list[str],
    damage: Callable[[bytes], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = program(tmp_path / "c").ship(shipped)
    path.write_bytes(damage(path.read_bytes()))
    new_machine(tmp_path, monkeypatch)
    compiled.clear()
    assert load(program(tmp_path / "c").build()).total() == 5
    assert sorted(compiled) == ["main.c", "one.c", "two.c"]


def test_one_that_cannot_be_linked_here_is_not_used(
    tmp_path: Path, shipped: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was compiled for a newer library of the system."""
    folder = tmp_path / "c"
    made = program(folder)
    key = prebuilt.key(made._files, made._flags)
    other = tmp_path / "other.c"
    other.write_text(
        "int of_a_newer_library(void); int one(void) { return of_a_newer_library(); } int two(void) { return 2; }\n"
    )
    prebuilt.put(key, Program(paths=[other])._files_object(None), shipped)
    new_machine(tmp_path, monkeypatch)
    compiled.clear()
    assert load(program(folder).build()).total() == 5
    assert {"one.c", "two.c"} <= set(compiled)


def test_what_is_shipped_is_what_runs_need(tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gristmill.native.run.compiled import expected_seconds

    assert expected_seconds("int nothing;\n") is None
    assert len(ship(shipped)) == 3
    new_machine(tmp_path, monkeypatch)
    assert expected_seconds("int nothing;\n") is not None
