"""Modules that are read, resolved and level-checked when they are asked for, and again only when something changed.

The modules that one depends on are its *base*: they stay resolved while it is edited. A change of one of them, or of
the names behind EXTENDS and INSTANCE, makes a new base.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gristmill.language.analysis import Analysis
from gristmill.language.files import Files
from gristmill.language.inputs import Inputs
from gristmill.language.outline import Entry, flat, module_symbols
from gristmill.modules.api import ordered
from gristmill.modules.levels.specification import check_levels
from gristmill.modules.loader import Loader, library_modules
from gristmill.modules.resolve.modules import load_module, resolve_root
from gristmill.modules.resolve.state import Program
from gristmill.pluscal import point_back
from gristmill.source import SourceError, SourceFile
from gristmill.source.collector import paused_collector
from gristmill.source.stack import with_deep_stack
from gristmill.syntax import tree
from gristmill.syntax.parser import Parsed

_KEPT = 16  # analyses of files that are not open


@dataclass(frozen=True, slots=True)
class _Base:
    names: tuple[str, ...]
    program: Program
    inputs: Inputs


@dataclass(frozen=True, slots=True)
class _Made:
    analysis: Analysis
    base: _Base
    inputs: Inputs

    def still_holds(self) -> bool:
        return self.inputs.still_hold() and self.base.inputs.still_hold()

    def has_asked_for(self, path: Path) -> bool:
        return any(path in each.texts or path in each.were_there for each in (self.base.inputs, self.inputs))


class Workspace:
    """`search_path`: folders in which modules are looked for besides that of the module which needs them."""

    def __init__(self, folders: Iterable[str] = (), search_path: Iterable[str] = ()) -> None:
        self.files = Files()
        self.folders = list(folders)
        self.search_path = tuple(Path(each) for each in search_path)
        self._made: dict[str, _Made] = {}
        self._whole: dict[str, Analysis] = {}
        self._outlines: dict[str, tuple[SourceFile, list[tuple[Entry, str]]]] = {}

    def set_search_path(self, folders: Iterable[str]) -> None:
        self.search_path = tuple(Path(each) for each in folders)
        self._made.clear()

    def analysis(self, path: str) -> Analysis:
        """What is known about the module of a file, as its text is now. Raises `SourceError` if it cannot be read."""
        file = self.files.read(Path(path))
        known = self._made.get(path)
        if known is not None and known.analysis.file is file and known.still_holds():
            return known.analysis
        with paused_collector():
            made = with_deep_stack(lambda: self._analyse(file, known.base if known else None))
        self._keep(path, made)
        return made.analysis

    def _keep(self, path: str, made: _Made) -> None:
        """Analyses are large: those of files that are not open give way to later ones."""
        self._made.pop(path, None)
        self._made[path] = made
        if made.analysis.is_whole and self.files.is_open(path):
            self._whole[path] = made.analysis
        others = [each for each in self._made if not self.files.is_open(each)]
        for each in others[: max(0, len(others) - _KEPT)]:
            del self._made[each]

    def find(self, path: str) -> Analysis | None:
        try:
            return self.analysis(path)
        except SourceError:
            return None

    def last_whole(self, path: str) -> Analysis | None:
        """The last analysis of a text of this file that parsed."""
        return self._whole.get(path)

    def depends_on(self, path: str, other: str) -> bool:
        """Whether the module of one file, as it was analysed last, depends on another file."""
        made = self._made.get(path)
        return made is not None and made.has_asked_for(Path(other))

    def forget(self, path: str) -> None:
        """A file that is no longer of interest."""
        self._made.pop(path, None)
        self._whole.pop(path, None)

    def modules(self) -> Iterator[str]:
        """Every module file of the workspace: in its folders, and what is open."""
        found = {path for folder in self.folders for path in _tla_files(folder)}
        found |= {path for path in self.files.open_paths if path.endswith(".tla")}
        return iter(sorted(found))

    def known_modules(self, path: str) -> list[str]:
        """The names that can stand behind EXTENDS in a file."""
        folders = [Path(path).parent, *self.search_path]
        beside = {each.stem for folder in folders for each in folder.glob("*.tla")}
        opened = {Path(each).stem for each in self.files.open_paths if Path(each).parent in folders}
        return sorted({*beside, *opened, *library_modules()} - {Path(path).stem})

    def outline(self, path: str) -> list[tuple[Entry, str]]:
        """What a module defines, each with what it stands in; without analysing it."""
        file = self.files.find(path)
        if file is None:
            return []
        known = self._outlines.get(path)
        if known is None or known[0] is not file:
            module = self.files.parse(file).module
            entries = [] if module is None else list(flat(module_symbols(file, module)))
            known = self._outlines[path] = file, entries
        return known[1]

    # ----------------------------------------------------------------------------------------------- making

    def _analyse(self, file: SourceFile, known: _Base | None) -> _Made:
        prepared, _ = self.files.prepare(file)
        names = _dependencies(self.files.parse(prepared))
        base = known
        if base is None or base.names != names or not base.inputs.still_hold():
            base = self._base(file, names, self.files.parse(prepared))
        inputs = Inputs(self.files)
        loader = Loader(file, self.search_path, self.files.prepare, reading=inputs.reading())
        program = base.program.continued(loader)
        root = resolve_root(program)
        check_levels(program, set(base.program.modules.values()))
        diagnostics = tuple(point_back(ordered(program.diagnostics)))
        return _Made(Analysis(file, root, program, diagnostics), base, inputs)

    def _base(self, file: SourceFile, names: tuple[str, ...], parsed: Parsed) -> _Base:
        """The modules that a text names, resolved and checked. What cannot be had is left to whoever names it."""
        inputs = Inputs(self.files)
        nothing = SourceFile(file.path, "")
        loader = Loader(nothing, self.search_path, self.files.prepare, reading=inputs.reading())
        program = Program(loader)
        if parsed.module is not None:
            program.in_progress.append(parsed.module.name)
            for name in names:
                said = len(program.diagnostics)
                if load_module(program, name, nothing.span(0, 0), False) is None:
                    del program.diagnostics[said:]
        check_levels(program)
        return _Base(names, program, inputs)


def _dependencies(parsed: Parsed) -> tuple[str, ...]:
    """The modules that a text extends or instantiates, in its order; not those that stand in it."""
    if parsed.module is None:
        return ()
    names: dict[str, None] = {}
    own: set[str] = set()
    waiting = [parsed.module]
    while waiting:
        module = waiting.pop()
        own.add(module.name)
        names.update((extended.name, None) for extended in module.extends)
        waiting.extend(unit for unit in module.units if isinstance(unit, tree.Module))
    tokens = parsed.tokens
    for index, kind in enumerate(tokens.kinds):
        if kind == "INSTANCE" and index + 1 < len(tokens):
            names[tokens.text(index + 1)] = None
    return tuple(name for name in names if name not in own)


def _tla_files(folder: str) -> Iterator[str]:
    """Every module below a folder, but not where tools keep their things."""
    for place, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".") and each != "node_modules"]
        yield from (os.path.join(place, name) for name in names if name.endswith(".tla"))
