"""Why a variable is a dependency of a module, or an interaction variable, in words."""

from __future__ import annotations

from gristmill.compose.variables import dependency as depending
from gristmill.compose.variables.interaction import Reason, Shared
from gristmill.compose.variables.modules import ModuleVariables, Variables
from gristmill.ir.places import Place
from gristmill.report.places import place_text


def dependency_path(variables: Variables, module: ModuleVariables, slot: Place) -> list[str]:
    """From a slot to the guard that makes it a dependency, a phrase for each step."""
    return [_step(variables, reason) for _, reason in module.dependencies.path(slot)]


def _step(variables: Variables, reason: depending.Reason) -> str:
    where = f"{reason.action} ({place_text(reason.span)})"
    match reason:
        case depending.Guard():
            return f"guard of {where}"
        case depending.Computed(kind="control"):
            return f"decides about {variables.text(reason.target)} in {where}"
        case depending.Computed():
            return f"computed into {variables.text(reason.target)} by {where}"


def interaction_reason(variables: Variables, slot: Place) -> str:
    return _interaction(variables, variables.interaction.reasons[slot])


def _interaction(variables: Variables, reason: Reason) -> str:
    if isinstance(reason, Shared):
        return f"a dependency of {reason.modules[0]} and of {reason.modules[1]}"
    target, where = variables.text(reason.target), f"{reason.action} ({place_text(reason.span)})"
    if reason.rule == 2:
        return f"computed into the interaction variable {target} by {where}"
    return f"computed into {target}, internal to {reason.owner}, by {where}"
