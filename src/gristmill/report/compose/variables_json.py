"""Modules and their variables as one JSON document. docs/reference/compose-json.md describes it for its readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gristmill.compose.variables import dependency as depending
from gristmill.compose.variables.accesses import Accesses
from gristmill.compose.variables.interaction import Shared
from gristmill.compose.variables.modules import ModuleVariables, Variables
from gristmill.compose.variables.slots import ordered
from gristmill.ir.passes.dependencies.messages import Slicing
from gristmill.ir.places import Place
from gristmill.report.json import place
from gristmill.source.render import dumped
from gristmill.values import show


def render_variables(variables: Variables) -> str:
    return dumped(variables_document(variables))


def variables_document(variables: Variables) -> dict[str, Any]:
    with variables.world.active():
        return {
            "format": 1,
            "specification": variables.name,
            "variables": list(variables.variables),
            "modules": [_module(variables, each) for each in variables.modules.values()],
            "interaction": [_interaction(variables, slot) for slot in ordered(variables.interaction.slots)],
            "written_by_others": [
                {
                    "slot": variables.text(slot),
                    "internal_to": owner,
                    "written_by": [{"module": module, "action": action} for module, action in variables.writers(slot)],
                }
                for slot, owner in variables.written_by_others
            ],
            "ghosts": {
                "declared": list(variables.ghosts),
                "recognised": _slots(variables, variables.ghost_slots),
                "read": [
                    {
                        "variable": each.variable,
                        "action": each.action,
                        "into": None if each.into is None else variables.text(each.into),
                        "location": place(each.span),
                    }
                    for each in variables.ghost_reads
                ],
            },
            "slices": [_slicing(variables, each) for each in variables.slicings],
            "spoiled_slices": [
                {
                    "variable": each.variable,
                    "field": each.field,
                    "action": each.action,
                    "reason": each.reason,
                    "text": None if each.span is None else each.span.text,
                    "location": place(each.span),
                }
                for each in variables.spoiled
            ],
            "suggested_slices": [_slicing(variables, each) for each in variables.suggestions],
            "invariants": {name: list(names) for name, names in variables.invariants.items()},
        }


def _module(variables: Variables, module: ModuleVariables) -> dict[str, Any]:
    return {
        "name": module.name,
        "actions": [_action(variables, each) for each in module.actions],
        "dependencies": [
            {
                "slot": variables.text(slot),
                "variable": variables.variables[slot.variable],
                "internal": slot in module.internal,
                "path": [_step(variables, at, reason) for at, reason in module.dependencies.path(slot)],
            }
            for slot in ordered(module.dependencies.slots)
        ],
        "internal": _slots(variables, module.internal),
        "writes": _slots(variables, module.writes),
        "foreign_writes": [
            {"slot": variables.text(slot), "internal_to": other, "action": action}
            for slot, other, action in module.foreign
        ],
        "droppable": list(module.droppable),
    }


def _action(variables: Variables, action: Accesses) -> dict[str, Any]:
    return {
        "name": action.name,
        "location": place(action.span),
        "guard": [{"slot": variables.text(each.slot), "location": place(each.span)} for each in action.tests],
        "updates": [
            {
                "slot": variables.text(each.slot),
                "reads": _slots(variables, each.reads),
                "control": _slots(variables, each.control),
                "location": place(each.span),
            }
            for each in action.updates
        ],
        "limits": list(action.limits),
    }


def _step(variables: Variables, slot: Place, reason: depending.Reason) -> dict[str, Any]:
    target = reason.target if isinstance(reason, depending.Computed) else None
    return {
        "slot": variables.text(slot),
        "kind": "guard" if not isinstance(reason, depending.Computed) else reason.kind,
        "action": reason.action,
        "into": None if target is None else variables.text(target),
        "location": place(reason.span),
    }


def _interaction(variables: Variables, slot: Place) -> dict[str, Any]:
    reason = variables.interaction.reasons[slot]
    return {
        "slot": variables.text(slot),
        "variable": variables.variables[slot.variable],
        "shared": isinstance(reason, Shared),
        "rule": 1 if isinstance(reason, Shared) else reason.rule,
        "written_by": [{"module": module, "action": action} for module, action in variables.writers(slot)],
        "read_by": variables.readers(slot),
        "because": {"modules": list(reason.modules)}
        if isinstance(reason, Shared)
        else {
            "into": variables.text(reason.target),
            "action": reason.action,
            "module": reason.owner,
            "location": place(reason.span),
        },
    }


def _slicing(variables: Variables, slicing: Slicing) -> dict[str, Any]:
    return {
        "variable": variables.variables[slicing.variable],
        "field": slicing.field,
        "tags": [tag if isinstance(tag, str) else show(tag) for tag in slicing.tags],
    }


def _slots(variables: Variables, slots: Iterable[Place]) -> list[str]:
    return [variables.text(slot) for slot in ordered(slots)]
