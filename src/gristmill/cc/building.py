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
from copy import copy
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
    """One file to compile, and all headers that it may see. `headers_key`: a hash of these."""

    name: str
    text: str
    headers: Mapping[str, str]
    headers_key: str
    is_own: bool  # a text and no file


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
    program = Program(
        texts,
        paths,
        include=include,
        flags=flags,
        text_flags=text_flags,
        libraries=libraries,
        compiler=compiler,
        kind=kind,
    )
    return program.build(stop)


class Program:
    """What `build` builds, which has the parameters explained."""

    def __init__(
        self,
        texts: Mapping[str, str] | None = None,
        paths: Iterable[Path] = (),
        *,
        include: Iterable[Path] = (),
        flags: Sequence[str] = ("-O1",),
        text_flags: Sequence[str] | None = None,
        libraries: Sequence[str] = (),
        compiler: Compiler | None = None,
        kind: Kind = "library",
    ) -> None:
        self._compiler = compiler or find_compiler()
        self._units = _units(texts or {}, [Path(path) for path in paths], [Path(folder) for folder in include])
        self._directory = cache.cache_directory()
        self._flags, self._libraries, self._kind = flags, libraries, kind
        self._unit_flags = [flags for _ in self._units]
        self._keys = [_unit_key(self._compiler, flags, unit) for unit in self._units]
        self._use(flags if text_flags is None else text_flags)

    def _use(self, text_flags: Sequence[str]) -> None:
        for place, unit in enumerate(self._units):
            if unit.is_own:
                self._unit_flags[place] = text_flags
                self._keys[place] = _unit_key(self._compiler, text_flags, unit)
        identity = self._compiler.identity
        self._key = key_of(
            "link", self._kind, identity, *self._flags, "libraries", *self._libraries, "units", *self._keys
        )

    def with_text_flags(self, text_flags: Sequence[str]) -> Program:
        """The same texts compiled otherwise, without reading all files again."""
        other = copy(self)
        other._unit_flags, other._keys = list(self._unit_flags), list(self._keys)
        other._use(text_flags)
        return other

    def known(self) -> Path | None:
        """Where it is, if it was built before."""
        return cache.find(self._directory, self._key, _SUFFIXES[self._kind])

    def needs_only_texts(self) -> bool:
        """Whether all files but the texts were compiled before, as far as a look tells."""
        keys = (key for key, unit in zip(self._keys, self._units, strict=True) if not unit.is_own)
        return all(cache.has(self._directory, key, ".o") for key in keys)

    def build(self, stop: Stop | None = None) -> Path:
        return self.known() or self._linked(self._objects(stop), stop)

    def _objects(self, stop: Stop | None) -> list[Path]:
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            todo = zip(self._unit_flags, self._keys, self._units, strict=True)
            jobs = [pool.submit(_compile, self._compiler, self._directory, *each, stop) for each in todo]
            return [job.result() for job in jobs]

    def _linked(self, objects: Sequence[Path], stop: Stop | None) -> Path:
        suffix = _SUFFIXES[self._kind]
        with cache.workshop(self._directory) as work:
            made = work / f"linked{suffix}"
            shared = self._compiler.shared if self._kind == "library" else ()
            libraries = [f"-l{name}" for name in self._libraries]
            arguments = [*shared, *self._flags, *map(str, objects), *libraries, "-o", str(made)]
            self._compiler.run(arguments, work, "what was to be linked", stop)
            return cache.keep(self._directory, self._key, suffix, made)


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
    key = _headers_key(shared)  # once: there are many files
    units = [_Unit(path.name, _read(path), shared, key, is_own=False) for path in paths]
    seen = {**shared, **own}
    key = _headers_key(seen) if own else key
    units += [_Unit(name, text, seen, key, is_own=True) for name, text in texts.items() if name.endswith(".c")]
    return units


def _headers_key(headers: Mapping[str, str]) -> str:
    return key_of("headers", *(part for name in sorted(headers) for part in (name, headers[name])))


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
    unit_parts = (unit.name, unit.text, unit.headers_key)
    return key_of("compile", compiler.identity, *compiler.always, "flags", *flags, "unit", *unit_parts)


def key_of(*parts: str) -> str:
    """A hash that tells ("ab", "c") from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]
