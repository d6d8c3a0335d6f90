"""Reading a specification for a verb, PlusCal included."""

from collections.abc import Sequence

from gristmill.modules import load_specification
from gristmill.modules.api import Loaded
from gristmill.pluscal import point_back, prepare_with
from gristmill.source import Diagnostic


def load(name: str, search_path: Sequence[str]) -> tuple[Loaded, list[Diagnostic]]:
    """A specification and what there is to say about it. Messages about a translation point into the algorithm."""
    diagnostics: list[Diagnostic] = []
    loaded = load_specification(name, search_path=search_path, prepare=prepare_with(diagnostics))
    return loaded, [*diagnostics, *point_back(loaded.diagnostics)]
