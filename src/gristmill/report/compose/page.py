"""Modules and their variables as one HTML page that needs nothing else: the drawing, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from gristmill.compose.variables.accesses import Accesses
from gristmill.compose.variables.modules import ModuleVariables, Variables
from gristmill.compose.variables.slots import ordered
from gristmill.ir.places import Place
from gristmill.report.compose.drawing import drawing_of, render_svg
from gristmill.report.compose.reasons import dependency_path, interaction_reason
from gristmill.report.compose.variables_text import remarks
from gristmill.report.places import place_text
from gristmill.report.style import printable

_STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --soft: #656d76; --line: #d0d7de; --box: #f6f8fa }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9198a1; --line: #30363d; --box: #161b22 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 75rem; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-size: 14px }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 600 } code { font: 13px ui-monospace, Menlo, Consolas, monospace }
details { border: 1px solid var(--line); border-radius: 6px; padding: .5rem 1rem; margin: .8rem 0 }
summary { cursor: pointer; font-weight: 600 } .soft { color: var(--soft); font-weight: 400 } li { margin: .2rem 0 }
"""


def render_page(variables: Variables) -> str:
    with variables.world.active():
        return "".join(_parts(variables))


def _parts(variables: Variables) -> Iterator[str]:
    count = sum(len(each.actions) for each in variables.modules.values())
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(variables.name)}: modules</title><style>{_STYLE}</style></head>\n<body>"
    yield f"<h1>{_text(variables.name)}</h1><p>{len(variables.modules)} modules, {count} actions, "
    yield f"{len(variables.variables)} variables.</p>\n"
    yield f'<div class="scroll">{render_svg(drawing_of(variables))}</div>\n'
    if variables.interaction.slots:
        yield "<h2>Interaction variables</h2>"
        rows = [_wire_row(variables, slot, interaction_reason(variables, slot)) for slot in _shared(variables)]
        yield from _table(("variable", "written by", "read by", "because"), rows)
    else:
        yield "<p>No interaction variables: none is a dependency of two modules.</p>"
    others = variables.written_by_others
    if others:
        yield "<h2>Internal variables that other modules write</h2>"
        rows = [_wire_row(variables, slot, owner) for slot, owner in others]
        yield from _table(("variable", "written by", "read by", "internal to"), rows)
    yield "<h2>Modules</h2>"
    for module in variables.modules.values():
        yield from _module(variables, module)
    said = remarks(variables)
    if said:
        yield "<h2>Remarks</h2><ul>" + "".join(f"<li>{_text(each)}</li>" for each in said) + "</ul>"
    yield "</body></html>\n"


def _shared(variables: Variables) -> list[Place]:
    return ordered(variables.interaction.slots)


def _wire_row(variables: Variables, slot: Place, last: str) -> list[str]:
    by: dict[str, list[str]] = {}
    for module, action in variables.writers(slot):
        by.setdefault(module, []).append(action)
    writers = [f'{_text(name)} <span class="soft">{_text(", ".join(actions))}</span>' for name, actions in by.items()]
    readers = _text(", ".join(variables.readers(slot)))
    return [_code(variables.text(slot)), "<br>".join(writers), readers, _text(last)]


def _module(variables: Variables, module: ModuleVariables) -> Iterator[str]:
    yield f"<details><summary>{_text(module.name)} "
    yield f'<span class="soft">{len(module.actions)} actions, depends on {len(module.dependencies.slots)}, '
    yield f"internal {len(module.internal)}</span></summary>"
    actions = [_action_row(variables, each) for each in module.actions]
    yield from _table(("action", "guard reads", "updates read", "writes"), actions)
    yield "<p></p>"
    rows = (
        [
            _code(variables.text(slot)),
            "internal" if slot in module.internal else "shared",
            "<br>".join(map(_text, dependency_path(variables, module, slot))),
        ]
        for slot in ordered(module.dependencies.slots)
    )
    yield from _table(("dependency variable", "", "because"), rows)
    foreign = dict.fromkeys(
        f"{variables.text(slot)}, internal to {other}, by {action}" for slot, other, action in module.foreign
    )
    if foreign:
        yield "<p>Writes what is internal to others:</p><ul>"
        yield "".join(f"<li>{_text(each)}</li>" for each in foreign) + "</ul>"
    if module.droppable:
        yield f"<p>Nobody else needs: {_code(', '.join(module.droppable))}</p>"
    yield "</details>\n"


def _action_row(variables: Variables, action: Accesses) -> list[str]:
    where = f'<br><span class="soft">{_text(place_text(action.span))}</span>'
    slots = (action.guard, action.reads_of_updates, action.writes)
    return [_code(action.name) + where, *(_slots(variables, each) for each in slots)]


def _slots(variables: Variables, slots: Iterable[Place]) -> str:
    return ", ".join(_code(variables.text(slot)) for slot in ordered(slots)) or "—"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield (
        '<div class="scroll"><table><thead><tr>'
        + "".join(f"<th>{head}</th>" for head in heads)
        + "</tr></thead><tbody>"
    )
    for row in rows:
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    return escape(printable(text))
