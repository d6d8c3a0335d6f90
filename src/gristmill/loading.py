"""Reading a specification, PlusCal included."""

from collections.abc import Sequence
from pathlib import Path

from gristmill.modules import load_specification
from gristmill.modules.api import Loaded
from gristmill.source import Diagnostic, SourceFile


def load(source: str | Path | SourceFile, search_path: Sequence[str | Path]) -> tuple[Loaded, list[Diagnostic]]:
    """A specification and what there is to say about it. Messages about a translation point into the algorithm."""
    diagnostics: list[Diagnostic] = []

    def prepare(file: SourceFile) -> SourceFile:
        # Most specifications have no algorithm, and need not wait for its translator to be loaded.
        if "--algorithm" not in file.text and "--fair" not in file.text:
            return file
        from gristmill.pluscal import prepare

        prepared, messages = prepare(file)
        diagnostics.extend(messages)
        return prepared

    loaded = load_specification(source, search_path=search_path, prepare=prepare)
    messages = list(loaded.diagnostics)
    if diagnostics:
        from gristmill.pluscal import point_back

        messages = point_back(messages)
    return loaded, [*diagnostics, *messages]
