"""From C files to a shared library."""

from __future__ import annotations

import _ctypes
import ctypes
import hashlib
import os
import re
import shutil
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from gristmill.cc import cache
from gristmill.cc.compiler import Compiler, find_compiler
from gristmill.cc.errors import CompilerError
from gristmill.cc.stop import Stop
from gristmill.source.quick_dataclass import dataclass

Kind = Literal["library", "program"]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_LOCKS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_SUFFIXES: dict[Kind, str] = {"library": ".dylib" if sys.platform == "darwin" else ".so", "program": ".exe"}


@dataclass(frozen=True, slots=True)
class _Unit:
    """One file to compile, and all headers that it may see."""

    name: str
    text: str
    headers: Mapping[str, str]


def build(
    texts: Mapping[str, str] | None = None,
    paths: Iterable[Path] = (),
    *,
    include: Iterable[Path] = (),
    flags: Sequence[str] = ("-O1",),
    text_flags: Sequence[str] | None = None,
    libraries: Sequence[str] = (),
    compiler: Compiler | None = None,
    kind: Kind = "library",
    stop: Stop | None = None,
) -> Path:
    """Compile and link, or find what was built of the same before; the path of the library.

    - `texts`: C by file name, `.c` to compile and `.h` that these may include; `paths`: files to compile as they are.
    - `include`: folders whose headers, also in folders inside, all of them may include, by name alone; folders of
      `paths` as well.
    - `text_flags`: other flags for `texts`. `libraries`: names to link with, without `-l`.
    - `stop`: ends it, with a `CompilerError`.

    Every file is compiled by itself, several at a time, and kept, so that files that do not change are compiled once on
    a machine. Raises `CompilerError` if that is not possible.
    """
    compiler = compiler or find_compiler()
    units = _units(texts or {}, [Path(path) for path in paths], [Path(folder) for folder in include])
    directory = cache.cache_directory()
    own = text_flags if text_flags is not None else flags
    unit_flags = [own if texts and unit.name in texts else flags for unit in units]
    keys = [_unit_key(compiler, *each) for each in zip(unit_flags, units, strict=True)]
    key = _key("link", kind, compiler.identity, *flags, "libraries", *libraries, "units", *keys)
    known = cache.find(directory, key, _SUFFIXES[kind])
    if known is not None:
        return known
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        todo = zip(unit_flags, keys, units, strict=True)
        jobs = [pool.submit(_compile, compiler, directory, *each, stop) for each in todo]
        objects = [job.result() for job in jobs]
    with cache.workshop(directory) as work:
        made = work / f"linked{_SUFFIXES[kind]}"
        shared = compiler.shared if kind == "library" else ()
        arguments = [*shared, *flags, *map(str, objects), *(f"-l{name}" for name in libraries), "-o", str(made)]
        compiler.run(arguments, work, "what was to be linked", stop)
        return cache.keep(directory, key, _SUFFIXES[kind], made)


def load(path: Path) -> ctypes.CDLL:
    """Load what `build` has built."""
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise CompilerError(f"What the C compiler made cannot be loaded: {error}") from error


@dataclass(frozen=True, slots=True)
class Loaded:
    """A library with variables of its own. Nothing of it may be in use when it is closed."""

    library: ctypes.CDLL

    def close(self) -> None:
        _ctypes.dlclose(self.library._handle)


def load_alone(path: Path) -> Loaded:
    """Load what `build` has built, as a copy of its own.

    The system loads a file once for a process, and its static variables are there once. A run needs its own: what is
    loaded is a copy, which vanishes at once.
    """
    with cache.workshop(cache.cache_directory()) as work:
        return Loaded(load(Path(shutil.copy(path, work))))


def _units(texts: Mapping[str, str], paths: Sequence[Path], folders: Sequence[Path]) -> list[_Unit]:
    for name in texts:
        if not _PLAIN_NAME.fullmatch(name):
            raise ValueError(f"not the name of a C file: {name!r}")
    inside = (header for folder in folders for header in sorted(folder.rglob("*.h")))
    neighbours = dict.fromkeys(path.parent for path in paths)
    beside = (header for folder in neighbours for header in sorted(folder.glob("*.h")))
    shared = _headers([*inside, *beside])
    own = {name: text for name, text in texts.items() if name.endswith(".h")}
    units = [_Unit(path.name, _read(path), shared) for path in paths]
    units += [_Unit(name, text, {**shared, **own}) for name, text in texts.items() if name.endswith(".c")]
    return units


def _headers(paths: Iterable[Path]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        text = _read(path)
        if headers.setdefault(path.name, text) != text:
            raise ValueError(f"two different headers are called {path.name}")
    return headers


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _compile(
    compiler: Compiler, directory: Path, flags: Sequence[str], key: str, unit: _Unit, stop: Stop | None
) -> Path:
    """The object of one file. It is compiled from copies: what the key tells is what the compiler reads."""
    with _LOCKS[key]:  # programs that are compiled at the same time have files in common
        return cache.find(directory, key, ".o") or _compiled(compiler, directory, flags, key, unit, stop)


def _compiled(
    compiler: Compiler, directory: Path, flags: Sequence[str], key: str, unit: _Unit, stop: Stop | None
) -> Path:
    if stop is not None and stop.is_called:
        raise CompilerError("The compilation was cancelled")
    with cache.workshop(directory) as work:
        for name, text in {**unit.headers, unit.name: unit.text}.items():
            (work / name).write_text(text, encoding="utf-8")
        compiler.run([*flags, "-c", unit.name, "-o", "object.o"], work, unit.name, stop)
        return cache.keep(directory, key, ".o", work / "object.o")


def _unit_key(compiler: Compiler, flags: Sequence[str], unit: _Unit) -> str:
    headers = [part for name in sorted(unit.headers) for part in (name, unit.headers[name])]
    return _key("compile", compiler.identity, *compiler.always, "flags", *flags, "unit", unit.name, unit.text, *headers)


def _key(*parts: str) -> str:
    """A hash that tells ("ab", "c") from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]
