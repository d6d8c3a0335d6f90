"""What an analysis has asked of files, so that it can be told whether it still holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gristmill.language.files import Files
from gristmill.modules.loader import Reading
from gristmill.source import SourceError, SourceFile


@dataclass(slots=True)
class Inputs:
    """Which files were there, and what was in them."""

    files: Files
    were_there: dict[Path, bool] = field(default_factory=dict)
    texts: dict[Path, SourceFile | None] = field(default_factory=dict)

    def is_file(self, path: Path) -> bool:
        found = self.were_there[path] = self.files.is_file(path)
        return found

    def read(self, path: Path) -> SourceFile:
        self.texts[path] = None
        file = self.texts[path] = self.files.read(path)
        return file

    def reading(self) -> Reading:
        return Reading(self.is_file, self.read, self.files.parse)

    def still_hold(self) -> bool:
        same = all(self.files.is_file(path) is there for path, there in self.were_there.items())
        return same and all(self._is_same(path, file) for path, file in self.texts.items())

    def _is_same(self, path: Path, file: SourceFile | None) -> bool:
        try:
            return self.files.read(path) is file
        except SourceError:
            return file is None
