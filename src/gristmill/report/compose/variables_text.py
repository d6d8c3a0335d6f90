"""Modules and their variables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from gristmill.compose.variables.modules import ModuleVariables, Variables
from gristmill.compose.variables.slots import ordered
from gristmill.ir.places import Place
from gristmill.report.compose.reasons import dependency_path, interaction_reason
from gristmill.report.places import place_text
from gristmill.report.style import Style

NOTHING = "—"


def render_variables(variables: Variables, *, color: bool = False, width: int = 100, actions: bool = True) -> str:
    """All of it, ending in a line end. `actions`: with a table of the actions of each module."""
    with variables.world.active():
        return "\n".join(_lines(variables, Style(color), width, actions)) + "\n"


def _lines(variables: Variables, style: Style, width: int, actions: bool) -> Iterator[str]:
    count = sum(len(each.actions) for each in variables.modules.values())
    yield style.paint(
        "heading",
        f"{variables.name}: {len(variables.modules)} modules, {count} actions, {len(variables.variables)} variables",
    )
    yield ""
    yield from _interaction(variables, style, width)
    for module in variables.modules.values():
        yield ""
        yield from _module(variables, module, style, width, actions)
    yield from _remarks(variables, style, width)


def _interaction(variables: Variables, style: Style, width: int) -> Iterator[str]:
    slots = ordered(variables.interaction.slots)
    if not slots:
        yield "No interaction variables: none is a dependency of two modules."
    else:
        yield style.paint("heading", f"Interaction variables ({len(slots)})")
        shared = variables.interaction.shared
        rows = [
            (*_row_of(variables, slot, "" if slot in shared else " *"), _readers(variables, slot)) for slot in slots
        ]
        yield from table(("variable", "written by", "read by"), rows, style, width)
        yield from _closed(variables, style, width)
    others = variables.written_by_others
    if others:
        yield ""
        yield style.paint("heading", f"Internal variables that other modules write ({len(others)})")
        rows = [(*_row_of(variables, slot), owner) for slot, owner in others]
        yield from table(("variable", "written by", "internal to"), rows, style, width)


def _row_of(variables: Variables, slot: Place, mark: str = "") -> tuple[str, str]:
    return variables.text(slot) + mark, names_text(dict.fromkeys(module for module, _ in variables.writers(slot)))


def _readers(variables: Variables, slot: Place) -> str:
    return names_text(variables.readers(slot))


def _closed(variables: Variables, style: Style, width: int) -> Iterator[str]:
    """Why those are interaction variables that no two modules share."""
    closed = [slot for slot in ordered(variables.interaction.slots) if slot not in variables.interaction.shared]
    if closed:
        yield style.paint("dim", "  * shared by no two modules, but computed into something that is:")
    for slot in closed:
        yield from wrapped(f"    {variables.text(slot)}: {interaction_reason(variables, slot)}", width)


def _module(variables: Variables, module: ModuleVariables, style: Style, width: int, actions: bool) -> Iterator[str]:
    yield style.paint("heading", f"{module.name}: {_count(len(module.actions), 'action')}")
    if actions:
        heads = ("action", "guard reads", "updates read", "writes")
        yield from table(heads, _action_rows(variables, module), style, width)
    yield from _listed("  depends on", "", style, width) if module.dependencies.slots else ()
    internal = module.internal
    longest = max((len(variables.text(slot)) for slot in module.dependencies.slots), default=0)
    for slot in ordered(module.dependencies.slots):
        mark = "internal" if slot in internal else "shared"
        path = "; that: ".join(dependency_path(variables, module, slot))
        yield from wrapped(f"    {variables.text(slot):<{longest}}  {mark:<8}  {path}", width, longest + 16)
    foreign = dict.fromkeys((variables.text(slot), other) for slot, other, _ in module.foreign)
    for slot_text, other in foreign:
        by = [action for slot, owner, action in module.foreign if (variables.text(slot), owner) == (slot_text, other)]
        yield from wrapped(
            f"  writes {slot_text}, which is internal to {other}: {names_text(dict.fromkeys(by))}", width, 4
        )
    if module.droppable:
        yield from _listed("  nobody else needs", names_text(module.droppable), style, width)


def _action_rows(variables: Variables, module: ModuleVariables) -> list[tuple[str, ...]]:
    return [
        (
            each.name,
            _slots(variables, each.guard),
            _slots(variables, each.reads_of_updates),
            _slots(variables, each.writes),
        )
        for each in module.actions
    ]


def _remarks(variables: Variables, style: Style, width: int) -> Iterator[str]:
    lines = remarks(variables)
    if lines:
        yield ""
        yield style.paint("heading", "Remarks")
    for line in lines:
        yield from wrapped(f"  - {line}", width, 4)


def remarks(variables: Variables) -> list[str]:
    """Sentences. The world of the specification must be active."""
    return [*_ghosts(variables), *_slices(variables), *_limits(variables)]


def _ghosts(variables: Variables) -> Iterator[str]:
    if variables.ghosts:
        yield f"left out as ghosts: {names_text(variables.ghosts)}"
    reads = dict.fromkeys(
        f"{each.variable} was declared to be a ghost, but "
        + (
            f"the guard of {each.action} reads it ({place_text(each.span)})"
            if each.into is None
            else f"{each.action} computes {variables.text(each.into)} from it ({place_text(each.span)})"
        )
        for each in variables.ghost_reads
    )
    yield from reads
    if variables.ghost_slots:
        yield (
            f"read by no action but to compute themselves: {_slots(variables, variables.ghost_slots)}; "
            "if that is meant, say ghost = [...]"
        )


def _slices(variables: Variables) -> Iterator[str]:
    for each in variables.slicings:
        yield f"{variables.variables[each.variable]} is cut by {each.field}: {len(each.tags)} slices"
    for bad in variables.spoiled:
        where = f" in {bad.action}" if bad.action else ""
        at = f" ({place_text(bad.span)}: {textwrap.shorten(bad.span.text, 60)})" if bad.span else ""
        yield f"{bad.variable} cannot be cut by {bad.field}: {bad.reason}{where}{at}"
    for each in variables.suggestions:
        name = variables.variables[each.variable]
        yield f'{name} may be cut by {each.field}, {len(each.tags)} slices: slice = {{ {name} = "{each.field}" }}'


def _limits(variables: Variables) -> Iterator[str]:
    for module in variables.modules.values():
        for action in module.actions:
            for limit in action.limits:
                yield f"in {action.name}, {limit}: what it reads may be less than is said"


# ------------------------------------------------------------------------------------------------------------- tables


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], style: Style, width: int) -> Iterator[str]:
    """Columns as wide as they need to be, or narrower with lines broken at commas."""
    widths = _widths(heads, rows, width - 2)
    yield "  " + style.paint("dim", _row(heads, widths).rstrip())
    for row in rows:
        cells = [_broken(cell, size) for cell, size in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            parts = [cell[number] if number < len(cell) else "" for cell in cells]
            yield f"  {_row(parts, widths)}".rstrip()


def _broken(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False) or [""]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:<{size}}" for cell, size in zip(cells, widths, strict=True))


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The first column whole; the others share what is left, the short ones as they are."""
    wanted = [max(len(head), *(len(row[at]) for row in rows)) if rows else len(head) for at, head in enumerate(heads)]
    left, found = width, dict.fromkeys(range(len(heads)), 0)
    order = sorted(range(len(heads)), key=lambda at: (at != 0, wanted[at]))
    for number, at in enumerate(order):
        longest_word = max((len(word) for row in rows for word in row[at].split()), default=0)
        share = left if at == 0 else max(longest_word, (left - 2 * (len(order) - number)) // (len(order) - number))
        found[at] = min(wanted[at], share)
        left -= found[at] + 2
    return [found[at] for at in range(len(heads))]


def _listed(title: str, text: str, style: Style, width: int) -> Iterator[str]:
    yield from wrapped(f"{title}: {text}".rstrip(), width, 4)


def wrapped(text: str, width: int, indent: int = 6) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False)


def _slots(variables: Variables, slots: Iterable[Place]) -> str:
    return names_text(variables.text(slot) for slot in ordered(slots))


def names_text(names: Iterable[str]) -> str:
    return ", ".join(names) or NOTHING


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
