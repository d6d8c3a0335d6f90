"""A composition is read back, as any tool would read it, before anybody relies on it.

Its definitions must be those that were meant, although most of its text is taken from other files and moved; and the
actions that our own pipeline finds in it tell what they are called there, and whether an unwanted one has survived in a
place where it could not be cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gristmill.building import errors_of, parsed
from gristmill.compose.build.sources import config_source, module_source
from gristmill.compose.system import ComposedAction, Composition
from gristmill.ir.assemble import action_names_by_disjunct
from gristmill.loading import load
from gristmill.source import Diagnostic, InternalError, SourceError
from gristmill.syntax import tree
from gristmill.syntax.parser import parse_module


def confirm(composed: Composition, meant: Mapping[str, tree.Expression | tree.Unit]) -> list[list[str]]:
    """The names of the actions in each disjunct of Next.

    `meant`: definitions, or bodies of definitions, by name.
    """
    source = module_source(composed)
    module = parse_module(source)
    if module.module is None or module.diagnostics:
        raise InternalError(f"the text of a composition is no module: {module.diagnostics[0]}")
    for unit in module.module.units:
        if isinstance(unit, tree.OperatorDefinition | tree.FunctionDefinition | tree.InstanceDefinition):
            wanted = meant.get(unit.name)
            if wanted is not None and wanted not in (unit, getattr(unit, "body", None)):
                raise InternalError(f"the definition of {unit.name} is not what was meant")
    loaded, diagnostics = load(source, composed.search_path)
    if loaded.specification is None:
        raise InternalError(f"the text of a composition has mistakes: {(errors_of(diagnostics) or diagnostics)[0]}")
    return action_names_by_disjunct(loaded.specification, parsed(config_source(composed)).choices(), "Next")


def named_actions(
    expected: Sequence[tuple[str, ComposedAction]], found: Sequence[str], unwanted: Collection[str]
) -> Iterator[ComposedAction]:
    """The actions of a disjunct under the names that they have there.

    `expected`: by the names of their definitions. What is left of a choice between actions, if that is one of them, is
    called after the definition that chooses. Raises `SourceError` if there is an unwanted one.
    """
    names = dict.fromkeys(found)
    left = [action for name, action in expected if name not in names]
    yield from {name: replace(action, name=name) for name, action in expected if name in names}.values()
    others = [name for name in names if all(name != each for each, _ in expected)]
    modules = {(action.module, action.grain) for _, action in expected}
    for name in others:
        if name in unwanted or len(modules) > 1 or not expected:
            raise SourceError(inseparable(name, expected[0][1].file if expected else Path()))
        yield replace((left or [expected[0][1]])[0], name=name)


def inseparable(name: str, file: Path) -> Diagnostic:
    return Diagnostic(
        "compose-inseparable",
        f"the action `{name}` cannot be separated from others of {file.name}: what applies it is given to an operator,"
        " or is no disjunct",
        help="write the next-state relation as a disjunction of actions",
    )
