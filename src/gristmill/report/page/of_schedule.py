"""A run of a message-passing program as pages show it: events, the fields of processes, messages between lifelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gristmill.report.page.elide import shortened
from gristmill.report.page.lifelines import Mark
from gristmill.report.page.run import PageChange, PageRun, PageStep, Tone
from gristmill.trace.chart import Row, chart
from gristmill.trace.schedule import Step, describe

LEGEND = (
    "Arrow: a message that arrives. Dashed arrow: one that is sent and never arrives. Crossed: one that is lost. "
    "Boxes: timers, operations, faults."
)
_LONGEST_LABEL = 30


def run_of_schedule(
    processes: Sequence[str], steps: Sequence[Step], name: str, told: str, loop: int | None = None, tone: Tone = "bad"
) -> PageRun:
    """`steps` with messages as text. `loop`: the run goes on from there for ever."""
    drawn = chart(processes, [replace(each, changes=()) for each in steps])
    rows: dict[int, list[Row]] = {}
    for row in drawn.rows:
        rows.setdefault(row.step, []).append(row)
    shown = list(_steps(steps, rows))
    end = "" if loop is None else f"And again from step {loop + 1}, for ever."
    return PageRun(name, told, tone, shown, end, nodes=tuple(processes))


def _steps(steps: Sequence[Step], rows: dict[int, list[Row]]) -> Iterator[PageStep]:
    state: dict[str, str] = {}
    for number, step in enumerate(steps, 1):
        changes = [
            PageChange(name, "", "changed" if name in state else "gained", state.get(name, ""), value)
            for name, value in step.changes
            if name and state.get(name) != value
        ]
        state = {**state, **{name: value for name, value in step.changes if name}}
        notes = [value for name, value in step.changes if not name]
        notes += [f"sends {each}" for each in step.sent]
        notes += [step.error] if step.error else []
        marks = [_mark(each) for each in rows.get(number, ())]
        yield PageStep(describe(step.event), state, changes, marks, notes=notes, wrong=number == len(steps))


def _mark(row: Row) -> Mark:
    label, node = shortened(row.text, _LONGEST_LABEL), row.receiver or None
    other = row.sender if row.sender and row.sender != row.receiver else None
    match row.kind:
        case "message":
            return Mark("message", node, label, row.text, row.sender or None)
        case "pending":
            return Mark("sent", node, label, row.text, row.sender or None)
        case "lost":
            return Mark("fault", node, f"drop {label}", row.text, other)
        case "fault":
            return Mark("fault", node, label, row.text)
        case "error":
            return Mark("error", node, label, row.text)
        case _:
            return Mark("wrong" if row.kind == "wrong" else "note", node, label, row.text, other)
