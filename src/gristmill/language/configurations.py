"""The configurations of a module: the one that `gristmill check` finds by itself, and others named after it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from gristmill.language.workspace import Workspace
from gristmill.modules.config import Config, find_embedded_config, parse_config
from gristmill.source import SourceFile, Span
from gristmill.values import World


@dataclass(frozen=True, slots=True)
class Configuration:
    """`path` is that of the module itself if the configuration stands in it; `own` if it needs no `--config`."""

    path: str
    own: bool

    @property
    def name(self) -> str:
        return Path(self.path).name


def configurations(file: SourceFile) -> list[Configuration]:
    """Most models first: its own configuration, then those whose names begin or end with that of the module."""
    module = Path(file.path)
    beside = module.with_suffix(".cfg")
    found = []
    if beside.is_file():
        found.append(Configuration(str(beside), True))
    elif find_embedded_config(file, module.stem) is not None:
        found.append(Configuration(file.path, True))
    modules = {each.stem for each in module.parent.glob("*.tla")}
    for each in sorted(module.parent.glob("*.cfg")):
        if each != beside and each.stem not in modules and _belongs(each.stem, module.stem, modules):
            found.append(Configuration(str(each), False))
    return found


def _belongs(config: str, module: str, modules: set[str]) -> bool:
    return module_like(config, modules) == module


def module_like(config: str, modules: Collection[str]) -> str | None:
    """The module with the longest name that the name of the configuration begins or ends with."""
    named = [each for each in modules if config.startswith(each) or config.endswith(each)]
    return max(named, key=len, default=None)


def mentions(workspace: Workspace, module: SourceFile, name: str) -> list[Span]:
    """Where the configurations of a module mention one of its names."""
    found = []
    for configuration in configurations(module):
        file = workspace.files.find(configuration.path)
        if file is None or name not in file.text:
            continue
        stretch: tuple[int, int | None] | None = (0, None)
        if configuration.path == module.path:
            stretch = find_embedded_config(file, Path(module.path).stem)
        if stretch is not None:
            with World().active():
                config, _ = parse_config(file, *stretch)
            found += [span for mentioned, span in _first_names(config) if mentioned == name]
    return found


def _first_names(config: Config) -> Iterator[tuple[str, Span]]:
    """Of `I!Op`, the name `I`."""
    for name, span in names_in(config):
        first = name.split("!")[0]
        yield first, Span(span.file, span.start, span.start + len(first))


def names_in(config: Config) -> Iterator[tuple[str, Span]]:
    """The names of the module that a configuration mentions."""
    for names in config.named.values():
        for name in names:
            yield name.text, name.span
    for assignment in config.assignments:
        yield assignment.name, assignment.name_span
    for replacement in config.replacements:
        if replacement.module is None:
            yield replacement.name, replacement.name_span
        span = replacement.span
        at = span.file.text.rfind(replacement.definition, span.start, span.end)
        if at >= 0:
            yield replacement.definition, Span(span.file, at, at + len(replacement.definition))
