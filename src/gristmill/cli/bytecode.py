"""The modules of this package, compiled, in one file: a command that imports three hundred of them starts sooner.

Python keeps the bytecode of each module in a file of its own, and looks for each of them in folders. Where it may not
write (PYTHONDONTWRITEBYTECODE, an installation of somebody else's that was not compiled), it compiles them every time,
which takes a quarter of a second. Here, what commands have imported stands in one file of the user's cache, and is used
as Python uses its own: if the source has the same size and time as it had then. Whatever is wrong with the file, Python
does as it does without it.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import mmap
import os
import stat
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, source_hash
from types import CodeType, ModuleType

_PACKAGE = "gristmill"
_SIZE = 8  # bytes, of the number that says how long the index is

_Stamp = tuple[int, int]  # of a source: when it was changed, and its size
_Entry = tuple[_Stamp, bool, int, int]  # of a module: whether it is a package, and where its code begins and ends


def install() -> None:
    """From now on modules come from the file; new ones are added to it when the process ends.

    Once in a process: whoever calls commands again and again would keep the file open each time.
    """
    if any(isinstance(each, _Archive) for each in sys.meta_path):
        return
    path = _path()
    if path is not None:
        archive = _Archive(path)
        sys.meta_path.insert(0, archive)
        atexit.register(archive.save)


def _path() -> str | None:
    """Of the file, in a folder that only its user can write to."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    base = home if os.path.isabs(home) else os.path.expanduser("~/.cache")
    folder = os.path.join(base, _PACKAGE)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.lstat(folder)
    except OSError:
        return None
    is_others = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    if not stat.S_ISDIR(status.st_mode) or is_others or status.st_mode & 0o022:
        return None
    about = f"{sys.version} {sys.flags.optimize} {os.path.dirname(os.path.dirname(__file__))}"
    return os.path.join(folder, f"bytecode-{source_hash(MAGIC_NUMBER + about.encode()).hex()}")


class _Archive:
    """A finder, for `sys.meta_path`. `new`: code that is not in the file yet."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._index: dict[str, _Entry] = {}
        self._data: mmap.mmap | bytes = b""
        self.new: dict[str, tuple[_Stamp, bool, CodeType]] = {}
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            with open(path, "rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            begin = _SIZE + int.from_bytes(self._data[:_SIZE], "little")
            index = marshal.loads(self._data[_SIZE:begin])
            is_whole = all(begin <= a <= b <= len(self._data) for _, _, a, b in index.values())
            self._index = index if is_whole else {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is None or not name.startswith(f"{_PACKAGE}."):
            return None
        entry = self._index.get(name)
        spec = None if entry is None else self._kept(name, next(iter(path)), entry)
        return spec or self._found(name, path)

    def _kept(self, name: str, folder: str, entry: _Entry) -> ModuleSpec | None:
        stamp, is_package, begin, end = entry
        base = os.path.join(folder, name.rpartition(".")[2])
        origin = os.path.join(base, "__init__.py") if is_package else f"{base}.py"
        if _stamp(origin) != stamp:
            return None
        loader = _Kept(name, origin)
        loader.data = self._data[begin:end]
        spec = ModuleSpec(name, loader, origin=origin, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [base]
        return spec

    def _found(self, name: str, path: Sequence[str]) -> ModuleSpec | None:
        """As Python finds it, with its code remembered."""
        spec = PathFinder.find_spec(name, path)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            loader = _Found(name, spec.loader.path)
            loader.archive = self
            spec.loader = loader
        return spec

    def save(self) -> None:
        if not self.new:
            return
        parts = {name: (*entry[:2], self._data[entry[2] : entry[3]]) for name, entry in self._index.items()}
        parts |= {
            name: (stamp, is_package, marshal.dumps(code)) for name, (stamp, is_package, code) in self.new.items()
        }
        with contextlib.suppress(OSError):
            _write(self._path, parts)


def _write(path: str, parts: dict[str, tuple[_Stamp, bool, bytes]]) -> None:
    def index(begin: int) -> bytes:
        entries: dict[str, _Entry] = {}
        for name, (stamp, is_package, data) in parts.items():
            entries[name] = (stamp, is_package, begin, begin + len(data))
            begin += len(data)
        return marshal.dumps(entries)

    size = len(index(0))
    while len(found := index(_SIZE + size)) != size:
        size = len(found)
    beside = f"{path}-{os.getpid()}"
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(size.to_bytes(_SIZE, "little") + found)
            file.writelines(data for _, _, data in parts.values())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


class _Kept(SourceFileLoader):
    data: bytes

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            code = marshal.loads(self.data)
        except (ValueError, EOFError, TypeError):
            code = None
        return code if isinstance(code, CodeType) else super().get_code(fullname)


class _Found(SourceFileLoader):
    archive: _Archive

    def get_code(self, fullname: str) -> CodeType | None:
        stamp = _stamp(self.path)  # before it is read
        code = super().get_code(fullname)
        if code is not None and stamp is not None:
            self.archive.new[fullname] = (stamp, self.is_package(fullname), code)
        return code


def _stamp(path: str) -> _Stamp | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
