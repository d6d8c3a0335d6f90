"""What was entered in former sessions: whole entries, also those of several lines."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

_MOST = 1000


class History:
    """A file with an entry a line, as a JSON string. One that cannot be read or kept is no reason to complain."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entries = self._read()

    def entries(self) -> list[str]:
        return list(self._entries)

    def add(self, entry: str) -> None:
        if self._entries and self._entries[-1] == entry:
            return
        self._entries = [*self._entries, entry][-_MOST:]
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in self._entries)
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(text, encoding="utf-8")

    def _read(self) -> list[str]:
        try:
            lines = self._file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return []
        return [entry for entry in map(_entry, lines) if entry is not None][-_MOST:]


def _entry(line: str) -> str | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, str) else None
