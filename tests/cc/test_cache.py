"""Where compiled code is kept: nothing is loaded that another may have put there."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from gristmill.cc import CacheError, build, cache, load

pytestmark = pytest.mark.skipif(
    all(shutil.which(name) is None for name in ("cc", "gcc", "clang")), reason="no C compiler on this machine"
)

ANSWER = {"answer.c": "int answer(void) { return 42; }\n"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_private_and_has_no_leftovers(home: Path) -> None:
    build(ANSWER)
    directory = home / "gristmill"
    files = [path for path in directory.rglob("*") if path.is_file() and path.name != "looked"]
    for folder in (directory, *(path.parent for path in files)):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(path.suffix for path in files) in ([".o", ".so"], [".dylib", ".o"])
    assert not list(directory.glob("work-*"))


def test_a_damaged_entry_is_built_again() -> None:
    path = build(ANSWER)
    before = path.read_bytes()
    for damage in (b"", before[:-1], before[:-1] + bytes([before[-1] ^ 1])):
        path.write_bytes(damage)
        assert build(ANSWER).read_bytes() == before
    for each in path.parent.parent.glob("??/*"):  # the object as well
        each.write_bytes(b"nonsense")
    assert load(build(ANSWER)).answer() == 42


def test_an_entry_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    path = build(ANSWER)
    moved = tmp_path / "elsewhere"
    shutil.move(path, moved)
    path.symlink_to(moved)
    again = build(ANSWER)
    assert not again.is_symlink()


def test_others_must_not_be_able_to_write(home: Path) -> None:
    directory = home / "gristmill"
    directory.mkdir(parents=True)
    directory.chmod(0o777)
    with pytest.raises(CacheError, match="Others than you"):
        build(ANSWER)
    directory.chmod(0o755)
    build(ANSWER)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    home.chmod(0o777)
    with pytest.raises(CacheError, match="Anyone can replace"):
        build(ANSWER)


def test_it_must_be_ours(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(ANSWER)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(CacheError, match="another user"):
        build(ANSWER)


def test_it_must_be_a_directory_and_no_link(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (tmp_path / "other").mkdir()
    (home / "gristmill").symlink_to(tmp_path / "other")
    with pytest.raises(CacheError, match="not a directory"):
        build(ANSWER)


def test_where_nothing_can_be_written_it_is_temporary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    path = build(ANSWER)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert load(path).answer() == 42


def test_a_relative_cache_home_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_directory() == tmp_path / ".cache" / "gristmill"


def test_the_oldest_go_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    old = build(ANSWER)
    long_ago = old.stat().st_mtime - 7 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    monkeypatch.setattr(cache, "_MOST_BYTES", 1)
    build({"another.c": "int another(void) { return 1; }\n"})
    assert old.exists()  # nobody looks every time
    monkeypatch.setattr(cache, "_LOOK_EVERY", 0.0)
    new = build({"other.c": "int other(void) { return 1; }\n"})
    assert not old.exists()
    assert new.exists()
