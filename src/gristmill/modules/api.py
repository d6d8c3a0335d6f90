"""The way in: a file, and out comes a specification or what is wrong with it."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from pathlib import Path

from gristmill.modules.levels.specification import check_levels
from gristmill.modules.loader import Loader, Prepare
from gristmill.modules.resolve.modules import resolve_root
from gristmill.modules.resolve.state import Program
from gristmill.modules.specification import Specification
from gristmill.source import Diagnostic, SourceError, SourceFile, read_source
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack


@dataclass(frozen=True, slots=True)
class Loaded:
    """`specification` is None when something is wrong with it; then there is an error among the diagnostics."""

    specification: Specification | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        return self.specification is not None


def load_specification(
    source: str | Path | SourceFile,
    *,
    search_path: Iterable[str | Path] = (),
    prepare: Prepare | None = None,
    sources: Mapping[str, SourceFile] | None = None,
) -> Loaded:
    """Parse, resolve and level-check a specification with everything it depends on.

    `search_path`: folders in which modules are looked for besides that of `source`. `prepare` may replace the text of a
    file before it is parsed (the PlusCal translation, in memory). `sources`: modules by name that are not in files.
    """
    try:
        file = source if isinstance(source, SourceFile) else read_source(source)
    except SourceError as error:
        return Loaded(None, error.diagnostics)
    loader = Loader(file, tuple(Path(p) for p in search_path), prepare, sources or {})
    # Nothing of what is built here is garbage, but the collector would look through all of it again and again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return with_deep_stack(lambda: _load(loader))
    finally:
        if collecting:
            gc.enable()


def _load(loader: Loader) -> Loaded:
    program = Program(loader)
    root = resolve_root(program)
    specification = None
    if root is not None:
        specification = Specification(
            root,
            program.modules,
            program.symbols,
            program.references,
            program.at_targets,
            program.synthetic,
        )
        check_levels(program)
    diagnostics = ordered(program.diagnostics)
    if any(d.severity == "error" for d in diagnostics):
        specification = None
    return Loaded(specification, diagnostics)


def ordered(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each message once, errors of a file together and in the order of its text."""
    seen: dict[tuple[str, str, object], Diagnostic] = {}
    for diagnostic in diagnostics:
        seen.setdefault((diagnostic.id, diagnostic.message, diagnostic.span), diagnostic)
    files: dict[str, int] = {}
    for diagnostic in seen.values():
        if diagnostic.span is not None:
            files.setdefault(diagnostic.span.file.path, len(files))

    def place(diagnostic: Diagnostic) -> tuple[int, int]:
        span = diagnostic.span
        return (-1, 0) if span is None else (files[span.file.path], span.start)

    return tuple(sorted(seen.values(), key=place))
