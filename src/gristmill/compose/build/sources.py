"""The text of a composition as files that are nowhere on disk, for the ordinary pipeline."""

from __future__ import annotations

from gristmill.compose.system import Composition
from gristmill.source import SourceFile


def module_source(composed: Composition) -> SourceFile:
    """Beside the first file that it was made of, so that modules it instantiates are found."""
    name = f"{composed.name}.tla"
    return SourceFile(str(composed.search_path[0] / name) if composed.search_path else name, composed.text)


def config_source(composed: Composition) -> SourceFile:
    return SourceFile(f"{composed.name}.cfg", composed.config)
