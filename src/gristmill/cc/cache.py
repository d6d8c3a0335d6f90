"""Compiled objects, kept from one run to the next, by what they were made of.

They are code that will run, so the directory is the user's alone, and a file is looked at before it is used. Its name
has two hashes: of what it was made from, and of what is in it. One rename puts it there, whole; if the contents do not
fit the name, it is thrown away and made again.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gristmill.cc.errors import CacheError

_MOST_BYTES = 512 << 20
_LOOK_EVERY = 600.0  # seconds
_UNUSED_SECONDS = 24 * 3600.0  # younger ones may be about to be loaded by another process

_private_fallback: Path | None = None


def cache_directory() -> Path:
    """`gristmill` in $XDG_CACHE_HOME or ~/.cache, made if it is missing and checked in any case.

    Where that cannot be written (a read-only home), a temporary directory that lives as long as the process.
    """
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        directory = base / "gristmill"
        with suppress(FileExistsError):
            directory.mkdir(mode=0o700)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return _temporary()
    _trust(directory)
    return directory if os.access(directory, os.W_OK | os.X_OK) else _temporary()


def has(directory: Path, key: str, suffix: str) -> bool:
    """Whether something was kept under a key; `find` may still throw it away."""
    return any(_shelf(directory, key).glob(f"{key}-*{suffix}"))


def find(directory: Path, key: str, suffix: str) -> Path | None:
    """What was kept under a key, if it is as it was when it was put there."""
    for path in sorted(_shelf(directory, key).glob(f"{key}-*{suffix}")):
        if path.is_symlink() or _name(key, _digest(path), suffix) != path.name:
            path.unlink(missing_ok=True)
            continue
        with suppress(OSError):
            os.utime(path)  # it was used
        return path
    return None


def keep(directory: Path, key: str, suffix: str, made: Path, alone: bool = False) -> Path:
    """Move a file that was made in `workshop` to its place. `alone`: others that were kept under this key go."""
    shelf = _shelf(directory, key)
    shelf.mkdir(mode=0o700, exist_ok=True)
    kept = shelf / _name(key, _digest(made), suffix)
    made.chmod(0o700)
    os.replace(made, kept)
    if alone:
        for other in shelf.glob(f"{key}-*{suffix}"):
            if other != kept:
                other.unlink(missing_ok=True)
    _forget_oldest(directory)
    return kept


@contextmanager
def workshop(directory: Path) -> Iterator[Path]:
    """A directory to work in, on the same file system, that vanishes."""
    path = Path(tempfile.mkdtemp(prefix="work-", dir=directory))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _shelf(directory: Path, key: str) -> Path:
    """One of many folders: to look for a file in a large one takes long."""
    return directory / key[:2]


def _name(key: str, digest: str, suffix: str) -> str:
    return f"{key}-{digest}{suffix}"


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "unreadable"


def _trust(directory: Path) -> None:
    remedy = f"remove it, or set $XDG_CACHE_HOME to a directory of yours: {directory}"
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise CacheError(f"The cache of compiled code is not a directory; {remedy}")
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise CacheError(f"The cache of compiled code belongs to another user; {remedy}")
    if status.st_mode & 0o022:
        raise CacheError(f"Others than you can write to the cache of compiled code; {remedy}")
    parent = directory.parent.stat()
    if parent.st_mode & 0o002 and not parent.st_mode & stat.S_ISVTX:
        raise CacheError(f"Anyone can replace the cache of compiled code; {remedy}")
    if status.st_mode & 0o077:
        directory.chmod(0o700)


def _temporary() -> Path:
    global _private_fallback
    if _private_fallback is None:
        _private_fallback = Path(tempfile.mkdtemp(prefix="gristmill-"))
        atexit.register(shutil.rmtree, _private_fallback, ignore_errors=True)
    return _private_fallback


def _looked_lately(directory: Path) -> bool:
    looked = directory / "looked"
    with suppress(OSError):
        if time.time() - looked.lstat().st_mtime < _LOOK_EVERY:
            return True
    with suppress(OSError):
        looked.touch(mode=0o600)
    return False


def _forget_oldest(directory: Path) -> None:
    """Evicts least recently used objects above the size limit; checked occasionally."""
    if _looked_lately(directory):
        return
    for left in directory.glob("work-*"):  # by a process that was killed
        with suppress(OSError):
            if left.lstat().st_mtime < time.time() - _UNUSED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
    files: list[tuple[float, int, Path]] = []
    for path in (*directory.glob("*.*"), *directory.glob("??/*")):
        with suppress(OSError):  # another process may be doing the same
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                files.append((status.st_mtime, status.st_size, path))
    excess = sum(size for _, size, _ in files) - _MOST_BYTES
    for used, size, path in sorted(files):
        if excess <= 0 or used > time.time() - _UNUSED_SECONDS:
            return
        with suppress(OSError):
            path.unlink()
            excess -= size
