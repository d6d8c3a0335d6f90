"""From C files to a shared library."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import shutil
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from gristmill.cc import cache, prebuilt
from gristmill.cc.compiler import Compiler, find_compiler
from gristmill.cc.errors import CompilerError
from gristmill.cc.sources import Unit, key_of, units
from gristmill.cc.stop import Stop
from gristmill.source.quick_dataclass import dataclass

Kind = Literal["library", "program"]

_LOCKS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_SUFFIXES: dict[Kind, str] = {"library": ".dylib" if sys.platform == "darwin" else ".so", "program": ".exe"}


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
        self._files, self._texts = units(
            texts or {}, [Path(path) for path in paths], [Path(folder) for folder in include]
        )
        self._directory = cache.cache_directory()
        self._flags, self._libraries, self._kind = flags, libraries, kind
        self._file_keys = [_unit_key(self._compiler, flags, unit) for unit in self._files]
        self._files_key = key_of("files", *self._file_keys)
        self._use(flags if text_flags is None else text_flags)

    def _use(self, text_flags: Sequence[str]) -> None:
        self._text_flags = text_flags
        self._text_keys = [_unit_key(self._compiler, text_flags, unit) for unit in self._texts]
        parts = (*self._flags, "libraries", *self._libraries, "units", self._files_key, *self._text_keys)
        self._key = key_of("link", self._kind, self._compiler.identity, *parts)

    def with_text_flags(self, text_flags: Sequence[str]) -> Program:
        """The same texts compiled otherwise, without reading all files again."""
        other = copy(self)
        other._use(text_flags)
        return other

    def patient(self) -> Program:
        """The same, compiled beside something else that should not be held up."""
        other = copy(self)
        other._compiler = replace(self._compiler, is_patient=True)
        return other

    def known(self) -> Path | None:
        """Where it is, if it was built before."""
        return cache.find(self._directory, self._key, _SUFFIXES[self._kind])

    def needs_only_texts(self) -> bool:
        """Whether all files but the texts were compiled before, as far as a look tells."""
        return not self._files or cache.has(self._directory, self._files_key, ".o") or self._prebuilt() is not None

    def build(self, stop: Stop | None = None) -> Path:
        known = self.known()
        if known is not None:
            return known
        prebuilt = None if cache.has(self._directory, self._files_key, ".o") else self._prebuilt()
        if prebuilt is not None:
            with suppress(CompilerError):  # a library is missing here, or an older one: it is compiled as it must be
                return self._linked([prebuilt, *self._text_objects(stop)], stop, is_prebuilt=True)
        return self._linked(self._objects(stop), stop)

    def ship(self, folder: Path) -> Path:
        """Put the files, compiled, where `prebuilt` looks for them in an installation."""
        return prebuilt.put(prebuilt.key(self._files, self._flags), self._files_object(None), folder)

    def _prebuilt(self) -> Path | None:
        return prebuilt.find(prebuilt.key(self._files, self._flags)) if prebuilt.FOLDER.is_dir() else None

    def _objects(self, stop: Stop | None) -> list[Path]:
        """Of the files one, of each text one: those are compiled beside each other."""
        if not self._files:
            return self._text_objects(stop)
        with ThreadPoolExecutor(1) as pool:
            texts = pool.submit(self._text_objects, stop)
            return [self._files_object(stop), *texts.result()]

    def _text_objects(self, stop: Stop | None) -> list[Path]:
        return self._compiled(self._text_flags, self._text_keys, self._texts, stop)

    def _files_object(self, stop: Stop | None) -> Path:
        """All files in one object: to look at many of them each time would take longer than the compiler needs."""
        with _LOCKS[self._files_key]:
            known = cache.find(self._directory, self._files_key, ".o")
            if known is not None:
                return known
            objects = self._compiled(self._flags, self._file_keys, self._files, stop)
            with cache.workshop(self._directory) as work:
                arguments = ["-r", "-nostdlib", *map(str, objects), "-o", "object.o"]
                self._compiler.run(arguments, work, "what was to be put together", stop)
                return cache.keep(self._directory, self._files_key, ".o", work / "object.o")

    def _compiled(
        self, flags: Sequence[str], keys: Sequence[str], todo: Sequence[Unit], stop: Stop | None
    ) -> list[Path]:
        compile = partial(_compile, self._compiler, self._directory, flags, stop=stop)
        if len(todo) == 1:
            return [compile(keys[0], todo[0])]
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            jobs = [pool.submit(compile, key, unit) for key, unit in zip(keys, todo, strict=True)]
            return [job.result() for job in jobs]

    def _linked(self, objects: Sequence[Path], stop: Stop | None, is_prebuilt: bool = False) -> Path:
        suffix = _SUFFIXES[self._kind]
        with cache.workshop(self._directory) as work:
            made = work / f"linked{suffix}"
            shared = self._compiler.shared if self._kind == "library" else ()
            complete = self._compiler.complete if is_prebuilt else ()
            libraries = [f"-l{name}" for name in self._libraries]
            arguments = [*shared, *complete, *self._flags, *map(str, objects), *libraries, "-o", str(made)]
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


def _compile(
    compiler: Compiler, directory: Path, flags: Sequence[str], key: str, unit: Unit, stop: Stop | None
) -> Path:
    """The object of one file. It is compiled from copies: what the key tells is what the compiler reads."""
    with _LOCKS[key]:  # programs that are compiled at the same time have files in common
        return cache.find(directory, key, ".o") or _compiled(compiler, directory, flags, key, unit, stop)


def _compiled(
    compiler: Compiler, directory: Path, flags: Sequence[str], key: str, unit: Unit, stop: Stop | None
) -> Path:
    if stop is not None and stop.is_called:
        raise CompilerError("The compilation was cancelled")
    with cache.workshop(directory) as work:
        for name, text in {**unit.headers, unit.name: unit.text}.items():
            (work / name).write_text(text, encoding="utf-8")
        compiler.run([*flags, "-c", unit.name, "-o", "object.o"], work, unit.name, stop)
        return cache.keep(directory, key, ".o", work / "object.o")


def _unit_key(compiler: Compiler, flags: Sequence[str], unit: Unit) -> str:
    return key_of("compile", compiler.identity, *compiler.always, "flags", *flags, "unit", *unit.contents)
