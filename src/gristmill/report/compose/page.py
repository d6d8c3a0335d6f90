"""Modules and their variables as one HTML page that needs nothing else: the drawing, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gristmill.compose.variables.accesses import Accesses
from gristmill.compose.variables.modules import ModuleVariables, Variables
from gristmill.compose.variables.slots import ordered
from gristmill.ir.places import Place
from gristmill.report.compose.drawing import drawing_of, render_svg
from gristmill.report.compose.reasons import dependency_path, interaction_reason
from gristmill.report.compose.variables_text import remarks
from gristmill.report.page.markup import code, listed, table, text
from gristmill.report.page.run import behaviour_page, runs_document
from gristmill.report.places import place_text


def render_page(variables: Variables) -> str:
    with variables.world.active():
        return behaviour_page(
            title=f"{variables.name}: modules",
            verb="compose show",
            body=tuple(_parts(variables)),
            document=runs_document((), base=1, noun="state"),
        )


def _parts(variables: Variables) -> Iterator[str]:
    count = sum(len(each.actions) for each in variables.modules.values())
    yield f"<h1>{text(variables.name)}</h1><p>{len(variables.modules)} modules, {count} actions, "
    yield f"{len(variables.variables)} variables.</p>"
    yield f'<div class="scroll">{render_svg(drawing_of(variables))}</div>'
    if variables.interaction.slots:
        yield "<h2>Interaction variables</h2>"
        rows = [_wire_row(variables, slot, interaction_reason(variables, slot)) for slot in _shared(variables)]
        yield table(("variable", "written by", "read by", "because"), rows)
    else:
        yield "<p>No interaction variables: none is a dependency of two modules.</p>"
    others = variables.written_by_others
    if others:
        yield "<h2>Internal variables that other modules write</h2>"
        rows = [_wire_row(variables, slot, owner) for slot, owner in others]
        yield table(("variable", "written by", "read by", "internal to"), rows)
    yield "<h2>Modules</h2>"
    for module in variables.modules.values():
        yield from _module(variables, module)
    said = remarks(variables)
    if said:
        yield f"<h2>Remarks</h2>{listed(map(text, said))}"


def _shared(variables: Variables) -> list[Place]:
    return ordered(variables.interaction.slots)


def _wire_row(variables: Variables, slot: Place, last: str) -> list[str]:
    by: dict[str, list[str]] = {}
    for module, action in variables.writers(slot):
        by.setdefault(module, []).append(action)
    writers = [f'{text(name)} <span class="soft">{text(", ".join(actions))}</span>' for name, actions in by.items()]
    readers = text(", ".join(variables.readers(slot)))
    return [code(variables.text(slot)), "<br>".join(writers), readers, text(last)]


def _module(variables: Variables, module: ModuleVariables) -> Iterator[str]:
    yield f"<details><summary>{text(module.name)} "
    yield f'<span class="soft">{len(module.actions)} actions, depends on {len(module.dependencies.slots)}, '
    yield f"internal {len(module.internal)}</span></summary>"
    actions = [_action_row(variables, each) for each in module.actions]
    yield table(("action", "guard reads", "updates read", "writes"), actions)
    yield "<p></p>"
    rows = (
        [
            code(variables.text(slot)),
            "internal" if slot in module.internal else "shared",
            "<br>".join(map(text, dependency_path(variables, module, slot))),
        ]
        for slot in ordered(module.dependencies.slots)
    )
    yield table(("dependency variable", "", "because"), rows)
    foreign = dict.fromkeys(
        f"{variables.text(slot)}, internal to {other}, by {action}" for slot, other, action in module.foreign
    )
    if foreign:
        yield f"<p>Writes what is internal to others:</p>{listed(map(text, foreign))}"
    if module.droppable:
        yield f"<p>Nobody else needs: {code(', '.join(module.droppable))}</p>"
    yield "</details>\n"


def _action_row(variables: Variables, action: Accesses) -> list[str]:
    where = f'<br><span class="soft">{text(place_text(action.span))}</span>'
    slots = (action.guard, action.reads_of_updates, action.writes)
    return [code(action.name) + where, *(_slots(variables, each) for each in slots)]


def _slots(variables: Variables, slots: Iterable[Place]) -> str:
    return ", ".join(code(variables.text(slot)) for slot in ordered(slots)) or "—"
