"""Reading a specification, PlusCal included."""

from collections.abc import Sequence
from pathlib import Path

from gristmill.modules import load_specification
from gristmill.modules.api import Loaded
from gristmill.source import Diagnostic, SourceFile


def load(source: str | Path | SourceFile, search_path: Sequence[str | Path]) -> tuple[Loaded, list[Diagnostic]]:
    """A specification and what there is to say about it. Messages about a translation point into the algorithm.

    An algorithm that cannot be translated is an error like any other: there is no specification then.
    """
    translated = False

    def prepare(file: SourceFile) -> tuple[SourceFile, Sequence[Diagnostic]]:
        # Most specifications have no algorithm, and need not wait for its translator to be loaded.
        if "--algorithm" not in file.text and "--fair" not in file.text:
            return file, ()
        from gristmill.pluscal import prepare

        nonlocal translated
        prepared, messages = prepare(file)
        translated |= prepared is not file
        return prepared, messages

    loaded = load_specification(source, search_path=search_path, prepare=prepare)
    messages = list(loaded.diagnostics)
    if translated:
        from gristmill.pluscal import point_back

        messages = point_back(messages)
    return loaded, messages
