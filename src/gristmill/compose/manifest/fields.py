"""Values of a manifest with their types checked; a mistake is noted, and reading goes on."""

from __future__ import annotations

from gristmill.compose.system import ActionPattern
from gristmill.source import toml_reader
from gristmill.source.toml_reader import listed, suggestion


class Reader(toml_reader.Reader):
    kind = "a manifest"

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


__all__ = ["Reader", "listed", "suggestion"]
