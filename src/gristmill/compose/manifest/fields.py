"""Values of a manifest with their types checked; a mistake is noted, and reading goes on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gristmill.compose.manifest.toml_places import places_of
from gristmill.compose.system import ActionPattern
from gristmill.source import Diagnostic, SourceFile, Span


class Reader:
    def __init__(self, file: SourceFile, document: dict[str, Any], folder: Path) -> None:
        self.file, self.document, self.folder = file, document, folder
        self.places = places_of(file)
        self.diagnostics: list[Diagnostic] = []

    # ----------------------------------------------------------------------------------------------------- mistakes

    def error(self, id: str, message: str, span: Span, help: str | None = None) -> None:
        self.diagnostics.append(Diagnostic(id, message, span, help=help))

    def unknown(self, id: str, message: str, span: Span, name: str, known: Iterable[str]) -> None:
        """A name that nobody knows, with the one that may have been meant."""
        self.error(id, message, span, suggestion(name, known))

    def known(self, path: tuple[str, ...], keys: Sequence[str]) -> None:
        """Of a table: that it has no other keys."""
        for key in self.table(*path):
            if key not in keys:
                where = f"[{'.'.join(path)}]" if path else "a manifest"
                self.unknown("unknown-key", f"{where} has no key `{key}`", self.places.key(*path, key), key, keys)

    # ------------------------------------------------------------------------------------------------------- values

    def get(self, *path: str) -> Any:
        value: Any = self.document
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def table(self, *path: str) -> dict[str, Any]:
        value = self.get(*path)
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.wrong(path, "a table", f"[{'.'.join(path)}]")
        return {}

    def text(self, *path: str, default: str = "") -> str:
        value = self.get(*path)
        if value is None:
            return default
        if isinstance(value, str):
            return value
        self.wrong(path, "a text", f'{path[-1]} = "…"')
        return default

    def texts(self, *path: str) -> tuple[str, ...]:
        value = self.get(*path)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        self.wrong(path, "a list of texts", f'{path[-1]} = ["…", "…"]')
        return ()

    def texts_by_name(self, *path: str) -> dict[str, str]:
        return {key: self.text(*path, key) for key in self.table(*path)}

    def patterns(self, *path: str) -> tuple[ActionPattern, ...]:
        found = self.texts(*path)
        if not found and self.get(*path) in (None, []):
            self.error(
                "no-actions",
                "no actions are named",
                self.places.value(*path),
                'actions = ["Name", "Prefix*", "Name(p)"]',
            )
        return tuple(ActionPattern(text, self.places.value(*path, n)) for n, text in enumerate(found))

    def file_of(self, *path: str) -> Path | None:
        """A file, which has to be there."""
        name = self.text(*path)
        if not name:
            return None
        file = self.folder / name
        if not file.is_file():
            beside = [each.name for each in self.folder.glob(f"*{file.suffix}")] if self.folder.is_dir() else []
            self.unknown("file-not-found", f"there is no file {name}", self.places.value(*path), name, beside)
        return file

    def wrong(self, path: Sequence[str], expected: str, example: str) -> None:
        self.error("wrong-type", f"`{path[-1]}` must be {expected}", self.places.value(*path), f"write {example}")


def suggestion(name: str, known: Iterable[str]) -> str | None:
    names = list(known)
    close = difflib.get_close_matches(name, names, 1, 0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"there are {listed(names)}" if 0 < len(names) <= 12 else None


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
