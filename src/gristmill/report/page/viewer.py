"""Steps one by one: a slider with its buttons, a row a step with its part of the chart, and room for the step in view.

`static/viewer.js` moves it; what is shown of a step is the script's of the verb.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gristmill.report.page.elide import elided_action
from gristmill.report.page.lifelines import Lifelines, Mark, names_svg, row_svg
from gristmill.report.page.markup import text
from gristmill.report.page.whole import Static

STYLES: tuple[Static, ...] = ((__package__, "viewer.css"),)
SCRIPTS: tuple[Static, ...] = ((__package__, "difference.js"), (__package__, "values.js"))
LAST_SCRIPTS: tuple[Static, ...] = ((__package__, "viewer.js"),)  # after those that define what it calls

_WIDEST_ACTION = 48
_WIDEST_ALONE = 90  # where there is no chart


@dataclass(frozen=True, slots=True)
class Switch:
    """A box to tick above the steps; its `name` is what scripts find it by."""

    name: str
    label: str
    on: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A step in the list. `wrong`: the one that shows what is wrong."""

    action: str
    marks: Sequence[Mark] = ()
    wrong: bool = False


def viewer(charts: str, switches: Sequence[Switch], legend: str = "") -> str:
    """Of all runs; `charts` has a piece for each of them, by `chart`."""
    about = f'<p class="soft legend">{legend}</p>' if legend else ""
    return (
        f'<section id="viewer" aria-label="Step by step">{_controls(switches)}<div class="two">'
        f'<div class="charts">{charts}{about}</div><div id="sides"></div></div></section>'
    )


def _controls(switches: Sequence[Switch]) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" id="{each.name}"{" checked" if each.on else ""}> {text(each.label)}</label>\n'
        for each in switches
    )
    return (
        '<div class="controls" role="group" aria-label="Steps">\n'
        '<button type="button" id="previous" aria-label="Step before" title="Step before (←)">◀</button>\n'
        '<input type="range" id="slider" min="0" value="0" aria-label="Step">\n'
        '<button type="button" id="next" aria-label="Step behind" title="Step behind (→)">▶</button>\n'
        f'<output id="where" for="slider"></output>\n<span class="switches">{boxes}</span>\n</div>'
    )


def chart(run: int, title: str, rows: Sequence[Row], lines: Lifelines | None, *, base: int, notes: str = "") -> str:
    """The steps of run number `run`, from 0; `base` is the number of the first step. `notes` are a piece of HTML."""
    style, names = ("chart", _names(lines)) if lines is not None else ("chart plain", "")
    return (
        f'<div class="{style} of-run" data-run="{run}"><h3>{text(title)}</h3>{notes}<div class="scroll">{names}'
        f'<ol role="listbox" tabindex="0" aria-label="Steps">{"".join(_rows(run, rows, lines, base))}</ol></div></div>'
    )


def _names(lines: Lifelines) -> str:
    return f'<div class="names"><span></span><span></span>{names_svg(lines)}</div>'


def _rows(run: int, rows: Sequence[Row], lines: Lifelines | None, base: int) -> Iterator[str]:
    widest = _WIDEST_ALONE if lines is None else _WIDEST_ACTION
    for number, row in enumerate(rows):
        wrong = ' class="wrong"' if row.wrong else ""
        drawn = "" if lines is None else row_svg(lines, row.marks)
        yield (
            f'<li role="option" aria-selected="false" data-step="{number}" id="step-{run + 1}-{number}"{wrong}>'
            f'<span class="number">{number + base}</span><span class="action" title="{text(row.action)}">'
            f"{text(elided_action(row.action, widest))}</span>{drawn}</li>"
        )
