"""The TLA+ files of a system, loaded with what the manifest says of them.

Calls of actions that stand in the manifest (`Elect(s)`, `\\E Q \\in Quorums : Elect(s, Q)`) are read as definitions of
a module that extends the file; so they mean what they would mean at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from gristmill.building import errors_of
from gristmill.compose.manifest.fields import suggestion
from gristmill.compose.system import ActionPattern, Grain, System
from gristmill.ir.assemble import actions_of
from gristmill.ir.model import Action
from gristmill.loading import load
from gristmill.modules.choices import Choices
from gristmill.modules.specification import ResolvedModule, Specification
from gristmill.modules.symbols import Operator
from gristmill.source import Diagnostic, SourceError, SourceFile, Span
from gristmill.syntax import tree

_NAME = re.compile(r"[\w*?\[\]!]+")
_CALL = re.compile(r"\s*(\w+)\s*\(([\w\s,]*)\)\s*")

ACTION_LEVEL = 2


@dataclass(frozen=True, slots=True, eq=False)
class NextAction:
    """An action of the next-state relation of a file: `place` is the part of the text that it is made of."""

    name: str
    place: tree.Expression


@dataclass(slots=True, eq=False)
class TlaFile:
    """A file of a system. `calls`: what the manifest calls in it, by the text that is written there."""

    path: Path
    specification: Specification
    module: ResolvedModule
    calls: dict[str, Operator] = field(default_factory=dict)
    relations: dict[str, list[NextAction]] = field(default_factory=dict)

    def operator(self, name: str) -> Operator | None:
        symbol = self.specification.root.names.get(name)
        return symbol if isinstance(symbol, Operator) and not symbol.module.is_library else None

    @property
    def variables(self) -> list[str]:
        return [variable.name for variable in self.module.variables]

    @property
    def label(self) -> str:
        return self.path.name


class Files:
    """Loads each file once."""

    def __init__(self, system: System, choices: Choices) -> None:
        self.system, self.choices = system, choices
        self._files: dict[Path, TlaFile] = {}

    def get(self, path: Path) -> TlaFile:
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = self._load(path)
        return found

    def _load(self, path: Path) -> TlaFile:
        plain = _loaded(path)
        calls = self._calls(path, plain.root)
        if not calls:
            return TlaFile(path, plain, plain.root)
        text = CallsFile(path, plain.root.name, calls)
        specification = _loaded(text)
        module = specification.modules[plain.root.name]
        found = TlaFile(path, specification, module)
        for number, (call, _, _) in enumerate(calls):
            symbol = specification.root.names[text.name_of(number)]
            assert isinstance(symbol, Operator)
            found.calls[call] = symbol
        return found

    # ------------------------------------------------------------------------------------------------------- actions

    def relation(self, file: TlaFile, name: str) -> list[NextAction] | None:
        """The actions of a next-state relation; None if the file has none of that name."""
        if file.operator(name) is None:
            return None
        if name not in file.relations:
            found = self._actions(file, name)
            # `IF p THEN A ELSE FALSE`: what is never possible is no action.
            possible = [(action, place) for action, place in found if place != tree.Name("FALSE", place.span)]
            file.relations[name] = [NextAction(action.name, place) for action, place in possible]
        return file.relations[name]

    def _actions(self, file: TlaFile, name: str) -> list[tuple[Action, tree.Expression]]:
        try:
            return actions_of(file.specification, self.choices, name)
        except SourceError as error:
            raise type(error)(self._about_constants(each) for each in error.diagnostics) from None

    def _about_constants(self, diagnostic: Diagnostic) -> Diagnostic:
        """Constants get their values in the manifest."""
        if diagnostic.id != "constant-without-value" or diagnostic.span is None:
            return diagnostic
        manifest = Path(self.system.source.path).name
        return replace(diagnostic, help=f'add {diagnostic.span.text} = "…" to [constants] of {manifest}')

    def _calls(self, path: Path, module: ResolvedModule) -> list[tuple[str, str, Span]]:
        """What grains of this file call: the entry of the manifest, the text that it means, its place."""
        found: dict[str, tuple[str, str, Span]] = {}
        for grain in grains_of_file(self.system, path):
            has_next = isinstance(module.names.get(grain.next), Operator)
            for pattern in grain.actions:
                for key, text in self._meaning(pattern, module, has_next):
                    found.setdefault(key, (key, text, pattern.span))
        return list(found.values())

    def _meaning(self, pattern: ActionPattern, module: ResolvedModule, has_next: bool) -> Iterable[tuple[str, str]]:
        text = pattern.text.strip()
        call = _CALL.fullmatch(text)
        if call is not None:
            params = [param.strip() for param in call[2].split(",") if param.strip()]
            yield text, self._quantified(call[1], params, pattern)
        elif not _NAME.fullmatch(text):
            yield text, text
        elif not has_next:
            for operator in _matching_definitions(text, module):
                yield operator.name, self._quantified(operator.name, [p.name for p in operator.params], pattern)

    def _quantified(self, name: str, params: list[str], pattern: ActionPattern) -> str:
        if not params:
            return name
        domains = self.system.domains
        missing = [param for param in params if param not in domains]
        if missing:
            raise SourceError(
                Diagnostic(
                    "no-domain",
                    f"nothing says what the parameter `{missing[0]}` of `{name}` ranges over",
                    pattern.span,
                    help=f'add {missing[0]} = "…" to [domain], or write `\\E {missing[0]} \\in … : {name}(…)`',
                )
            )
        bounds = ", ".join(f"{param} \\in {domains[param]}" for param in params)
        return f"\\E {bounds} : {name}({', '.join(params)})"


def _matching_definitions(pattern: str, module: ResolvedModule) -> list[Operator]:
    """Actions that a file defines, where no next-state relation says which there are."""
    found = [symbol for name, symbol in module.names.items() if fnmatchcase(name, pattern)]
    return [
        symbol
        for symbol in found
        if isinstance(symbol, Operator) and not symbol.module.is_library and symbol.level == ACTION_LEVEL
    ]


def grains_of_file(system: System, path: Path) -> Iterable[Grain]:
    modules = [*system.modules.values(), *([system.environment] if system.environment else [])]
    return [g for module in modules for g in module.grains.values() if g.file == path and g.covered_by is None]


def entries(files: Files, grain: Grain) -> tuple[list[NextAction], list[tuple[str, Operator]]]:
    """The actions of a grain: those of the next-state relation of its file, and calls. Raises `SourceError`."""
    file = files.get(grain.file)
    relation = files.relation(file, grain.next)
    chosen: dict[int, NextAction] = {}
    calls: dict[str, Operator] = {}
    for pattern in grain.actions:
        text = pattern.text.strip()
        if text in file.calls:
            calls[text] = file.calls[text]
            continue
        if relation is None:
            named = [op for op in _matching_definitions(text, file.module) if op.name in file.calls]
            calls |= {op.name: file.calls[op.name] for op in named}
            found = bool(named)
        else:
            matching = [action for action in relation if fnmatchcase(action.name, text)]
            chosen |= {id(action): action for action in matching}
            found = bool(matching)
        if not found:
            raise SourceError(_matches_nothing(pattern, grain, file, relation))
    return list(chosen.values()), list(calls.items())


def _matches_nothing(
    pattern: ActionPattern, grain: Grain, file: TlaFile, relation: list[NextAction] | None
) -> Diagnostic:
    if relation is None:
        names = [n for n, s in file.module.names.items() if isinstance(s, Operator) and s.level == ACTION_LEVEL]
        message = f"{file.label} defines no action `{pattern.text}`"
    else:
        names = list(dict.fromkeys(action.name for action in relation))
        message = f"no action of `{grain.next}` in {file.label} is called `{pattern.text}`"
    return Diagnostic("no-such-action", message, pattern.span, help=suggestion(pattern.text, names))


# ------------------------------------------------------------------------------------------------------------ loading


def _loaded(source: Path | SourceFile) -> Specification:
    loaded, diagnostics = load(source, ())
    if loaded.specification is None:
        errors = errors_of(diagnostics) or diagnostics
        if isinstance(source, CallsFile):
            errors = [source.pointing_back(each) for each in errors]
        raise SourceError(errors)
    return loaded.specification


class CallsFile(SourceFile):
    """A module that extends a file with the calls of a manifest; messages about these point to the manifest."""

    def __init__(self, path: Path, module: str, calls: list[tuple[str, str, Span]]) -> None:
        self.module, self.of = f"{module}_Calls", path.name
        self.places: list[tuple[int, Span]] = []
        text = f"---- MODULE {self.module} ----\nEXTENDS {module}\n"
        for number, (_, meaning, span) in enumerate(calls):
            self.places.append((len(text), span))
            text += f"{self.name_of(number)} == {meaning}\n"
        super().__init__(str(path.with_name(f"{self.module}.tla")), text + "====\n")

    def name_of(self, number: int) -> str:
        return f"{self.module}_{number}"

    def pointing_back(self, diagnostic: Diagnostic) -> Diagnostic:
        span = diagnostic.span
        if span is None or span.file is not self:
            return diagnostic
        place = next((place for start, place in reversed(self.places) if start <= span.start), None)
        help = diagnostic.help or f"what the manifest says of actions is read as if it stood at the end of {self.of}"
        return replace(diagnostic, span=place, labels=(), help=help)
