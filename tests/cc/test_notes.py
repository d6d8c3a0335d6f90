"""Notes of one run for the next."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gristmill.cc.notes import recall, remember


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "gristmill"


def files(home: Path) -> list[Path]:
    return list(home.glob("??/*.note"))


def test_the_last_one_is_recalled(home: Path) -> None:
    assert recall("a", "b") is None
    remember(b"first", "a", "b")
    remember(b"second", "a", "b")
    remember(b"other", "ab", "")
    assert (recall("a", "b"), recall("ab", ""), recall("a")) == (b"second", b"other", None)
    assert len(files(home)) == 2
    assert not list(home.glob("work-*"))


@pytest.mark.parametrize("damaged", [b"", b"firs", b"First", b"first and more"])
def test_a_damaged_one_is_none(home: Path, damaged: bytes) -> None:
    remember(b"first", "a")
    (path,) = files(home)
    path.write_bytes(damaged)
    assert recall("a") is None
    assert files(home) == []
    remember(b"first", "a")
    assert recall("a") == b"first"


def test_writers_at_the_same_time_leave_whole_notes(home: Path) -> None:
    wanted = {bytes([n]) * 5000 for n in range(8)}
    threads = [threading.Thread(target=remember, args=(data, "a")) for data in wanted]
    for thread in threads:
        thread.start()
    seen = {recall("a") for _ in range(50)}
    for thread in threads:
        thread.join()
    assert seen | {recall("a")} <= wanted | {None}


def test_where_nothing_can_be_trusted_there_is_none(home: Path) -> None:
    remember(b"first", "a")
    home.chmod(0o777)
    assert recall("a") is None
    remember(b"second", "a")
    home.chmod(0o700)
    assert recall("a") == b"first"
