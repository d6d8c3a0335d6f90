"""C files to compile, each with the headers that it may see, and hashes of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gristmill.source.quick_dataclass import dataclass

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """One file to compile, and all headers that it may see. `headers_key`: a hash of these."""

    name: str
    text: str
    headers: Mapping[str, str]
    headers_key: str

    @property
    def contents(self) -> tuple[str, ...]:
        """What it is, for `key_of`."""
        return (self.name, self.text, self.headers_key)


def units(
    texts: Mapping[str, str], paths: Sequence[Path], folders: Sequence[Path]
) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """The files, and the texts."""
    for name in texts:
        if not _PLAIN_NAME.fullmatch(name):
            raise ValueError(f"not the name of a C file: {name!r}")
    inside = (header for folder in folders for header in sorted(folder.rglob("*.h")))
    neighbours = dict.fromkeys(path.parent for path in paths)
    beside = (header for folder in neighbours for header in sorted(folder.glob("*.h")))
    shared = _headers([*inside, *beside])
    own = {name: text for name, text in texts.items() if name.endswith(".h")}
    key = _headers_key(shared)  # once: there are many files
    files = tuple(Unit(path.name, _read(path), shared, key) for path in paths)
    seen = {**shared, **own}
    key = _headers_key(seen) if own else key
    return files, tuple(Unit(name, text, seen, key) for name, text in texts.items() if name.endswith(".c"))


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


def key_of(*parts: str) -> str:
    """A hash that tells ("ab", "c") from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:40]
