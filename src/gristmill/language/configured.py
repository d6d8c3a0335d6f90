"""A configuration file as an editor shows it: what `check` would say of it, all at once, and what its names denote."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from gristmill.ir.assemble import assemble
from gristmill.language.analysis import Analysis
from gristmill.language.configurations import module_like, names_in
from gristmill.language.navigation import Found, lookup
from gristmill.language.workspace import Workspace
from gristmill.modules.appearance import register_words
from gristmill.modules.config import Config, parse_config
from gristmill.modules.defaults import with_defaults
from gristmill.modules.specification import Specification
from gristmill.source import Diagnostic, Label, SourceError, SourceFile, Span
from gristmill.source.collector import paused_collector
from gristmill.values import ModelValue, Value, World

_MODULE = re.compile(r"^\s*\\\*\s*Module:\s*(\S+)\s*$", re.MULTILINE)
_SAY_WHICH = "say \\* Module: X.tla in it"
_QUOTED = re.compile(r"`(\w[\w!]*)")
Assumed = dict[tuple[str | None, str], Value]  # of constants that have no value

_MOST = 50  # mistakes: each takes an attempt to make the model without it


def is_configuration(path: str) -> bool:
    return path.endswith(".cfg")


def module_of(workspace: Workspace, path: str) -> str | None:
    """The module that a configuration is for: named in it (`\\* Module: X.tla`), by its own name, or the only one."""
    file = workspace.files.find(path)
    named = None if file is None else _MODULE.search(file.text)
    if named is not None:
        return str(Path(path).with_name(named[1]))
    folder = Path(path).parent
    opened = [Path(each) for each in workspace.files.open_paths if each.endswith(".tla")]
    modules = {each.stem for each in (*folder.glob("*.tla"), *opened) if each.parent == folder}
    found = module_like(Path(path).stem, modules) or (next(iter(modules)) if len(modules) == 1 else None)
    return None if found is None else str(folder / f"{found}.tla")


def configuration_diagnostics(workspace: Workspace, path: str) -> list[Diagnostic]:
    """Raises `SourceError` if it cannot be read."""
    file = workspace.files.read(Path(path))
    with World().active(), paused_collector():
        config, said = parse_config(file)
        if any(each.severity == "error" for each in said):
            return said
        module = module_of(workspace, path)
        analysis = None if module is None else workspace.find(module)
        if analysis is None:
            return [*said, _without_module(file, module)]
        specification = _specification(analysis)
        if specification is None:
            name = Path(analysis.path).name
            return [*said, _at_top(file, "module-with-errors", f"{name} has errors; names were not looked up in it")]
        register_words(specification)
        return [*_guessed(file, analysis), *found] if (found := _told(file, config, specification, said)) else []


def _told(file: SourceFile, config: Config, specification: Specification, said: list[Diagnostic]) -> list[Diagnostic]:
    """Each thing once: what stops an attempt is told by the next one, too."""
    return list(dict.fromkeys([*said, *_misfits(file, config, specification)]))


def _guessed(file: SourceFile, analysis: Analysis) -> Iterator[Diagnostic]:
    """If the names are looked up in a module that may not be the one that is meant."""
    if Path(file.path).stem != Path(analysis.path).stem and _MODULE.search(file.text) is None:
        message = f"this is taken to be for {Path(analysis.path).name}, by its name"
        yield Diagnostic("module-guessed", message, _top(file), "note", f"if it is not, {_SAY_WHICH}")


def target_in_configuration(workspace: Workspace, path: str, offset: int) -> Found | None:
    """What a name in a configuration denotes."""
    file, module = workspace.files.find(path), module_of(workspace, path)
    analysis = None if module is None else workspace.find(module)
    if file is None or analysis is None:
        return None
    with World().active():
        config, _ = parse_config(file)
    for name, span in names_in(config):
        target = lookup(analysis, name) if span.start <= offset <= span.end else None
        if target is not None:
            return Found(span.start, span.end, target)
    return None


def _specification(analysis: Analysis) -> Specification | None:
    program = analysis.program
    if analysis.root is None or any(each.severity == "error" for each in program.diagnostics):
        return None
    return Specification(
        analysis.root, program.modules, program.symbols, program.references, program.at_targets, program.synthetic
    )


def _misfits(file: SourceFile, config: Config, specification: Specification) -> Iterator[Diagnostic]:
    """What stops `check`, then what would stop it next if that were mended, and so on; then warnings."""
    assumed: Assumed = {}
    for _ in range(_MOST):
        asked = config.choices()
        asked = replace(asked, constants={**asked.constants, **assumed})
        choices = with_defaults(asked, specification)
        try:
            model = assemble(specification, choices)
        except SourceError as error:
            found = [_in_file(each, file, choices.spans) for each in error.diagnostics]
            yield from found
            before = _size(config), len(assumed)
            without = _leave_out(config, [each.span for each in found if each.severity == "error"])
            assumed.update(_values([*without, *_without_value(found)], specification))
            if before == (_size(config), len(assumed)):
                return
        else:
            yield from (_in_file(each, file, choices.spans) for each in model.warnings)
            return


def _without_value(found: Iterable[Diagnostic]) -> Iterator[str]:
    for each in found:
        if each.id == "constant-without-value":
            yield from _QUOTED.findall(each.message)


def _values(names: Iterable[str], specification: Specification) -> Assumed:
    """Of constants without arguments; of one with arguments there is no value to assume."""
    constants = {each.name for each in specification.root.constants if not each.arity}
    return {(None, name): ModelValue(name) for name in names if name in constants}


def _in_file(told: Diagnostic, file: SourceFile, spans: Mapping[str, Span]) -> Diagnostic:
    """What is said of a definition is said where the configuration names it; at its top if it does not."""
    if told.span is not None and told.span.file is file:
        return told
    names = [spans[name] for name in _QUOTED.findall(told.message) if name in spans]
    labels = told.labels if told.span is None else (Label(told.span, "this one"), *told.labels)
    place = names[0] if names else _constants(file) if told.id == "constant-without-value" else _top(file)
    return replace(told, span=place, labels=labels)


def _leave_out(config: Config, wrong: Collection[Span | None]) -> list[str]:
    """Leaves out what is at one of these places; the names that have nothing put for them any more."""
    for section, names in list(config.named.items()):
        config.named[section] = [each for each in names if each.span not in wrong]
    gone = [each for each in config.replacements if each.span in wrong or each.name_span in wrong]
    config.replacements = [each for each in config.replacements if each not in gone]
    return [each.name for each in gone]


def _size(config: Config) -> int:
    return sum(map(len, config.named.values())) + len(config.replacements)


def _without_module(file: SourceFile, module: str | None) -> Diagnostic:
    if module is not None:
        return _at_top(file, "module-not-found", f"there is no {Path(module).name} that this could be for")
    message = "which module this is for is not known, so that its names were not looked up"
    return _at_top(file, "module-not-found", message, f"give it the name of the module, or {_SAY_WHICH}")


def _at_top(file: SourceFile, id: str, message: str, help: str | None = None) -> Diagnostic:
    return Diagnostic(id, message, _top(file), "warning", help)


def _constants(file: SourceFile) -> Span:
    """Where constants get their values; the top, if there is no such section."""
    found = re.search(r"^[ \t]*(CONSTANTS?)\b", file.text, re.MULTILINE)
    return _top(file) if found is None else file.span(*found.span(1))


def _top(file: SourceFile) -> Span:
    """The first line that says something."""
    found = re.search(r"\S.*", file.text)
    return file.span(0, 0) if found is None else file.span(found.start(), found.start() + len(found[0].rstrip()))
