"""The runs of a page: a list to choose from, and of each the chart of its steps. The script shows the values."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.report.entries import Entry
from gristmill.replay.report.marks import marks_of, nodes_of
from gristmill.replay.report.words import counted, shrinking
from gristmill.report.page.lifelines import lifelines
from gristmill.report.page.markup import text
from gristmill.report.page.viewer import Row, Switch, chart
from gristmill.report.page.viewer import viewer as steps_viewer

_SWITCHES = (Switch("all", "all variables"), Switch("readings", "how they were read"))
_LEGEND = (
    "Arrow: a message that was let through. Box: a thread, timer or task that went on. Rounded: an operation of a "
    "client. Dashed: waited for. ✕: a fault. The keys ← and → go from step to step."
)


def run_list(entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    items = "".join(f"<li>{_link(entry)}</li>" for entry in entries)
    return f'<section id="runs"><h2>Runs</h2><ol class="runs">{items}</ol></section>'


def _link(entry: Entry) -> str:
    """To the step where it ended."""
    run = entry.run
    end = len(run.steps) if run.discrepancy is None else run.discrepancy.step
    more = f" · {counted(entry.more, 'further run')} of this kind" if entry.more > 0 else ""
    return (
        f'<a class="{entry.tone}" href="#{entry.number}.{end}" data-run="{entry.number - 1}">'
        f'<span class="title">{text(entry.title)}{_part(entry)}</span><span class="told">{text(entry.told)}</span>'
        f'<span class="soft">{text(run.name)} · {entry.length} · {run.seconds:.1f} s{more}</span></a>'
    )


def _part(entry: Entry) -> str:
    words = {"only": "", "smallest": ", the smallest trace", "whole": ", as it was met first"}
    return f'<span class="soft">{words[entry.part]}</span>'


def viewer(mapping: Mapping, entries: Sequence[Entry]) -> str:
    return steps_viewer("".join(_chart(mapping, entry) for entry in entries), _SWITCHES, _LEGEND) if entries else ""


def _chart(mapping: Mapping, entry: Entry) -> str:
    run = entry.run
    at = -1 if run.discrepancy is None else run.discrepancy.step
    rows = [
        Row(
            "initial state" if step is None else step.action,
            marks_of(step, run.discrepancy if number == at else None),
            number == at,
        )
        for number, step in enumerate([None, *run.steps])
    ]
    lines = lifelines(nodes_of(run, mapping.nodes))
    return chart(entry.number - 1, run.name, rows, lines, base=0, notes=_notes(entry) + _left_over(entry))


def _notes(entry: Entry) -> str:
    told = shrinking(entry.replayed) if entry.part == "smallest" else ""
    return f'<p class="soft">{text(told)}</p>' if told else ""


def _left_over(entry: Entry) -> str:
    left = entry.run.length - len(entry.run.steps)
    return f'<p class="soft">{counted(left, "further step")} of the trace not replayed.</p>' if left > 0 else ""
