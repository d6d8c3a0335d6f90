"""Class files on a class path: folders and jars. Places are found in them before anything runs."""

from __future__ import annotations

import difflib
import zipfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from gristmill.replay.driver import DriverError
from gristmill.replay.jvm.classfile import ClassFile, Method, parse
from gristmill.replay.jvm.descriptors import short
from gristmill.replay.jvm.locate import Spot, chosen, spots
from gristmill.replay.jvm.points import Place
from gristmill.replay.jvm.pool import BadClassFile

_SUFFIX = ".class"


class ClassPath:
    def __init__(self, entries: Sequence[Path]) -> None:
        self.entries = tuple(entries)
        self._parsed: dict[str, ClassFile] = {}

    @cached_property
    def _where(self) -> dict[str, Path]:
        """Classes by their names, with the first entry that has them."""
        found: dict[str, Path] = {}
        for entry in self.entries:
            for name in _names(entry):
                found.setdefault(name.removesuffix(_SUFFIX).replace("/", "."), entry)
        return found

    def has(self, name: str) -> bool:
        return name in self._where

    def find(self, name: str) -> ClassFile | None:
        if name not in self._parsed:
            entry = self._where.get(name)
            if entry is None:
                return None
            try:
                self._parsed[name] = parse(_content(entry, name.replace(".", "/") + _SUFFIX))
            except (BadClassFile, OSError, zipfile.BadZipFile) as error:
                raise DriverError(f"class {name} in {entry} cannot be read: {error}") from None
        return self._parsed[name]

    def line_of_parents(self, name: str) -> Iterator[ClassFile]:
        """The class and its superclasses, as far as they are on the class path."""
        found = self.find(name)
        while found is not None:
            yield found
            found = self.find(found.superclass) if found.superclass else None

    def locate(self, place: Place) -> list[Spot]:
        """Raises `DriverError` if there is no such class, method or place."""
        found = self.find(place.class_name)
        if found is None:
            raise DriverError(f"there is no class {place.class_name}", self.suggestion(place.class_name), place.span)
        methods = [(method.header, method) for method in found.methods]
        result: list[Spot] = []
        for header, method in chosen(place, methods, self._inheriting(place)):
            if method.body is None:
                help = "it has no code: name a class that implements it"
                raise DriverError(f"{place.class_name}.{place.method} is abstract or native", help, place.span)
            result += spots(place, header, method.body, found.pool)
        return result

    def _inheriting(self, place: Place) -> list[str]:
        parents = list(self.line_of_parents(place.class_name))[1:]
        return [each.name for each in parents if any(_is_called(method, place.method) for method in each.methods)]

    def suggestion(self, name: str) -> str | None:
        """Classes of the same name elsewhere, or of a similar one."""
        if not self._where:
            return 'say where its classes are: classpath = ["…/*.jar"] in [jvm]'
        same = [each for each in self._where if short(each) == short(name)]
        similar = difflib.get_close_matches(name, self._where, 3, 0.8) if not same else same[:3]
        return "did you mean " + " or ".join(similar) + "?" if similar else None


def _is_called(method: Method, name: str) -> bool:
    return method.header.name == name


def _names(entry: Path) -> list[str]:
    try:
        if entry.is_dir():
            return [str(file.relative_to(entry).as_posix()) for file in sorted(entry.rglob("*" + _SUFFIX))]
        with zipfile.ZipFile(entry) as jar:
            return [name for name in jar.namelist() if name.endswith(_SUFFIX) and not name.startswith("META-INF/")]
    except (OSError, zipfile.BadZipFile) as error:
        help = "the class path has folders and jars"
        raise DriverError(f"{entry} on the class path cannot be read: {error}", help) from None


def _content(entry: Path, name: str) -> bytes:
    if entry.is_dir():
        return (entry / name).read_bytes()
    with zipfile.ZipFile(entry) as jar:
        return jar.read(name)
