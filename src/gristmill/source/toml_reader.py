"""Values of a TOML document with their types checked; a mistake is noted, and reading goes on."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gristmill.source.diagnostic import Diagnostic, SourceError
from gristmill.source.file import SourceFile
from gristmill.source.span import Span
from gristmill.source.toml_places import places_of

_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def parsed_document(file: SourceFile) -> dict[str, Any]:
    """Raises `SourceError` with the place where it is no TOML."""
    try:
        return tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = _POSITION.search(message)
        at = len(file.text)
        if found is not None and found[1]:
            at = file.line_starts[int(found[1]) - 1] + int(found[2]) - 1
        sentence = _POSITION.sub("", message)
        raise SourceError(
            Diagnostic(
                "toml-syntax",
                f"this is no TOML: {sentence[:1].lower()}{sentence[1:]}",
                file.span(at, min(at + 1, len(file.text))),
                help="TLA+ texts stand in quotes; 'single quotes' leave the backslash of `\\in` alone",
            )
        ) from None


class Reader:
    kind = "a file like this"  # what the document is, for messages

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

    def known(self, path: tuple[str | int, ...], keys: Sequence[str]) -> None:
        """Of a table: that it has no other keys."""
        for key in self.table(*path):
            if key not in keys:
                where = f"[{_dotted(path)}]" if path else self.kind
                self.unknown("unknown-key", f"{where} has no key `{key}`", self.places.key(*path, key), key, keys)

    # ------------------------------------------------------------------------------------------------------- values

    def get(self, *path: str | int) -> Any:
        """Names of tables and keys; in an array of tables, the number of one."""
        value: Any = self.document
        for key in path:
            if isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                value = value.get(key) if isinstance(value, dict) else None
        return value

    def table(self, *path: str | int) -> dict[str, Any]:
        value = self.get(*path)
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.wrong(path, "a table", f"[{_dotted(path)}]")
        return {}

    def text(self, *path: str | int, default: str = "") -> str:
        value = self.get(*path)
        if value is None:
            return default
        if isinstance(value, str):
            return value
        self.wrong(path, "a text", f'{path[-1]} = "…"')
        return default

    def texts(self, *path: str | int) -> tuple[str, ...]:
        value = self.get(*path)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        self.wrong(path, "a list of texts", f'{path[-1]} = ["…", "…"]')
        return ()

    def texts_by_name(self, *path: str | int) -> dict[str, str]:
        return {key: self.text(*path, key) for key in self.table(*path)}

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

    def wrong(self, path: Sequence[str | int], expected: str, example: str) -> None:
        self.error("wrong-type", f"`{path[-1]}` must be {expected}", self.places.value(*path), f"write {example}")


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(key for key in path if isinstance(key, str))


def suggestion(name: str, known: Iterable[str]) -> str | None:
    names = list(known)
    close = difflib.get_close_matches(name, names, 1, 0.6)
    if close:
        return f"did you mean `{close[0]}`?"
    return f"there are {listed(names)}" if 0 < len(names) <= 12 else None


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
