"""A composition is read back, as any tool would read it, before anybody relies on it.

Its definitions must be those that were meant, although most of its text is taken from other files and moved; and the
actions that our own pipeline finds in it must be those that were asked for, so that no unwanted action has survived
in a place where it could not be cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gristmill.building import errors_of, parsed
from gristmill.compose.sources import config_source, module_source
from gristmill.compose.system import Composition
from gristmill.ir.assemble import actions_of
from gristmill.ir.model import Action
from gristmill.ir.nodes import Variable
from gristmill.ir.walk import reachable
from gristmill.loading import load
from gristmill.source import Diagnostic, InternalError, SourceError
from gristmill.syntax import tree
from gristmill.syntax.parser import parse_module


def confirm(composed: Composition, units: Mapping[str, tree.Unit]) -> None:
    """`units`: the definitions by name. Raises `SourceError` if an action could not be cut off."""
    source = module_source(composed)
    module = parse_module(source)
    if module.module is None or module.diagnostics:
        raise InternalError(f"the text of a composition is no module: {module.diagnostics[0]}")
    for unit in module.module.units:
        name = getattr(unit, "name", None)
        if isinstance(name, str) and name in units and not isinstance(unit, tree.Recursive) and unit != units[name]:
            raise InternalError(f"the definition of {name} is not what was meant")
    loaded, diagnostics = load(source, composed.search_path)
    if loaded.specification is None:
        raise InternalError(f"the text of a composition has mistakes: {(errors_of(diagnostics) or diagnostics)[0]}")
    choices = parsed(config_source(composed)).choices()
    found = [action for action, _ in actions_of(loaded.specification, choices, "Next")]
    expected = {action.name for action in composed.actions}
    extra = [action for action in found if action.name not in expected and expected]
    for action in extra:
        if _writes(action):  # of an action of which nobody reads what it writes, only the guard is left
            raise SourceError(_inseparable(action.name, composed.actions[0].file))


def _writes(action: Action) -> bool:
    return any(isinstance(node, Variable) and node.primed for node in reachable(action.code.body))


def _inseparable(name: str, file: Path) -> Diagnostic:
    return Diagnostic(
        "compose-inseparable",
        f"the action `{name}` cannot be separated from others of {file.name}: what applies it is given to an operator,"
        " or is no disjunct",
        help="write the next-state relation as a disjunction of actions",
    )
