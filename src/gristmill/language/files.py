"""The texts that are analysed: what an editor has open, and else what is on the disk. Each is parsed once."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from gristmill.pluscal import find_algorithm, prepare
from gristmill.pluscal.locate import find_further_algorithm
from gristmill.pluscal.options import read_options
from gristmill.source import Diagnostic, SourceError, SourceFile, read_source
from gristmill.syntax.parser import Parsed, parse_module

Key = TypeVar("Key")
Kept = TypeVar("Kept")

# Texts whose trees are kept: more than a specification and the modules it depends on.
_KEPT = 256


class Files:
    """A text has one `SourceFile` as long as it stays the same: the identity of files tells what has changed."""

    def __init__(self) -> None:
        self._open: dict[str, SourceFile] = {}
        self._read: dict[str, tuple[tuple[int, int, int], SourceFile]] = {}
        self._parsed: _Recent[tuple[str, str, type], Parsed] = _Recent(_KEPT)
        self._translated: _Recent[tuple[object, ...], bool] = _Recent(_KEPT)  # algorithms with a good translation
        self._prepared: _Recent[tuple[str, str], tuple[SourceFile, Sequence[Diagnostic]]] = _Recent(_KEPT)

    def open(self, path: str, text: str) -> None:
        """The text an editor has for a file, which counts in place of what is on the disk."""
        known = self._open.get(path)
        if known is None or known.text != text:
            self._open[path] = SourceFile(path, text)

    def close(self, path: str) -> None:
        self._open.pop(path, None)

    @property
    def open_paths(self) -> list[str]:
        return list(self._open)

    def is_open(self, path: str) -> bool:
        return path in self._open

    def is_file(self, path: Path) -> bool:
        return str(path) in self._open or path.is_file()

    def read(self, path: Path) -> SourceFile:
        """The text of a file. Raises `SourceError`."""
        name = str(path)
        opened = self._open.get(name)
        if opened is not None:
            return opened
        stamp = _stamp(name)
        known = self._read.get(name)
        if known is not None and stamp is not None and known[0] == stamp:
            return known[1]
        file = read_source(name)
        if known is not None and known[1].text == file.text:
            file = known[1]
        if stamp is not None:
            self._read[name] = stamp, file
        return file

    def find(self, path: str) -> SourceFile | None:
        try:
            return self.read(Path(path))
        except SourceError:
            return None

    def parse(self, file: SourceFile) -> Parsed:
        return self._parsed.get((file.path, file.text, type(file)), lambda: parse_module(file))

    def prepare(self, file: SourceFile) -> tuple[SourceFile, Sequence[Diagnostic]]:
        """The file with the translation of its algorithm, made in memory where the file has none."""
        if not has_algorithm(file):
            return file, ()
        return self._prepared.get((file.path, file.text), lambda: self._prepare(file))

    def _prepare(self, file: SourceFile) -> tuple[SourceFile, Sequence[Diagnostic]]:
        """An edit elsewhere leaves an algorithm that has its translation as good as it was."""
        key = _algorithm_of(file)
        if key is not None and key in self._translated:
            return file, ()
        prepared, messages = prepare(file)
        if key is not None and prepared is file and not messages:
            self._translated.get(key, lambda: True)
        return prepared, messages


def has_algorithm(file: SourceFile) -> bool:
    return "--algorithm" in file.text or "--fair" in file.text


def _algorithm_of(file: SourceFile) -> tuple[object, ...] | None:
    """All that decides whether the translation in a file is that of its algorithm."""
    try:
        region = find_algorithm(file)
    except SourceError:
        return None
    if region is None or region.translation is None:
        return None
    translation = region.translation
    written = file.text[region.keyword.start : region.end]
    further = find_further_algorithm(region) is not None
    return written, translation.marker.text, translation.text, read_options(file)[0], further


def _stamp(name: str) -> tuple[int, int, int] | None:
    """What changes with the text of a file on the disk."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class _Recent(Generic[Key, Kept]):
    """What was made last, up to a number; the rest is made again when it is asked for."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Kept] = OrderedDict()

    def __contains__(self, key: Key) -> bool:
        return key in self._kept

    def get(self, key: Key, make: Callable[[], Kept]) -> Kept:
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found
