"""Finding the file of a module and parsing it, once.

A module is looked for among the sources given in memory, in the folder of the root specification, in the folders of
the search path, in the library that comes with Gristmill, and at last in the root file itself, which may hold several
modules one after the other.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import islice
from pathlib import Path

from gristmill.source import Diagnostic, SourceError, SourceFile, Span, read_source
from gristmill.source.file import not_utf8_in_comment
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.undecoded import undecoded
from gristmill.syntax import tree
from gristmill.syntax.parser import Parsed, parse_module
from gristmill.syntax.token import Tokens

LIBRARY = Path(__file__).parent / "standard"

# The text to parse in place of a file's own, and what there is to say about that.
Prepare = Callable[[SourceFile], tuple[SourceFile, Sequence[Diagnostic]]]


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A parsed file; `module` is None when nothing of a module could be made out."""

    file: SourceFile
    module: tree.Module | None
    diagnostics: tuple[Diagnostic, ...]
    is_library: bool = False
    tokens: Tokens | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are found, read and parsed. An editor has texts that are not on the disk, and keeps what it parsed."""

    is_file: Callable[[Path], bool] = Path.is_file
    read: Callable[[Path], SourceFile] = read_source
    parse: Callable[[SourceFile], Parsed] = parse_module


FROM_DISK = Reading()


@dataclass(slots=True)
class Loader:
    root: SourceFile
    search_path: tuple[Path, ...] = ()
    prepare: Prepare | None = None
    sources: Mapping[str, SourceFile] = field(default_factory=dict)
    loaded: dict[str, LoadedFile | None] = field(default_factory=dict)
    reading: Reading = FROM_DISK

    def load_root(self) -> LoadedFile:
        loaded = self._parse(self.root, is_library=False)
        if loaded.module is not None:
            self.loaded[loaded.module.name] = loaded
        return loaded

    def load(self, name: str) -> LoadedFile | None:
        """The module of that name, or None when there is no such module."""
        if name not in self.loaded:
            self.loaded[name] = self._find(name)
        return self.loaded[name]

    def is_shadowed(self, name: str) -> bool:
        """Whether a module of the user has the name of one of the library, which that library does not mean."""
        if not self.reading.is_file(LIBRARY / f"{name}.tla"):
            return False
        if name in self.loaded:
            loaded = self.loaded[name]
            return loaded is not None and not loaded.is_library
        is_file = self.reading.is_file
        return name in self.sources or any(is_file(folder / f"{name}.tla") for folder in self.folders())

    def load_from_library(self, name: str) -> LoadedFile:
        return self._read(LIBRARY / f"{name}.tla", is_library=True)

    def folders(self) -> list[Path]:
        return [Path(self.root.path).parent, *self.search_path]

    def not_found(self, name: str, span: Span) -> Diagnostic:
        places = [str(folder) for folder in self.folders()]
        looked = ", ".join(dict.fromkeys(places)) + " and among the standard modules"
        close = difflib.get_close_matches(name, self.known_names(), 1)
        if close:
            hint = f"did you mean `{close[0]}`?"
        else:
            hint = f"put {name}.tla beside the specification, or name its folder with --path"
        return Diagnostic("module-not-found", f"there is no module `{name}`; looked in {looked}", span, help=hint)

    def known_names(self) -> list[str]:
        names = {*self.sources, *library_modules()}
        for folder in self.folders():
            names.update(path.stem for path in _tla_files(folder))
        return sorted(names)

    def _find(self, name: str) -> LoadedFile | None:
        if name in self.sources:
            return self._parse(self.sources[name], is_library=False)
        for folder in self.folders():
            path = folder / f"{name}.tla"
            if self.reading.is_file(path):
                return self._read(path, is_library=False)
        path = LIBRARY / f"{name}.tla"
        if self.reading.is_file(path):
            return self._read(path, is_library=True)
        own = _module_inside(self.root, name)
        return None if own is None else self._parse(own, is_library=False, named_by_file=False)

    def _read(self, path: Path, is_library: bool) -> LoadedFile:
        try:
            file = self.reading.read(path)
        except SourceError as error:
            return LoadedFile(SourceFile(str(path), ""), None, error.diagnostics, is_library)
        return self._parse(file, is_library)

    def _parse(self, file: SourceFile, is_library: bool, named_by_file: bool = True) -> LoadedFile:
        diagnostics: list[Diagnostic] = []
        original = file
        try:
            if self.prepare is not None and not is_library:
                file, messages = self.prepare(file)
                diagnostics += messages
            parsed = self.reading.parse(file)
        except SourceError as error:
            return LoadedFile(file, None, (*diagnostics, *error.diagnostics), is_library)
        diagnostics += parsed.diagnostics
        if not any(d.id == "not-utf8" for d in diagnostics):
            diagnostics += _of_comments(original)
        if parsed.module is not None and named_by_file:
            diagnostics += _check_name(file, parsed.module)
        return LoadedFile(file, parsed.module, tuple(diagnostics), is_library, parsed.tokens)


def _of_comments(file: SourceFile) -> list[Diagnostic]:
    """Bytes that are not UTF-8, in text that is not parsed."""
    return [not_utf8_in_comment(file, at) for at in islice(undecoded(file.text), 1)]


def library_modules() -> list[str]:
    return sorted(path.stem for path in _tla_files(LIBRARY))


def _tla_files(folder: Path) -> Iterable[Path]:
    try:
        return list(folder.glob("*.tla"))
    except OSError:
        return []


def _check_name(file: SourceFile, module: tree.Module) -> list[Diagnostic]:
    path = Path(file.path)
    if path.suffix != ".tla" or path.stem == module.name or path.name.startswith("<"):
        return []
    return [
        Diagnostic(
            "module-name-mismatch",
            f"the file {path.name} must hold a module named `{path.stem}`, not `{module.name}`",
            module.name_span,
            help=f"name the module `{path.stem}`, or the file {module.name}.tla",
        )
    ]


def _module_inside(root: SourceFile, name: str) -> SourceFile | None:
    """A further module of the root file, with blanks in place of what stands before it: positions stay true."""
    header = re.compile(rf"^-----*\s*MODULE\s+{re.escape(name)}\s*-----*", re.MULTILINE)
    found = header.search(root.text)
    if found is None:
        return None
    before = re.sub(r"[^\n]", " ", root.text[: found.start()])
    return SourceFile(root.path, before + root.text[found.start() :])
