"""The modules of a system as an SVG: boxes, and a wire for each variable by which they know of each other.

A wire leads from the modules that write the variable (a dot) to those that depend on it (an arrowhead), so that any
number of variables between any number of modules stays readable: interaction variables, and, dashed, internal variables
of one module that others write. Inside a box: what is internal to the module.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gristmill.compose.system import ENVIRONMENT
from gristmill.compose.variables.modules import Variables
from gristmill.compose.variables.slots import ordered
from gristmill.report.compose.reasons import interaction_reason
from gristmill.report.style import printable


@dataclass(frozen=True, slots=True)
class Box:
    name: str
    actions: int
    internal: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """`writers` and `readers`: numbers of boxes. `note`: why it is an interaction variable, or what else it is."""

    label: str
    writers: tuple[int, ...]
    readers: tuple[int, ...]
    note: str
    is_internal: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    title: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]


def drawing_of(variables: Variables) -> Drawing:
    with variables.world.active():
        names = list(variables.modules)
        boxes = tuple(
            Box(each.name, len(each.actions), tuple(variables.text(slot) for slot in ordered(each.internal)))
            for each in variables.modules.values()
        )
        reasons = [(slot, interaction_reason(variables, slot), False) for slot in ordered(variables.interaction.slots)]
        reasons += [(slot, f"internal to {owner}", True) for slot, owner in variables.written_by_others]
        wires = [
            Wire(
                variables.text(slot),
                tuple(names.index(each) for each in dict.fromkeys(module for module, _ in variables.writers(slot))),
                tuple(names.index(each) for each in variables.readers(slot)),
                note,
                is_internal,
            )
            for slot, note, is_internal in reasons
        ]
        return Drawing(variables.name, boxes, tuple(wires))


# ------------------------------------------------------------------------------------------------------------- the SVG

_CHARACTER = 7.3  # width of one, at 12 pixels of a monospaced font
_LINE = 16
_TOP, _MARGIN, _GAP, _PITCH = 56, 24, 28, 24
_NARROWEST, _WIDEST = 150, 230
STYLE = """
.gm-drawing { --paper: #fff; --ink: #1f2328; --soft: #656d76; --line: #8c959f; --box: #f6f8fa; --edge: #57606a;
  --wire: #1f5fa8; --hover: #ddf4ff }
@media (prefers-color-scheme: dark) { .gm-drawing { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #484f58;
  --box: #161b22; --edge: #8b949e; --wire: #79b8ff; --hover: #12283f } }
.gm-drawing .paper { fill: var(--paper) }
.gm-drawing text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink) }
.gm-drawing .title { font: bold 15px sans-serif } .gm-drawing .name { font: bold 14px sans-serif }
.gm-drawing .soft { fill: var(--soft) } .gm-drawing .box { fill: var(--box); stroke: var(--edge) }
.gm-drawing .environment { stroke-dasharray: 5 4 } .gm-drawing .life { stroke: var(--line); stroke-dasharray: 2 4 }
.gm-drawing .wire { stroke: var(--wire); stroke-width: 1.5 } .gm-drawing .internal { stroke-dasharray: 6 4 }
.gm-drawing .mark { fill: var(--wire) }
.gm-drawing .ring { fill: none; stroke: var(--wire); stroke-width: 1.5 }
.gm-drawing .band { fill: transparent } .gm-drawing g:hover > .band { fill: var(--hover) }
"""


def render_svg(drawing: Drawing) -> str:
    """Follows the colour scheme of whoever looks at it."""
    label_width = max([len(wire.label) for wire in drawing.wires] + [0]) * _CHARACTER
    left = _MARGIN + label_width + (16 if drawing.wires else 0)
    widths = [_box_width(box) for box in drawing.boxes]
    starts = [left + sum(widths[:at]) + at * _GAP for at in range(len(widths))]
    contents = [_contents(box, width) for box, width in zip(drawing.boxes, widths, strict=True)]
    height = 52 + _LINE * max([len(lines) for lines in contents] + [1])
    wires_top = _TOP + height + 30
    total = wires_top + _PITCH * len(drawing.wires) + 44
    width = max(starts[-1] + widths[-1] if starts else left, len(drawing.title) * 9, 600) + _MARGIN
    middles = [start + size / 2 for start, size in zip(starts, widths, strict=True)]
    lines = [
        f'<svg class="gm-drawing" xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{total:.0f}"'
        f' viewBox="0 0 {width:.0f} {total:.0f}" role="img" aria-label="{_text(drawing.title)}">',
        f"<style>{STYLE}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        f'<text class="title" x="{_MARGIN}" y="30">{_text(drawing.title)}</text>',
    ]
    for middle in middles:
        bottom = wires_top + _PITCH * len(drawing.wires) - 6
        lines.append(f'<line class="life" x1="{middle:.1f}" y1="{_TOP + height}" x2="{middle:.1f}" y2="{bottom:.1f}"/>')
    for box, start, size, inside in zip(drawing.boxes, starts, widths, contents, strict=True):
        lines += _box(box, start, size, height, inside)
    for number, wire in enumerate(drawing.wires):
        lines += _wire(wire, wires_top + number * _PITCH, left, width - _MARGIN, middles)
    return "\n".join([*lines, *_legend(total - 14), "</svg>"]) + "\n"


def _box_width(box: Box) -> float:
    longest = max([len(each) for each in box.internal] + [len(box.name) + 2, 12])
    return min(_WIDEST, max(_NARROWEST, longest * _CHARACTER + 24))


def _contents(box: Box, width: float) -> list[str]:
    room = max(8, int((width - 20) / _CHARACTER))
    return [line for name in box.internal for line in textwrap.wrap(name, room)]


def _box(box: Box, x: float, width: float, height: float, inside: Sequence[str]) -> list[str]:
    kind = " environment" if box.name == ENVIRONMENT else ""
    actions = f"{box.actions} action" + ("" if box.actions == 1 else "s")
    lines = [
        f'<rect class="box{kind}" x="{x:.1f}" y="{_TOP}" width="{width:.1f}" height="{height}" rx="6"/>',
        f'<text class="name" x="{x + 10:.1f}" y="{_TOP + 20}">{_text(box.name)}</text>',
        f'<text class="soft" x="{x + 10:.1f}" y="{_TOP + 37}">{actions}</text>',
    ]
    for number, line in enumerate(inside):
        lines.append(f'<text x="{x + 10:.1f}" y="{_TOP + 37 + _LINE * (number + 1)}">{_text(line)}</text>')
    return lines


def _wire(wire: Wire, y: float, left: float, right: float, middles: Sequence[float]) -> list[str]:
    ends = [middles[at] for at in {*wire.writers, *wire.readers}]
    lines = [
        f"<g><title>{_text(wire.label)}: {_text(wire.note)}</title>",
        f'<rect class="band" x="4" y="{y - _PITCH / 2:.1f}" width="{right - 4:.1f}" height="{_PITCH}"/>',
        f'<text x="{left - 16:.1f}" y="{y + 4:.1f}" text-anchor="end">{_text(wire.label)}</text>',
    ]
    if ends:
        kind = "wire internal" if wire.is_internal else "wire"
        lines.append(f'<line class="{kind}" x1="{min(ends):.1f}" y1="{y:.1f}" x2="{max(ends):.1f}" y2="{y:.1f}"/>')
    for at in wire.readers:
        lines += _arrowheads(wire, at, middles[at], y)
    for at in wire.writers:
        lines.append(f'<circle class="mark" cx="{middles[at]:.1f}" cy="{y:.1f}" r="4.5"/>')
    return [*lines, "</g>"]


def _arrowheads(wire: Wire, reader: int, x: float, y: float) -> list[str]:
    """From the sides on which there are writers; a ring if nobody else writes the variable."""
    room = 6 if reader in wire.writers else 1
    found = []
    if any(at < reader for at in wire.writers):
        found.append(_triangle(x - room - 10, x - room, y))
    if any(at > reader for at in wire.writers):
        found.append(_triangle(x + room + 10, x + room, y))
    return found or [f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="7.5"/>']


def _triangle(back: float, tip: float, y: float) -> str:
    return f'<path class="mark" d="M{back:.1f},{y - 5:.1f} L{tip:.1f},{y:.1f} L{back:.1f},{y + 5:.1f} z"/>'


def _legend(y: float) -> list[str]:
    x, middle = float(_MARGIN), y - 4
    lines = [
        f'<circle class="mark" cx="{x + 5}" cy="{middle:.1f}" r="4.5"/>',
        _triangle(x + 120, x + 130, middle),
        f'<line class="wire internal" x1="{x + 246}" y1="{middle:.1f}" x2="{x + 276}" y2="{middle:.1f}"/>',
    ]
    texts = ((16, "writes it"), (136, "depends on it"), (284, "internal to the one that depends on it"))
    return lines + [f'<text class="soft" x="{x + at}" y="{y:.1f}">{text}</text>' for at, text in texts]


def _text(text: str) -> str:
    return escape(printable(text))
