"""What SANY prints when it reads modules: which files, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gristmill.cli.tlc.messages import Messages
from gristmill.cli.tlc.places import module_of, place
from gristmill.modules.api import Loaded
from gristmill.source import Diagnostic


def print_loaded(messages: Messages, loaded: Loaded, root: Path) -> None:
    """Files that were read, then the modules, each with its errors and warnings behind its name."""
    modules = [] if loaded.specification is None else list(loaded.specification.modules.values())
    by_module: dict[str, list[Diagnostic]] = {each.name: [] for each in modules}
    for diagnostic in loaded.diagnostics:
        name = root.stem if diagnostic.span is None else module_of(diagnostic.span.file)
        by_module.setdefault(name, []).append(diagnostic)
    for path in _files(loaded, [each.file.path for each in modules], root):
        messages.line(f"Parsing file {path}")
    for name, diagnostics in by_module.items():
        messages.line(f"Semantic processing of module {name}")
        _print(messages, "Errors", [each for each in diagnostics if each.severity == "error"])
        _print(messages, "Warnings", [each for each in diagnostics if each.severity == "warning"])


def _files(loaded: Loaded, known: Sequence[str], root: Path) -> list[str]:
    """The root first. Of modules that could not be read as a whole, those that there is something to say about."""
    told = [each.span.file.path for each in loaded.diagnostics if each.span is not None]
    paths = (str(root), *reversed(known), *told)
    return list(dict.fromkeys(str(Path(path).absolute()) for path in paths))


def _print(messages: Messages, title: str, diagnostics: Sequence[Diagnostic]) -> None:
    if diagnostics:
        messages.line(f"\n*** {title}: {len(diagnostics)}\n")
    for diagnostic in diagnostics:
        where = "" if diagnostic.span is None else f"{place(diagnostic.span)}\n\n"
        messages.line(f"{where}{sentence(diagnostic)}\n\n")


def sentence(diagnostic: Diagnostic) -> str:
    return diagnostic.message + (f" ({diagnostic.help})" if diagnostic.help else "")
