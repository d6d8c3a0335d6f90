"""Modules from one file of bytecode: the same modules, whatever has happened to the file or to their sources."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from gristmill.cli import bytecode

NAME = "packed_for_a_test"


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The module of a package, which is imported anew by `begin`."""
    folder = tmp_path / NAME
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "inner" / "__init__.py").write_text("WHERE = __file__\n")
    module = folder / "inner" / "module.py"
    module.write_text("ANSWER = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(bytecode, "_PACKAGE", NAME)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield module
    forget()


def forget() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == NAME]:
        del sys.modules[name]
    importlib.invalidate_caches()


def imported(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, list[str]]:
    """The module, imported as by a new process, and what was compiled for it."""
    forget()
    path = bytecode._path()
    assert path is not None
    archive = bytecode._Archive(path)
    with monkeypatch.context() as context:
        context.setattr(sys, "meta_path", [archive, *sys.meta_path])
        module = importlib.import_module(f"{NAME}.inner.module")
    new = sorted(archive.new)
    archive.save()
    return module, new


BOTH = [f"{NAME}.inner", f"{NAME}.inner.module"]


def test_what_was_compiled_once_is_taken_from_the_file(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, new = imported(monkeypatch)
    assert (first.ANSWER, new) == (42, BOTH)
    second, new = imported(monkeypatch)
    assert (second.ANSWER, new) == (42, [])
    assert second.__file__ == first.__file__ == str(source)
    package = sys.modules[f"{NAME}.inner"]
    assert str(source.parent / "__init__.py") == package.WHERE
    assert list(package.__path__) == [str(source.parent)]
    assert second.__spec__ is not None
    assert second.__spec__.loader.get_source(second.__name__) == "ANSWER = 42\n"  # type: ignore[union-attr]


def test_a_source_that_was_changed_is_compiled_again(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch)
    before = source.stat()
    source.write_text("ANSWER = 43\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    module, new = imported(monkeypatch)
    assert (module.ANSWER, new) == (43, [BOTH[1]])
    assert imported(monkeypatch)[1] == []


def test_a_source_that_is_gone_is_not_imported(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch)
    source.unlink()
    with pytest.raises(ModuleNotFoundError):
        imported(monkeypatch)


@pytest.mark.parametrize("cut", [0, 4, 20, -1, -40])
def test_a_damaged_file_changes_nothing(source: Path, cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch)
    path = Path(bytecode._path() or "")
    path.write_bytes(path.read_bytes()[:cut])
    assert imported(monkeypatch)[0].ANSWER == 42
    path.write_bytes(b"\xff" * 100)
    assert imported(monkeypatch)[0].ANSWER == 42
    assert imported(monkeypatch)[1] == []


def test_where_others_can_write_nothing_is_taken(source: Path) -> None:
    path = Path(bytecode._path() or "")
    path.parent.chmod(0o777)
    assert bytecode._path() is None


def test_where_nothing_can_be_written_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert bytecode._path() is None


def test_the_file_is_opened_once_in_a_process(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever calls commands a thousand times has one file open, and not a thousand."""
    monkeypatch.setattr(sys, "meta_path", [each for each in sys.meta_path if not isinstance(each, bytecode._Archive)])
    for _ in range(3):
        bytecode.install()
    archives = [each for each in sys.meta_path if isinstance(each, bytecode._Archive)]
    assert len(archives) == 1
